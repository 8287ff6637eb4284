// Values as bars with their intervals, drawn without a scale; the numbers stand beside them.

import { el } from "../dom.js";

// Values of one bar: strict in full, official lighter below it. `reach` is the scale's [lowest, highest].
export function meter(strict, official = null, reach = [0, 1]) {
  const parts = [strict && bar(strict, reach, official ? [1, 7] : [3, 10], "strict")];
  if (official) parts.push(bar(official, reach, [8, 14], "official"));
  const axis = el("line.axis", { x1: "0", x2: "100", y1: "15.5", y2: "15.5" });
  return el("svg.meter", { viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, axis, parts);
}

function bar(value, [lowest, highest], [top, bottom], profile) {
  const at = (one) => (100 * Math.min(Math.max(one, lowest) - lowest, highest - lowest)) / (highest - lowest || 1);
  const middle = (top + bottom) / 2;
  const zero = at(0);
  const end = at(value.value);
  const shape = el(`rect.${profile}`, { x: Math.min(zero, end), width: Math.abs(end - zero), y: top, height: bottom - top });
  if (value.low === null || value.low === undefined) return shape;
  const [low, high] = [at(value.low), at(value.high)];
  return el("g", shape, el("path.around", { d: `M${low} ${middle}H${high}M${low} ${middle - 2}V${middle + 2}M${high} ${middle - 2}V${middle + 2}` }));
}

// The scale that a set of values needs: shares from 0 to 1, anything else from 0 to its highest.
export function reachOf(values, isShare) {
  if (isShare) return [0, 1];
  const all = values.filter(Boolean).flatMap((one) => [one.value, one.low, one.high]).filter((one) => typeof one === "number");
  return [Math.min(0, ...all), Math.max(0, ...all) || 1];
}
