// Keys of commands, as words: "Ctrl+Shift+Enter", "Alt+S", "F1".

const KEY_WORDS = { ArrowUp: "\u2191", ArrowDown: "\u2193", PageUp: "Page Up", PageDown: "Page Down", " ": "Space" };

// The key of an event; "" where it writes a character. Letters behind Alt are those of the keyboard, whatever they write.
export function keyOfEvent(event) {
  const { ctrlKey, metaKey, altKey, shiftKey, key, code } = event;
  if (event.isComposing || event.getModifierState?.("AltGraph")) return "";
  const name = altKey && /^Key[A-Z]$/.test(code) ? code.slice(3) : key.length === 1 ? key.toUpperCase() : key;
  const isSign = name.length === 1 && !/[A-Z]/.test(name);
  const before = [(ctrlKey || metaKey) && "Ctrl", altKey && "Alt", shiftKey && !isSign && "Shift"].filter(Boolean);
  return [...before, name].join("+");
}

// A key as it is shown to people.
export function shownKey(key) {
  return key.split("+").map((part) => KEY_WORDS[part] ?? part).join("+");
}
