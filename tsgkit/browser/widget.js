// The editor in a notebook: render() draws it into the output of a cell; its requests are messages to the kernel.

import { drawEditor } from "./edit/editor.js";
import { messageRequests } from "./messages.js";

export function render({ model, el: root }) {
  const { get, post, end } = messageRequests(model);
  const close = drawEditor(root, { get, post: counted(post, model) }, true);
  return () => {
    close();
    end();
  };
}

// The same, with the revision as state of the widget: a notebook that runs cells anew when it changes takes note of it.
function counted(post, model) {
  return async (name, body) => {
    const answer = await post(name, body);
    if (name === "edit" && model.get("revision") !== answer.revision) {
      model.set("revision", answer.revision);
      model.save_changes();
    }
    return answer;
  };
}
