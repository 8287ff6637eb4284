// Requests to the server that served the page; it answers with JSON.

export class SourceProblem extends Error {
  constructor(message, hint = "", isGone = false) {
    super(message);
    this.name = "SourceProblem";
    this.hint = hint;
    this.isGone = isGone;
    this.conflict = null;
  }
}

const NOT_ANSWERED = "The server does not answer.";

async function fetchedJSON(address, options, goneHint) {
  const response = await fetch(address, options).catch(() => {
    throw new SourceProblem(NOT_ANSWERED, goneHint, true);
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  if (response.ok) throw new SourceProblem("The server's answer breaks off.", "Try again.");
  const problem = new SourceProblem(body?.message ?? `The server answered ${response.status} ${response.statusText}.`, body?.hint ?? "");
  problem.conflict = response.status === 409 ? body : null;
  throw problem;
}

// The address of data by name.
export function dataAddress(name, values = {}) {
  const query = new URLSearchParams(values).toString();
  return `data/${name}${query ? `?${query}` : ""}`;
}

// Functions that get and send data. They throw a SourceProblem with the hint where the server is gone, and with the body
// as its `conflict` where a change does not fit the present state. With `longestWait` (milliseconds) a server that does not
// answer in time counts as gone.
export function serverData(goneHint, longestWait = null) {
  const headers = { "Content-Type": "application/json" };
  const signal = () => (longestWait === null ? undefined : AbortSignal.timeout(longestWait));
  return {
    get: (name, values) => fetchedJSON(dataAddress(name, values), { cache: "no-store", signal: signal() }, goneHint),
    post: (name, body, values) => fetchedJSON(dataAddress(name, values), { method: "POST", headers, body: JSON.stringify(body), signal: signal() }, goneHint),
  };
}
