// The samples that an address chooses: what the list shows, and what a sample is followed by.

import { sampleColumns } from "./columns.js";
import { disagreements, labelsBySample, verdictOfSample } from "./label_sets.js";
import { chosenSamples, SampleIndex } from "./selection.js";

// The run's samples, indexed once for each state of the run.
export function indexOf(app, id) {
  return app.store.derived(id, "index", async () => {
    const [run, samples] = await Promise.all([app.store.run(id), app.store.samples(id)]);
    return new SampleIndex(run, samples);
  });
}

// Labels by sample; whose labels they are is known once the runs are.
export async function labelled(app, id) {
  await app.store.known();
  return labelsBySample(app, await app.store.labels(id));
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
  const found = await disagreements(app, id, index, bySample);
  return (number) => found.has(number);
}

// Numbers that the source finds for the free text of a query, or null where it has none.
export async function foundText(app, id, query) {
  if (!query.has("q")) return null;
  return new Set((await app.store.search(id, query.get("q"))).numbers);
}

// The numbers that a query chooses, in its order. The last choice of a run is kept, for going from sample to sample.
export async function chosenBy(app, id, query) {
  const key = JSON.stringify([...query].filter(([name]) => !["at", "columns"].includes(name)).sort());
  return app.store.derived(id, `chosen ${key}`, async () => {
    const index = await indexOf(app, id);
    const [found, labels] = await Promise.all([foundText(app, id, query), labelTest(app, id, index, query)]);
    const bySample = query.get("sort")?.endsWith("label") ? await labelled(app, id) : null;
    return { index, ...chosenSamples(index, query, columnsWithLabels(index, bySample), { found, labels }) };
  });
}
