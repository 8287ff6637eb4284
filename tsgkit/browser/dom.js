// Elements and texts. Everything from data becomes a text node or a checked attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "tspan", "title", "desc", "defs", "marker", "image"]);
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// Text as it is shown: control and direction characters are written as escapes.
export function inert(text) {
  return String(text).replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// An element: el("td.number", { title: "..." }, "text", another). Functions under on... are listeners; false, null and
// undefined leave an attribute or a child out.
export function el(kind, ...rest) {
  const [name, ...classes] = kind.split(".");
  const element = SHAPES.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const part of rest.flat(Infinity)) {
    if (part === null || part === undefined || part === false) continue;
    if (part instanceof Node) element.append(part);
    else if (typeof part === "object") attributes(element, part);
    else element.append(document.createTextNode(inert(part)));
  }
  return element;
}

function attributes(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : inert(value));
  }
}

// A name from data: it keeps its direction to itself.
export function named(text) {
  return el("bdi", text);
}

// The children of an element replaced by others.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((one) => one || one === 0).map((one) => (one instanceof Node ? one : document.createTextNode(inert(one)))));
  return element;
}

const FIELDS_FOR_WORDS = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const NOT_FOR_WORDS = new Set(["checkbox", "radio", "button"]);

// True where keys are text: a field for words, or a choice from a list.
export function isField(element) {
  return element.isContentEditable || (FIELDS_FOR_WORDS.has(element.tagName) && !NOT_FOR_WORDS.has(element.type));
}
