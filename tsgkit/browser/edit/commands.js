// Commands of the editor: { name, words, keys, group, run, isPossible, why }. `why` says why one is not possible.

// A function that makes the commands of a group; `isUsual` is what most of them need.
export function commandsOf(group, isUsual) {
  return (name, keys, words, run, isPossible = isUsual, why = undefined) => ({ group, name, keys, words, run, isPossible, why });
}

// A function that makes what a command runs: a change of the current item, told in words.
export function changesOf(editor) {
  return (words, make, why) => () => editor.change(make(editor.session.value, editor.session.place), words, why);
}
