// The panel in which an entry is edited before it is decided: the form, what the edit would make of the entry, and why it
// is refused.

import { el, fill, named } from "../dom.js";
import { editForm } from "./edit_forms.js";

const PAUSE_BEFORE_PREVIEW = 250;

// `preview(edited)` is a promise of parts, or null where edits are not previewed; `show(parts)` shows them, null those of
// the entry itself; `keep(edited)` decides; `cancel()` closes the panel.
export class EditPanel {
  #turn = 0;
  #timer = null;

  constructor(edit, { preview, show, keep, cancel, changed }) {
    Object.assign(this, { preview, show, keep, changed });
    this.form = editForm(edit, () => this.#edited());
    this.refusal = el("p.refusal", { role: "status" });
    const submit = (event) => {
      event.preventDefault();
      this.submit();
    };
    const buttons = [
      el("button.keep", { type: "submit" }, "Keep this edit ", el("kbd", "Ctrl"), "+", el("kbd", "Enter")),
      el("button", { type: "button", onclick: cancel }, "Cancel ", el("kbd", "Esc")),
    ];
    this.element = el("form.edit-panel", { "aria-label": "Edit", onsubmit: submit, onkeydown: (event) => this.#pressed(event, cancel) },
      this.form.element, this.refusal, el("div.toggles", buttons));
    if (preview) this.#preview();
  }

  focus() {
    this.form.focus();
  }

  submit() {
    this.#stop();
    this.keep(this.form.value());
  }

  refuse({ message, hint }) {
    fill(this.refusal, message ? [el("strong", named(message)), hint ? [" ", named(hint)] : null] : null);
  }

  close() {
    this.#stop();
    if (this.preview) this.show(null);
  }

  #pressed(event, cancel) {
    const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isSubmit && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isSubmit) this.submit();
    else cancel();
  }

  #edited() {
    this.changed(this.form.value());
    if (!this.preview) return;
    this.#stop();
    this.#timer = setTimeout(() => this.#preview(), PAUSE_BEFORE_PREVIEW);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  async #preview() {
    const turn = (this.#turn += 1);
    try {
      const { parts } = await this.preview(this.form.value());
      if (turn !== this.#turn) return;
      this.refuse({});
      this.show(parts);
    } catch (problem) {
      if (turn === this.#turn) this.refuse(problem);
    }
  }
}
