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
