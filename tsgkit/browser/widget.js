// The editor in a notebook: render() draws it into the output of a cell; its requests are messages to the kernel.

import { drawEditor } from "./edit/editor.js";
import { messageRequests } from "./messages.js";
import { sourceOf } from "./edit/edit_source.js";

export function render({ model, el: root }) {
  const { get, post, end } = messageRequests(model);
  const close = drawEditor(root, sourceOf({ get, post }, true));
  return () => {
    close();
    end();
  };
}
