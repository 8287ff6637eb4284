// Boxes on an image or on an empty ground.

import { el, named } from "../dom.js";

const BOX_SIGNS = { right: "\u2713", wrong: "\u2717", missing: "\u2013" };
const EMPTY_GROUND = 1000;

export function drawBoxes(value, imageURL) {
  const boxes = value.boxes || [], notes = value.notes || [], source = value.image ? imageURL(value.image) : "";
  const width = value.width || EMPTY_GROUND, height = value.height || EMPTY_GROUND;
  const ground = el("div.box-ground", { style: { "aspect-ratio": `${width} / ${height}`, "--box-ratio": width / height } },
    source ? el("img", { src: source, alt: boxes.length ? "" : "the image of this sample" }) : null,
    boxes.map((box) => drawBox(box, width, height)));
  const missing = value.image && !source ? el("p.panel-note", "The image is not in this file.") : null;
  return el("div.boxes", ground, missing, notes.map((note) => el("p.panel-note", note)), boxes.length ? boxList(boxes) : null);
}

function drawBox(box, width, height) {
  const share = (part, whole) => `${(100 * part) / whole}%`;
  const style = { left: share(box.x, width), top: share(box.y, height), width: share(box.width, width), height: share(box.height, height) };
  return el(`div.box.${boxState(box)}`, { style, title: box.label, "data-name": box.label, "aria-hidden": "true" },
    el("span.box-label", signedLabel(box)));
}

function boxState({ state }) {
  return state in BOX_SIGNS ? `is-${state}` : "is-plain";
}

function signedLabel({ label, state }) {
  return [state in BOX_SIGNS ? `${BOX_SIGNS[state]} ` : "", named(label)];
}

// The boxes as a list, which says what the drawing shows.
function boxList(boxes) {
  const whole = (number) => Math.round(number * 10) / 10;
  const lines = boxes.map((box) => el(`li.box-line.${boxState(box)}`, { "data-name": box.label }, signedLabel(box), box.state ? ` (${box.state})` : "",
    el("span.panel-note", ` x ${whole(box.x)}\u2013${whole(box.x + box.width)}, y ${whole(box.y)}\u2013${whole(box.y + box.height)}`)));
  return el("details.box-list", el("summary", `${boxes.length} ${boxes.length === 1 ? "box" : "boxes"}`), el("ul", lines));
}

// Mark the boxes under an element that have one of these names, and no others.
export function markBoxes(root, names) {
  const wanted = new Set(names);
  for (const one of root.querySelectorAll(".box, .box-line")) one.classList.toggle("is-named", wanted.has(one.dataset.name));
  root.querySelector(".box.is-named")?.scrollIntoView({ block: "nearest" });
}
