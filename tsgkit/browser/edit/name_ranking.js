// Ranking of the names that complete what was typed.

const MOST_SHOWN = 12;
const UNLIKELY = 1e6;

// The names that fit, the best first: at their beginning, at the beginning of one of their words, anywhere. Among those
// that fit equally well, likely ones come first, in their own order.
export function rankedNames(names, typed, likely = []) {
  const wanted = typed.trim().toLowerCase(), order = new Map(likely.map((name, place) => [name, place]));
  const ranked = [];
  names.forEach((name, place) => {
    const fit = fitOf(name.toLowerCase(), wanted);
    if (fit >= 0) ranked.push({ name, fit, likely: order.get(name) ?? UNLIKELY, place });
  });
  ranked.sort((one, other) => one.fit - other.fit || one.likely - other.likely || one.place - other.place);
  return ranked.slice(0, MOST_SHOWN).map(({ name }) => name);
}

function fitOf(name, wanted) {
  if (!wanted) return 1;
  if (name === wanted) return 0;
  const at = name.indexOf(wanted);
  if (at <= 0) return at === 0 ? 1 : -1;
  return ["-", "_", " "].some((mark) => name.includes(mark + wanted)) ? 2 : 3;
}
