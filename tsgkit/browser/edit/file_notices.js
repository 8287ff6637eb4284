// What the editor's notices say about the server, other browsers and the file, with the answers to them.

import { showConflict } from "./version_view.js";

export function noteLost(editor, problem) {
  const words = problem.isGone ? "The server does not answer. Go on editing: edits are kept here and sent when it is back." : problem.message;
  editor.views.notices.put("server", { kind: "problem", words, hint: problem.isGone ? "" : problem.hint });
}

export function noteRefusedEdit(editor, session, problem) {
  const answers = [{ words: "Try again", run: () => session.sync.flush() }];
  editor.views.notices.put("sending", {
    kind: "problem", words: `An edit was not accepted: ${problem.message}`, hint: `${problem.hint} It is kept here; undo takes it back.`, answers,
  });
}

export function noteConflict(editor, session) {
  const key = `conflict-${session.number}`;
  const answer = (which) => {
    session.settle(which === "theirs");
    editor.views.notices.put(key, null);
    editor.paint();
  };
  const answers = [
    { words: "Compare", run: () => showConflict(editor, session, answer) },
    { words: "Take theirs", run: () => answer("theirs") },
    { words: "Keep mine", run: () => answer("mine") },
  ];
  const words = `Another browser edited ${editor.document.items[session.number].item} at the same time.`;
  editor.views.notices.put(key, { kind: "problem", words, hint: "Your edits are kept here until you decide.", answers });
}

// Edits that were found in the draft of a server that ended, each set once.
export function noteRestored(editor) {
  const { restored } = editor.document;
  if (!restored || editor.restored === restored.time) return;
  editor.restored = restored.time;
  const words = `${restored.edits} ${restored.edits === 1 ? "edit that was not saved was" : "edits that were not saved were"} restored.`;
  editor.views.notices.put("restored", { words, hint: "Save keeps them in the file.", canClose: true });
}

export function noteDisk(editor) {
  const answers = [{ words: "Compare", run: () => editor.showVersions("disk") }, ...diskAnswers(editor)];
  const notice = { kind: "problem", words: "The file changed on disk since it was read.", hint: "It is not overwritten until you decide.", answers };
  editor.views.notices.put("disk", editor.document.disk ? notice : null);
}

export function diskAnswers(editor) {
  return [{ words: "Keep mine", run: () => editor.resolve("mine") }, { words: "Take theirs", run: () => editor.resolve("theirs") }];
}

export function noteProblem(editor, key, problem, { before = "", again, canClose = false }) {
  if (problem.name !== "SourceProblem") console.error(problem);
  const answers = [{ words: "Try again", run: again }];
  editor.views.notices.put(key, { kind: "problem", words: `${before}${problem.message}`, hint: problem.hint, answers, canClose });
}
