// The live page: data of the server that handed out this module, shown by the view.

import { SourceProblem } from "./view/problems.js";
import { start } from "./view/app.js";

const GONE = "The server does not answer.";
const GONE_HINT = "Is the command `tsgkit view` still running? The page goes on by itself once it is.";

async function fetched(address, options) {
  const response = await fetch(address, options).catch(() => {
    throw new SourceProblem(GONE, GONE_HINT, true);
  });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new SourceProblem(body?.message ?? `The server answered ${response.status} ${response.statusText}.`, body?.hint ?? "");
  if (body === null) throw new SourceProblem("The server's answer breaks off.", "Try again.");
  return body;
}

function data(name, values = {}) {
  const query = new URLSearchParams(values).toString();
  return `data/${name}${query ? `?${query}` : ""}`;
}

// The contract's source, filled by the server. Who annotates is known once the runs are.
export function liveSource() {
  const asked = (name, values) => fetched(data(name, values), { cache: "no-store" });
  const at = ({ run, row }) => `${run}/${row}`;
  return {
    isLive: true,
    canLabel: false,
    annotator: "",
    async runs() {
      const listing = await asked("runs");
      this.canLabel = Boolean(listing.can_label);
      this.annotator = listing.annotator ?? "";
      return listing;
    },
    run: (run) => asked("run", { run }),
    groups: (run, by) => asked("groups", { run, by }),
    samples: (run) => asked("samples", { run }),
    sample: (run, number) => asked("sample", { run, number }),
    search: (run, text) => asked("search", { run, text }),
    comparison: (first, second) => asked("comparison", { first: at(first), second: at(second) }),
    labels: (run) => asked("labels", { run }),
    saveLabel: (run, label) =>
      fetched(data("labels", { run }), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(label) }),
    imageURL: (run, number, panel, name) => data("image", { run, number, panel, name }),
  };
}

const app = document.getElementById("app");
if (app) start(liveSource(), app);
