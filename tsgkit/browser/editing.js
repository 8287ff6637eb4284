// The editor as a page: data of the server that handed out this module.

import { drawEditor } from "./edit/editor.js";
import { dataAddress, fetchedJson, postedJson } from "./requests.js";

const LONGEST_WAIT = 20_000;

// The editor's source, filled by the server.
export function editedSource() {
  const asked = (name, values) => fetchedJson(dataAddress(name, values), { cache: "no-store", signal: AbortSignal.timeout(LONGEST_WAIT) });
  return {
    isWidget: false,
    document: () => asked("document"),
    item: (number) => asked("item", { number }),
    edit: (number, revision, ops) => postedJson("edit", { number, revision, ops }),
    save: (options) => postedJson("save", options),
    setStatus: (number, status, note) => postedJson("status", { number, status, note }),
    changes: (since) => asked("changes", { since }),
    versions: (number, other) => asked("versions", { number, other }),
    resolve: (how) => postedJson("resolve", { how }),
    similar: (number) => asked("similar", { number }),
  };
}

const app = document.getElementById("app");
if (app) drawEditor(app, editedSource());
