// The source of the editor over any way to ask: functions that get and send data by name.

const DRAWINGS_KEPT = 200;

export function sourceOf({ get, post }, isWidget) {
  const drawings = new Map();
  const draw = (triplets, marks = []) => {
    const key = JSON.stringify([triplets, marks]);
    if (drawings.size > DRAWINGS_KEPT) drawings.clear();
    if (!drawings.has(key)) {
      drawings.set(key, post("draw", { triplets, marks }));
      drawings.get(key).catch(() => drawings.delete(key));
    }
    return drawings.get(key);
  };
  return {
    isWidget,
    document: () => get("document"),
    item: (number) => get("item", { number }),
    edit: (number, revision, ops) => post("edit", { number, revision, ops }),
    save: (options) => post("save", options),
    setStatus: (number, status, note) => post("status", { number, status, note }),
    changes: (since) => get("changes", { since }),
    versions: (number, other) => get("versions", { number, other }),
    resolve: (how) => post("resolve", { how }),
    draw,
    similar: (number) => get("similar", { number }),
  };
}
