// The editor as a page: data of the server that handed out this module.

import { drawEditor } from "./edit/editor.js";
import { serverData } from "./server_data.js";

const EDITING_HINT = "Is the command `tsgkit view --edit` still running?";
const LONGEST_WAIT = 20_000;

const app = document.getElementById("app");
if (app) drawEditor(app, serverData(EDITING_HINT, LONGEST_WAIT));
