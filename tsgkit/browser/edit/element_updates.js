// Updates of elements that are there already, made only where something differs.

import { inert } from "../dom.js";

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

// Scroll a container, and nothing else, so that one of its elements is seen.
export function reveal(container, element) {
  const around = container.getBoundingClientRect(), box = element.getBoundingClientRect();
  if (box.top < around.top) container.scrollTop += box.top - around.top - 8;
  else if (box.bottom > around.bottom) container.scrollTop += box.bottom - around.bottom + 8;
  if (box.left < around.left) container.scrollLeft += box.left - around.left - 8;
  else if (box.right > around.right) container.scrollLeft += box.right - around.right + 8;
}
