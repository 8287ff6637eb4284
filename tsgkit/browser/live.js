// The live page: data of the server that handed out this module, shown by the view.

import { dataAddress, serverData } from "./server_data.js";
import { start } from "./view/app.js";

const GONE_HINT = "Is the command `tsgkit view` still running? The page goes on by itself once it is.";

// The contract's source, filled by the server. Who annotates is known once the runs are.
export function liveSource() {
  const { get: asked, post } = serverData(GONE_HINT);
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
    saveLabel: (run, label) => post("labels", label, { run }),
    imageURL: (run, number, panel, name) => dataAddress("image", { run, number, panel, name }),
  };
}

const app = document.getElementById("app");
if (app) start(liveSource(), app);
