// Operations that turn one value of an item into another: splices of lists, and fields that are set.

const SET_AS_A_WHOLE = new Set(["vocabulary"]);

// True for values that are the same, whatever parts they share.
export function sameValue(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]));
}

// The operations from one value to another, to be applied in order; none where they are the same.
export function operationsBetween(before, after) {
  return recordOperations(before, after, []) ?? [{ path: [], value: after }];
}

// The operations between two records; null where they do not have the same fields.
function recordOperations(before, after, path) {
  const keys = Object.keys(before);
  if (keys.length !== Object.keys(after).length || !keys.every((key) => Object.hasOwn(after, key))) return null;
  return keys.flatMap((key) => fieldOperations(before[key], after[key], [...path, key], key));
}

function fieldOperations(before, after, path, key) {
  if (sameValue(before, after)) return [];
  if (SET_AS_A_WHOLE.has(key)) return [{ path, value: after }];
  if (Array.isArray(before) && Array.isArray(after)) return listOperations(before, after, path);
  return [{ path, value: after }];
}

function listOperations(before, after, path) {
  const least = Math.min(before.length, after.length);
  let start = 0, end = 0;
  while (start < least && sameValue(before[start], after[start])) start += 1;
  while (end < least - start && sameValue(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const old = before.slice(start, before.length - end), inserted = after.slice(start, after.length - end);
  if (old.length === inserted.length && old.every(isRecord) && inserted.every(isRecord)) {
    return old.flatMap((one, place) => memberOperations(one, inserted[place], path, start + place));
  }
  return [{ path, start, removed: old.length, inserted }];
}

function memberOperations(before, after, path, place) {
  return recordOperations(before, after, [...path, place]) ?? [{ path, start: place, removed: 1, inserted: [after] }];
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
