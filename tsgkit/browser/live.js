// The live page: data of the server that handed out this module, shown by the view.

import { dataAddress, fetchedJson } from "./requests.js";
import { start } from "./view/app.js";

// The contract's source, filled by the server. Who annotates is known once the runs are.
export function liveSource() {
  const asked = (name, values) => fetchedJson(dataAddress(name, values), { cache: "no-store" });
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
      fetchedJson(dataAddress("labels", { run }), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(label) }),
    imageURL: (run, number, panel, name) => dataAddress("image", { run, number, panel, name }),
  };
}

const app = document.getElementById("app");
if (app) start(liveSource(), app);
