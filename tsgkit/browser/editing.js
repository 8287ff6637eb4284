// The editor as a page: data of the server that handed out this module.

import { drawEditor } from "./edit/editor.js";
import { serverData } from "./server_data.js";

const EDITING_HINT = "Is the command `tsgkit view --edit` still running?";
const LONGEST_WAIT = 20_000;

// The editor's source, filled by the server.
export function editedSource() {
  const { get, post } = serverData(EDITING_HINT, LONGEST_WAIT);
  return {
    isWidget: false,
    document: () => get("document"),
    item: (number) => get("item", { number }),
    edit: (number, revision, ops) => post("edit", { number, revision, ops }),
    save: (options) => post("save", options),
    setStatus: (number, status, note) => post("status", { number, status, note }),
    changes: (since) => get("changes", { since }),
    versions: (number, other) => get("versions", { number, other }),
    resolve: (how) => post("resolve", { how }),
    similar: (number) => get("similar", { number }),
  };
}

const app = document.getElementById("app");
if (app) drawEditor(app, editedSource());
