// Labels of a run by sample, and where they disagree with the scores.

const AT_ONCE = 4;

// The labels that count as the reader's: their own where they annotate, else everybody's.
export function labelsBySample(app, labels) {
  const found = new Map();
  for (const label of labels.labels) {
    if (app.source.annotator && label.rater !== app.source.annotator) continue;
    found.set(label.number, [...(found.get(label.number) ?? []), label]);
  }
  return found;
}

// One word for a sample's labels; of several questions, "wrong" if any is.
export function verdictOfSample(labels) {
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
export async function disagreements(app, id, index, bySample) {
  const found = new Set();
  const open = [];
  for (const [number, labels] of bySample) {
    const told = labels.map((label) => disagreesWithMark(label, index.samples.mark[number]));
    if (told.includes(true)) found.add(number);
    else if (told.includes(null)) open.push([number, labels]);
  }
  while (open.length) {
    const part = open.splice(0, AT_ONCE);
    const samples = await Promise.all(part.map(([number]) => app.store.sample(id, number)));
    part.forEach(([number, labels], place) => {
      const verdicts = new Map(samples[place].verdicts.map((verdict) => [verdict.question, verdict]));
      if (labels.some((label) => disagrees(label, verdicts.get(label.question)))) found.add(number);
    });
  }
  return found;
}
