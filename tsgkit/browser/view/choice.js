// The samples that an address chooses: what the list shows, and what a sample is followed by; labels by sample.

import { SampleIndex, chosenSamples, sampleColumns } from "./selection.js";

const AT_ONCE = 4;

// The run's samples, indexed once for each state of the run.
export function indexOf(app, id) {
  return app.store.derived(id, "index", async () => {
    const [run, samples] = await Promise.all([app.store.ask("run", id), app.store.ask("samples", id)]);
    return new SampleIndex(run, samples);
  });
}

// The labels that count as the reader's, by sample: their own where they annotate, which is known once the runs are, else
// everybody's.
export async function labelled(app, id) {
  await app.store.known();
  const { annotator } = app.source, { labels } = await app.store.ask("labels", id);
  return Map.groupBy(labels.filter(({ rater }) => !annotator || rater === annotator), ({ number }) => number);
}

// The columns of a run's samples, that of labels included where there are some.
export function columnsWithLabels(index, bySample) {
  const labelOf = bySample && ((number) => verdictOfSample(bySample.get(number)));
  return sampleColumns(index, labelOf);
}

// A test of samples by their labels, or null where the query asks for none.
export async function labelTest(app, id, index, query) {
  const asked = query.get("label");
  if (!asked) return null;
  const bySample = await labelled(app, id);
  if (asked === "labelled") return (number) => bySample.has(number);
  if (asked === "unlabelled") return (number) => !bySample.has(number);
  const disputed = await disagreements(app, id, index, bySample);
  return (number) => disputed.has(number);
}

// Numbers that the source finds for the free text of a query, or null where it has none.
export async function foundText(app, id, query) {
  if (!query.has("q")) return null;
  return new Set((await app.store.ask("search", id, query.get("q"))).numbers);
}

// The numbers that a query chooses, in its order. The last choice of a run is kept, for going from sample to sample.
export async function chosenBy(app, id, query) {
  const key = JSON.stringify([...query].filter(([name]) => !["at", "columns"].includes(name)).sort());
  return app.store.derived(id, `chosen ${key}`, async () => {
    const index = await indexOf(app, id);
    const [hits, labels] = await Promise.all([foundText(app, id, query), labelTest(app, id, index, query)]);
    const bySample = query.get("sort")?.endsWith("label") ? await labelled(app, id) : null;
    return { index, ...chosenSamples(index, query, columnsWithLabels(index, bySample), { hits, labels }) };
  });
}

// One word for a sample's labels; of several questions, "wrong" if any is.
function verdictOfSample(labels) {
  if (!labels?.length) return null;
  const verdicts = new Set(labels.map((label) => label.verdict));
  return ["wrong", "unsure", "right"].find((verdict) => verdicts.has(verdict)) ?? null;
}

// True, false, or null where only the sample's own verdicts tell.
function disagreesWithMark(label, mark) {
  if (label.verdict === "unsure" || mark === "m" || mark === "?") return false;
  if (!label.question) return (label.verdict === "right") !== (mark === "r");
  return null;
}

export function disagrees(label, verdict) {
  return label.verdict !== "unsure" && typeof verdict?.right === "boolean" && (label.verdict === "right") !== verdict.right;
}

// The numbers of samples with a label that contradicts the score. Labels of single questions are compared with the
// verdicts of the sample, which is asked for.
async function disagreements(app, id, index, bySample) {
  const disputed = new Set();
  const open = [];
  for (const [number, labels] of bySample) {
    const contradictions = labels.map((label) => disagreesWithMark(label, index.samples.mark[number]));
    if (contradictions.includes(true)) disputed.add(number);
    else if (contradictions.includes(null)) open.push([number, labels]);
  }
  while (open.length) {
    const part = open.splice(0, AT_ONCE);
    const samples = await Promise.all(part.map(([number]) => app.store.sample(id, number)));
    part.forEach(([number, labels], place) => {
      const verdicts = new Map(samples[place].verdicts.map((verdict) => [verdict.question, verdict]));
      if (labels.some((label) => disagrees(label, verdicts.get(label.question)))) disputed.add(number);
    });
  }
  return disputed;
}
