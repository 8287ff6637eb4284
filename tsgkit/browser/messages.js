// Requests of a page in a notebook: messages to the kernel, each with a number under which its answer comes back.

import { SourceProblem } from "./server_data.js";

const ANSWER_LATE = 20_000;
const KERNEL_GONE = "The kernel does not answer.";
const KERNEL_HINT = "Is it busy, or was it restarted? Run the cell again; what was acknowledged is in its narrative.";

// Functions that get and send data, as `serverData` has them, and one that ends the listening.
export function messageRequests(model) {
  const waiting = new Map();
  let last = 0;
  const hear = (message) => {
    const waiter = waiting.get(message?.id);
    if (!waiter) return;
    waiting.delete(message.id);
    clearTimeout(waiter.late);
    if (!message.problem) return waiter.resolve(message.value);
    const problem = new SourceProblem(message.problem.message, message.problem.hint ?? "");
    if (message.status === 409) problem.conflict = message.problem;
    waiter.reject(problem);
  };
  model.on("msg:custom", hear);
  const request = (name, values, body) =>
    new Promise((resolve, reject) => {
      const id = `${performance.now()}/${(last += 1)}`;
      const late = setTimeout(() => {
        waiting.delete(id);
        reject(new SourceProblem(KERNEL_GONE, KERNEL_HINT, true));
      }, ANSWER_LATE);
      waiting.set(id, { resolve, reject, late });
      model.send({ id, name, values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])), body });
    });
  const get = (name, values = {}) => request(name, values, null);
  const post = (name, body, values = {}) => request(name, values, body);
  return { get, post, end: () => model.off("msg:custom", hear) };
}
