// Two rows compared item by item.

import { el } from "../dom.js";

export function comparePage(app, { run }) {
  return { host: el("div", el("h1", "Compare ", app.runLink(run))), title: `Compare · ${app.runName(run)}` };
}
