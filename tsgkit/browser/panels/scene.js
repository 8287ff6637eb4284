// A room in 3D: it can be turned, and its objects and remarks can be clicked. The element frees its WebGL context when it
// leaves the page, and draws again where it comes back.

import { el, fill, named } from "../dom.js";
import { SceneCamera } from "./scene_camera.js";
import { SceneRoom, boundsOf, decodedPart } from "./scene_room.js";

const REMARK_SIGNS = { true: "\u2713", false: "\u2717", null: "?" };
const SCENE_HELP = "Drag to turn, shift and drag to move; once clicked, the wheel or + and - come closer. Click a thing to name it.";
const NO_WEBGL = "This browser has no WebGL, so the room cannot be drawn in 3D; its objects and remarks are listed.";
const LOST = "The browser has taken the 3D drawing away, as it does if there are too many; reload the page to see it again.";

// A scene; `fallback` is shown where there is no WebGL, `heading` is the element of the titles of its lists.
export function drawScene(value, { fallback = null, heading = "h4" } = {}) {
  const view = new SceneView(value, heading);
  const stage = el("scene-stage");
  Object.assign(stage, { began: () => view.begin(stage, fallback), ended: () => view.end() });
  return el("div.scene", el("div.scene-view", stage, view.help), el("div.scene-side", view.chosenText, view.controls(), view.lists()));
}

// The place of the canvas, which knows when it enters and leaves the page.
class SceneStage extends HTMLElement {
  connectedCallback() {
    this.began?.();
  }

  disconnectedCallback() {
    this.ended?.();
  }
}

class SceneView {
  constructor(value, heading) {
    this.parts = (value.parts || []).map(decodedPart);
    this.sections = value.sections || [];
    this.heading = heading;
    this.camera = new SceneCamera(boundsOf(this.parts));
    this.chosen = new Set();
    this.entries = [];
    this.room = null;
    this.chosenText = el("p.scene-chosen", { role: "status" }, "Nothing is chosen.");
    this.help = el("p.scene-help", SCENE_HELP);
    this.walls = el("input", { type: "checkbox", checked: true, onchange: () => this.draw() });
  }

  // ---- beside the room ----

  controls() {
    const above = () => {
      this.camera.fromAbove();
      this.draw();
    };
    return el("p.scene-controls", el("label", this.walls, " leave out walls that are in the way"), " ",
      el("button", { type: "button", onclick: above }, "from above"));
  }

  lists() {
    const things = this.parts.filter((part) => part.object);
    return [
      this.sections.map(({ title, remarks }) => this.list(title, remarks.map((remark) => this.remark(remark)))),
      this.list("Objects", things.map((part) => this.entry(labelOfPart(part), [part.name]))),
    ];
  }

  list(title, entries) {
    return el("section", el(this.heading, title), el("ol.scene-entries", entries));
  }

  remark({ text, holds, objects, why }) {
    const words = `${REMARK_SIGNS[String(holds)] ?? "?"} ${text}`;
    return this.entry(words, objects, `${words}\n${why}`, `is-${holds}`);
  }

  entry(text, names, why = "", state = "is-plain") {
    const own = { names, why };
    own.button = el(`button.${state}`, { type: "button", "aria-pressed": "false", onclick: () => this.choose(names, own) }, named(text));
    this.entries.push(own);
    return el("li", own.button);
  }

  // Choose objects by their names; a second time, nothing.
  choose(names, entry = this.entries.find((one) => !one.why && one.names[0] === names[0]) || null) {
    this.pressed = entry === this.pressed ? null : entry;
    this.chosen = new Set(this.pressed || !entry ? names : []);
    const words = this.pressed?.why || [...this.chosen].map((name) => this.described(name)).join("\n\n");
    fill(this.chosenText, words || "Nothing is chosen.");
    for (const one of this.entries) one.button.setAttribute("aria-pressed", String(one === this.pressed));
    this.draw();
  }

  described(name) {
    const part = this.parts.find((one) => one.name === name);
    if (!part || !part.object) return name;
    const size = part.size.map((number) => number.toFixed(2)).join(" \u00d7 "), place = part.place.map((number) => number.toFixed(2)).join(", ");
    const lines = [labelOfPart(part), part.about, `wide, deep, high: ${size} m`, `middle at ${place}, turned ${part.yaw}\u00b0`];
    return [...lines, ...part.problems].filter(Boolean).join("\n");
  }

  // ---- the room ----

  begin(stage, fallback) {
    this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": "the room; drag or use the arrow keys to turn it" });
    this.room = new SceneRoom(this.canvas, this.parts);
    if (!this.room.gl) {
      this.room = null;
      fill(this.help, NO_WEBGL);
      fill(stage, fallback);
      return;
    }
    fill(stage, this.canvas);
    this.listen();
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.canvas);
    this.resize();
  }

  end() {
    this.sizes?.disconnect();
    const { room } = this;
    this.room = null;
    room?.free();
  }

  resize() {
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * devicePixelRatio));
    this.draw();
  }

  draw() {
    if (!this.room || this.isWanted) return;
    this.isWanted = true;
    requestAnimationFrame(() => {
      this.isWanted = false;
      this.room?.draw(this.camera, { chosen: this.chosen, hidesWalls: this.walls.checked });
    });
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => (this.held = null));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("webglcontextlost", () => this.room && fill(this.help, LOST));
  }

  grab(event) {
    this.held = [event.clientX, event.clientY];
    this.distance = 0;
    this.canvas.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.held) return;
    const across = event.clientX - this.held[0], down = event.clientY - this.held[1];
    this.held = [event.clientX, event.clientY];
    this.distance += Math.abs(across) + Math.abs(down);
    if (event.shiftKey) this.camera.moved(across, down, this.canvas.clientHeight);
    else this.camera.turned(-across * 0.008, down * 0.008);
    this.draw();
  }

  release(event) {
    this.held = null;
    if (this.distance > 4 || !this.room) return;
    const box = this.canvas.getBoundingClientRect(), scale = this.canvas.width / box.width;
    const x = Math.floor((event.clientX - box.left) * scale), y = Math.floor((event.clientY - box.top) * scale);
    const name = this.room.under(x, y, this.camera, this.walls.checked);
    this.choose(name === null ? [] : [name]);
  }

  // The wheel scrolls the page unless the room has the focus.
  wheel(event) {
    if (document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.camera.zoomed(Math.exp(event.deltaY * 0.001));
    this.draw();
  }

  key(event) {
    const { camera } = this;
    const keys = {
      ArrowLeft: () => camera.turned(-0.1, 0), ArrowRight: () => camera.turned(0.1, 0), ArrowUp: () => camera.turned(0, 0.1),
      ArrowDown: () => camera.turned(0, -0.1), "+": () => camera.zoomed(0.9), "-": () => camera.zoomed(1 / 0.9),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
    this.draw();
  }
}

function labelOfPart(part) {
  return part.category ? `${part.name} (${part.category})` : part.name;
}

if (!customElements.get("scene-stage")) customElements.define("scene-stage", SceneStage);
