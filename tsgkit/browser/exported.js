// A page that is one file: the same view over data that lie in the page itself, in compressed blocks.

import { start } from "./view/app.js";

const MOST_KEPT = 24;

// The value of a block. A file that was cut or changed has broken ones.
async function unpacked(name) {
  const element = document.getElementById(`block-${name}`);
  if (!element) throw new Error(`The file lacks the block ${name}: it was cut or changed.`);
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// The data of the contract, out of the file.
export function fileSource() {
  const head = unpacked("head"), blocks = new Map(), shown = new Map();
  let folded = null;

  // A block; those that were asked for last are kept.
  const blockOf = (name) => {
    const block = blocks.get(name) ?? unpacked(name);
    blocks.delete(name);
    blocks.set(name, block);
    if (blocks.size > MOST_KEPT) blocks.delete(blocks.keys().next().value);
    return block;
  };
  const text = async (number) => {
    const { texts } = await head, block = texts.findLastIndex((first) => first <= number);
    return (await blockOf(`texts-${block}`))[number - texts[block]];
  };
  // A value with its texts in the places of the references to them.
  const whole = async (value) => {
    if (Array.isArray(value)) return Promise.all(value.map(whole));
    if (value === null || typeof value !== "object") return value;
    if ("$" in value) return text(value.$);
    if ("$json" in value) return JSON.parse(await text(value.$json));
    const parts = await Promise.all(Object.entries(value).map(async ([name, one]) => [name, await whole(one)]));
    return Object.fromEntries(parts);
  };
  const foldedTexts = async () => {
    const { texts } = await head, lowered = [];
    for (let block = 0; block < texts.length; block++) for (const one of await unpacked(`texts-${block}`)) lowered.push(one.toLowerCase());
    return lowered;
  };

  return {
    isLive: false,
    canLabel: false,
    annotator: "",
    runs: async () => (await head).runs,
    run: async () => (await head).run,
    groups: async (run, by) => (await head).groups[by] ?? { by, rows: [] },
    samples: () => unpacked("samples"),
    async sample(run, number) {
      const { samples_a_block: size } = await head;
      const block = await blockOf(`samples-${Math.floor(number / size)}`);
      if (!block[number % size]) throw new Error(`There is no sample ${number}.`);
      const value = await whole(block[number % size]);
      shown.set(number, value);
      if (shown.size > 200) shown.delete(shown.keys().next().value);
      return value;
    },
    async search(run, wanted) {
      folded ??= foldedTexts();
      const needle = wanted.toLowerCase(), all = await folded;
      const hits = new Set(all.flatMap((one, number) => (one.includes(needle) ? [number] : [])));
      const uses = await blockOf("search"), { reason } = await blockOf("samples");
      const numbers = uses.flatMap((of, number) => (of.some((one) => hits.has(one)) || reason[number].toLowerCase().includes(needle) ? [number] : []));
      return { numbers };
    },
    async comparison(first, second) {
      const { comparisons } = await head;
      const there = comparisons[`${first.row}/${second.row}`];
      const back = comparisons[`${second.row}/${first.row}`];
      if (there) return there;
      if (back) return turned(back);
      return { problem: comparisons.problem ?? "This pair is not in the file: tsgkit compare tests it." };
    },
    labels: async () => (await head).labels,
    saveLabel: async () => {
      throw new Error("Labels are saved in the live page: tsgkit view RUN.");
    },
    imageURL: (run, number, panel, name) => shown.get(number)?.panels[panel]?.images?.[name] ?? "",
  };
}

// A comparison seen from the other side.
function turned(one) {
  const minus = (value) => (value === null ? null : -value);
  return { ...one, first: one.second, second: one.first, difference: minus(one.difference), low: minus(one.high), high: minus(one.low) };
}

const app = document.getElementById("app");
if (app) {
  if (!location.hash) history.replaceState(null, "", app.dataset.address);
  start(fileSource(), app);
}
