// The source of the editor over any way to ask: functions that get and send data by name.

export function sourceOf({ get, post }, isWidget) {
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
    similar: (number) => get("similar", { number }),
  };
}
