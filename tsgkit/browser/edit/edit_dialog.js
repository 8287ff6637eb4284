// Dialogs of the editor: they lie inside its root, and the focus returns to where it was.

import { el } from "../dom.js";

let dialogCount = 0;

// Open a dialog with a title. `onPaint` is called when the editor shows an edit or its undo, `onClose` when the dialog is
// closed, after the focus is back. What the editor says meanwhile is said in the dialog: the rest of the page is inert.
export function openDialog(editor, title, content, { kind = "small", onPaint = () => {}, onClose = () => {} } = {}) {
  const id = `dialog-title-${(dialogCount += 1)}`, before = editor.activeElement;
  const dialog = el(`dialog.editor-dialog.is-${kind}`, { "aria-labelledby": id, onclose: () => close() },
    el("div.dialog-head", el("h2", { id }, title), el("button", { type: "button", onclick: () => dialog.close() }, "Close")), content);
  dialog.said = dialog.appendChild(el("p.said", { role: "status" }));
  dialog.onPaint = onPaint;
  const close = () => {
    dialog.remove();
    (before?.isConnected ? before : editor.frame).focus({ preventScroll: true });
    onClose();
    dialog.afterwards?.();
  };
  editor.frame.append(dialog);
  dialog.showModal();
  return dialog;
}

// Close a dialog, then do something, with the focus where it was before.
export function closeDialog(dialog, afterwards) {
  dialog.afterwards = afterwards;
  dialog.close();
}

// Ask a question with some answers; the promise is the name of the answer, or null.
export function askInDialog(editor, title, content, answers) {
  return new Promise((resolve) => {
    let answer = null;
    const buttons = Object.entries(answers).map(([name, words]) => el("button", { type: "button", onclick: () => {
      answer = name;
      dialog.close();
    } }, words));
    const dialog = openDialog(editor, title, [content, el("div.command-bar", buttons)], { onClose: () => resolve(answer) });
    buttons[0].focus();
  });
}
