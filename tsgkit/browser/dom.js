// Elements and texts. Everything from data becomes a text node or a checked attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "tspan", "title", "desc", "defs", "marker", "image"]);
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// Text as it is shown: control and direction characters are written as escapes.
export function inert(text) {
  return String(text).replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// "1 graph", "2 graphs"
export function countWords(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
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

// Texts from data as a list; null where there are none.
export function textList(texts) {
  return texts?.length ? el("ul", texts.map((text) => el("li", named(text)))) : null;
}

// Parts with commas between them.
export function commaSeparated(parts) {
  return parts.flatMap((part, place) => (place ? [", ", part] : [part]));
}

// A function that remembers its values by its argument, an object, as long as that lives.
export function remembered(valueOf) {
  const values = new WeakMap();
  return (argument) => {
    if (!values.has(argument)) values.set(argument, valueOf(argument));
    return values.get(argument);
  };
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

export function relabel(element, text) {
  const shown = inert(text);
  if (element.textContent !== shown) element.textContent = shown;
}

export function setAttributeOf(element, name, value) {
  const wanted = value === null || value === false ? null : value === true ? "" : inert(value);
  if (wanted === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
}

// Members of a list brought to as many as there are values: `make()` gives one with an `element`, and its
// `update(value, place)` shows a value.
export function updateMembers(host, members, values, make) {
  while (members.length > values.length) members.pop().element.remove();
  values.forEach((value, place) => {
    if (!members[place]) {
      members.push(make());
      host.append(members[place].element);
    }
    members[place].update(value, place);
  });
}

// Scroll a container, and nothing else, so that one of its elements is seen. What comes near is laid out only then and may
// move the element, so it is looked at again.
export function reveal(container, element, times = 4) {
  const around = container.getBoundingClientRect(), box = element.getBoundingClientRect();
  const down = box.top < around.top ? box.top - around.top - 8 : Math.max(0, box.bottom - around.bottom + 8);
  const right = box.left < around.left ? box.left - around.left - 8 : Math.max(0, box.right - around.right + 8);
  if (!down && !right) return;
  container.scrollTop += down;
  container.scrollLeft += right;
  if (times) requestAnimationFrame(() => element.isConnected && reveal(container, element, times - 1));
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// The children of a host, by their keys: a block { key, sign, make } is made anew only where its sign differs from the
// one before. Focus inside a block that is made anew goes to the same place in the new one.
export function repaint(host, blocks) {
  const before = new Map([...host.children].map((child) => [child.dataset.block, child]));
  let last = null;
  for (const { key, sign, make } of blocks) {
    const old = before.get(key);
    const child = old?.blockSign === sign ? old : madeBlock(make(), key, sign);
    if (old && old !== child) exchange(old, child);
    before.delete(key);
    const wanted = last ? last.nextElementSibling : host.firstElementChild;
    if (child !== wanted) host.insertBefore(child, wanted);
    last = child;
  }
  before.forEach((child) => child.remove());
  while (host.firstChild && !host.firstElementChild) host.firstChild.remove();
}

function madeBlock(element, key, sign) {
  element.dataset.block = key;
  element.blockSign = sign;
  return element;
}

function exchange(old, child) {
  const place = [...old.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  const open = [...old.querySelectorAll("details")].map((one) => one.open);
  old.replaceWith(child);
  [...child.querySelectorAll("details")].forEach((one, at) => (one.open = open[at] ?? one.open));
  if (place >= 0) child.querySelectorAll(FOCUSABLE)[place]?.focus({ preventScroll: true });
}
