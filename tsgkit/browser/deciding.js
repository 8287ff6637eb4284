// The page on which a person decides about entries one after the other, with the data of the server that served it.

import { startDeciding } from "./decide/deciding_app.js";
import { serverData } from "./server_data.js";

const SERVER_ENDED = "If the command has ended, all decisions that were acknowledged are kept: run it again, and it prints a new link.";

// The data of the page: { state, shown, preview, decide, heard }.
function decisionSource() {
  const { get, post } = serverData(SERVER_ENDED);
  return {
    state: (revision) => get("state", revision === undefined ? {} : { revision }),
    shown: (number) => get("shown", { number }),
    preview: (number, edited) => post("preview", { number, edited }),
    decide: (number, revision, decision) => post("decide", { number, revision, ...decision }),
    heard: () => post("heard", {}),
  };
}

const decidingRoot = document.getElementById("app");
if (decidingRoot) startDeciding(decisionSource(), decidingRoot);
