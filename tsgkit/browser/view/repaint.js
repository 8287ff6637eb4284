// Repainting of what changed alone, so that focus and place on the page stay.

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
