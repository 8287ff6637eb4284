// Requests to the server that handed out the page; what goes wrong is a SourceProblem.

import { SourceProblem } from "./view/problems.js";

const GONE = "The server does not answer.";
const GONE_HINT = "Is the command `tsgkit view` still running? The page goes on by itself once it is.";

// The JSON of an answer. A conflict (409) is a problem whose `conflict` is the answer.
export async function fetchedJson(address, options) {
  const response = await fetch(address, options).catch(() => {
    throw new SourceProblem(GONE, GONE_HINT, true);
  });
  const body = await response.json().catch(() => null);
  if (!response.ok) {
    const problem = new SourceProblem(body?.message ?? `The server answered ${response.status} ${response.statusText}.`, body?.hint ?? "");
    throw response.status === 409 ? Object.assign(problem, { conflict: body ?? {} }) : problem;
  }
  if (body === null) throw new SourceProblem("The server's answer breaks off.", "Try again.");
  return body;
}

// The address of data by name, with values.
export function dataAddress(name, values = {}) {
  const query = new URLSearchParams(values).toString();
  return `data/${name}${query ? `?${query}` : ""}`;
}

// The JSON of an answer to a change. A server that does not answer in time counts as gone.
export function postedJson(name, body, longestWait = 20_000) {
  const headers = { "Content-Type": "application/json" };
  return fetchedJson(dataAddress(name), { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(longestWait) });
}
