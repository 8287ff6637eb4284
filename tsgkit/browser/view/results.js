// The results of a run.

import { el } from "../dom.js";

export function resultsPage(app, { run }) {
  return { host: el("div", el("h1", "Results of ", app.runLink(run))), title: `Results · ${app.runName(run)}` };
}
