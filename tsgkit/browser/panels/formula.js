// A formula as a tree of its parts. A click on a part says which boxes it names, by the event "names".

import { el, named } from "../dom.js";

const HOLDS = { true: ["\u2713", "holds"], false: ["\u2717", "does not hold"], null: ["?", "not decided"] };

export function drawFormula(value) {
  const root = el("ul.formula", drawPart(value.tree));
  root.addEventListener("click", (event) => pressPart(root, event.target.closest("button.part-text")));
  return el("div.scrolled", { tabindex: 0, role: "group", "aria-label": "formula" }, root);
}

function drawPart(part) {
  const [sign, word] = HOLDS[String(part.holds ?? null)] || HOLDS.null;
  const names = part.names || [], parts = part.parts || [], text = el("code", named(part.text));
  const said = names.length
    ? el("button.part-text", { type: "button", "aria-pressed": "false", "data-names": JSON.stringify(names), title: `about ${names.join(", ")}` }, text)
    : el("span.part-text", text);
  return el(`li.part.is-${part.holds ?? "null"}`,
    el("span.state-sign", { role: "img", "aria-label": word }, sign), " ", said,
    part.why ? el("p.part-why", part.why) : null,
    parts.length ? el("ul", parts.map(drawPart)) : null);
}

function pressPart(root, button) {
  if (!button) return;
  const isPressed = button.getAttribute("aria-pressed") !== "true";
  for (const one of root.querySelectorAll("button.part-text")) one.setAttribute("aria-pressed", String(one === button && isPressed));
  const names = isPressed ? JSON.parse(button.dataset.names) : [];
  root.dispatchEvent(new CustomEvent("names", { bubbles: true, detail: { names } }));
}
