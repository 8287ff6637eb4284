"""Settlement of the disagreements of two annotators: a queue of decisions that are kept at once, and the settled file.

    settling = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("settled.jsonl"), annotator="eve")
    if decide_in_browser(settling.queue, say=print):
        print(settling.write())

The file of decisions lies beside the settled file. It has a line for each decision, and one about the settled file
whenever that is written. A decision is found again by a hash of what was shown, so that changed inputs are asked about
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsgkit.errors import NotationError, TsgkitError, UsageError
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Description, Vocabulary
from tsgkit.graph.notation.json_triplets import graph_from, to_value
from tsgkit.graph.notation.limits import not_text
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.documents import formats
from tsgkit.library.documents.rewriter import UNREAD, losses, rewritten
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import (
    FORCE,
    STDIN,
    read_bytes,
    read_text,
    refuse_to_overwrite,
    refuse_to_overwrite_sources,
    write_text,
)
from tsgkit.report.annotated_items import Versions, joint
from tsgkit.report.plain_text import count
from tsgkit.runs.decisions import Decision, Decisions, shown_as
from tsgkit.serve.decision_protocol import (
    EDIT,
    Choice,
    DecisionQueue,
    EditForm,
    EntryPart,
    QueueItem,
    ShownEntry,
    elements_of,
)
from tsgkit.serve.disagreements import Disagreement, Matter, Merger, Value, json_value
from tsgkit.serve.edit_session import now
from tsgkit.serve.story_checks import mentioned

FIRST, SECOND, BOTH = "first", "second", "both"
ONLY_HERE = "extra"
"""The mark of a triplet without a counterpart in the other version."""
LISTS = {"object": "objects", "relationship": "relationships", "verb": "verbs"}
LEFT_OUT = {Matter.GRAPH: "no graph", Matter.TEXT: "no text", Matter.VOCABULARY: "no L"}
"""The kinds of parts that can be edited, and the words for none; others are kept or left out as a whole."""
Names = tuple[str, str]
"""The names of the two annotators."""


def decisions_file(settled: Path) -> Path:
    """Return the file of decisions beside a settled file.

    >>> decisions_file(Path("settled.jsonl")).as_posix()
    'settled.decisions.jsonl'
    """
    return settled.with_name(f"{settled.stem}.decisions.jsonl")


@dataclass(frozen=True)
class Summary:
    """The numbers of disagreements by what was chosen and by who decided."""

    disagreements: int
    chosen: dict[str, int]
    decided_by: dict[str, int]

    def __str__(self) -> str:
        """Return a line such as ``of 31 disagreements: ann 18, bob 9, edited 4; decided by eve``."""
        if not self.disagreements:
            return "no disagreements"
        chosen = ", ".join(f"{name} {number:,}" for name, number in self.chosen.items() if number)
        several = len(self.decided_by) > 1
        people = (f"{name} ({number:,})" if several else name for name, number in self.decided_by.items())
        return f"of {count(self.disagreements, 'disagreement')}: {chosen}; decided by {', '.join(people)}"


class Settling:
    """The disagreements of two versions as a queue of decisions, and the file that these lead to."""

    def __init__(self, versions: Versions, out: Path, annotator: str, *, force: bool = False) -> None:
        """Open the decisions made so far.

        Raise ``UsageError`` if the versions cannot be settled, or if something else lies in the place of a file.
        """
        if not annotator.strip():
            raise UsageError("decisions need the name of who decides", hint="--annotator NAME")
        _refuse_unreadable(versions)
        for path in (out, decisions_file(out)):
            refuse_to_overwrite_sources(path, versions.first.file, versions.second.file)
        self.versions, self.out, self._force = versions, out, force
        self._original = read_text(versions.first.file)
        self._merger = Merger(versions)
        self.disagreements = self._merger.disagreements
        self._decisions, (first, second) = Decisions(decisions_file(out)), versions.names
        self.queue = DecisionQueue(
            f"Disagreements of {first} and {second}",
            f"The settled version is written to {out.name}.",
            [QueueItem(shown_as(each.content), each.name, str(each.kind)) for each in self.disagreements],
            self._decisions,
            choices=lambda number: _choices(self.disagreements[number], versions.names),
            show=self._shown,
            record=self._record,
            labels={FIRST: first, SECOND: second, EDIT: "edited"},
            by=annotator.strip(),
        )
        lines = self._decisions.known
        if lines and not self._wrote_settled and not any(item.key in lines for item in self.queue.items):
            if not force:
                number = count(len(lines), "line")
                raise UsageError(f"{self._decisions.path}: {number} about something else already here", hint=FORCE)
            self._decisions.clear()
        values = self._values()
        text = self._text(values) if len(values) == len(self.disagreements) else None
        refuse_to_overwrite(out, force=force or self._wrote_settled, text=text)

    @property
    def _wrote_settled(self) -> bool:
        """True if the settled file that lies there is as this job wrote it."""
        return self.out.is_file() and self._decisions.find(checksum_of_bytes(read_bytes(self.out))) is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not decided, and what of the first file is not kept."""
        first = self.versions.first
        lost = (f"not kept of {first.file}: {what}" for what in losses(first, self._original))
        keys = {item.key for item in self.queue.items}
        unused = sum(key not in keys and "choice" in line for key, line in self._decisions.known.items())
        stale = [f"{count(unused, 'decision')} about earlier content of the files not used"] if unused else []
        return (*self._merger.notes(), *lost, *stale)

    def _shown(self, number: int) -> ShownEntry:
        disagreement, names, decision = self.disagreements[number], self.versions.names, self.queue.decision(number)
        text, before, after = disagreement.texts or ("", "", "")
        value = disagreement.second if disagreement.first is None else disagreement.first
        if decision is not None and decision["choice"] == EDIT:
            value = self._values([number])[number]
        return ShownEntry(
            list(_parts(disagreement, names)),
            _edit(disagreement, value),
            ((before, True), ("" if disagreement.kind is Matter.TEXT else text, False), (after, True)),
            _reason(disagreement, names),
        )

    def _values(self, numbers: Iterable[int] | None = None) -> dict[int, Value]:
        """Return the parts that the decisions so far lead to, of all disagreements or some."""
        values: dict[int, Value] = {}
        for number in range(len(self.disagreements)) if numbers is None else numbers:
            if (decision := self.queue.decision(number)) is None:
                continue
            disagreement = self.disagreements[number]
            try:
                values[number] = _value(disagreement, str(decision.get("choice")), decision.get("edited"))
            except UsageError as error:
                problem = f"{self._decisions.path}: item {disagreement.item}: {error.message}"
                raise UsageError(problem, hint="the file was changed by hand: mend or remove the line") from None
        return values

    def _record(self, number: int, choice: str, edited: object) -> Decision:
        """Return what is kept of a choice. Raise ``UsageError`` if the format has no place for it."""
        disagreement = self.disagreements[number]
        value = _value(disagreement, choice, edited)
        try:
            decided = self._values(self._merger.numbers_beside(number)) | {number: value}
            rewritten(self._merger.merged(decided, beside=number), self._original)
        except TsgkitError:
            try:  # an item that cannot stand alone may stand among others
                self._text(self._values() | {number: value})
            except TsgkitError as error:
                raise UsageError(error.message, hint=error.hint or "decide otherwise") from None
        kind, (first, second) = disagreement.kind, disagreement.place
        about = {"item": disagreement.item, "what": str(kind), "first": first, "second": second}
        result = {str(kind) if kind in LEFT_OUT else "kept": json_value(value)}
        return {"taken": self.queue.label({"choice": choice}), **about, **result}

    def _text(self, values: dict[int, Value]) -> str:
        return rewritten(self._merger.merged(values), self._original)

    def write(self) -> Summary:
        """Write the settled file. Raise ``UsageError`` unless all is decided."""
        decisions = list(filter(None, map(self.queue.decision, range(len(self.disagreements)))))
        if left := len(self.disagreements) - len(decisions):
            raise UsageError(f"{count(left, 'decision')} to make first", hint="decide, and write then")
        chosen = Counter(dict.fromkeys((*self.versions.names, "edited"), 0))
        chosen.update(map(self.queue.label, decisions))
        decided_by = Counter(str(decision.get("by")) for decision in decisions)
        summary = Summary(len(decisions), dict(chosen), dict(decided_by))
        text = self._text(self._values())
        refuse_to_overwrite(self.out, force=self._force or self._wrote_settled, text=text)
        write_text(self.out, text)
        files = {"file": self.out.name, "of": [self.versions.first.file, self.versions.second.file]}
        self._decisions.keep(checksum_of_bytes(text.encode()), {**files, **vars(summary), "time": now()})
        return summary


def _refuse_unreadable(versions: Versions) -> None:
    """Raise ``UsageError`` where settling would lose something that was not read, or could not be written."""
    for document in (versions.first, versions.second):
        if document.file == STDIN:
            raise UsageError("standard input cannot be settled", hint="write it to a file first")
        unread = next((finding for finding in document.findings if finding.code in UNREAD), None)
        if unread is not None:
            line = f" line {unread.place.line}:" if unread.place.line else ""
            hint = "mend it so that nothing is lost; tsgkit check shows all"
            raise UsageError(f"{document.file}:{line} {unread.message}", hint=hint)
    first = versions.first
    if not formats.by_name(first.format).writes:
        hint = f"tsgkit convert {first.file} OUT.jsonl, and settle that"
        raise UsageError(f"{first.file}: {first.format} is read, never written", hint=hint)


def _parts(disagreement: Disagreement, names: Names) -> Iterator[EntryPart]:
    """Yield both versions side by side."""
    sides = (disagreement.first, disagreement.second)
    if disagreement.kind is Matter.GRAPH:
        for name, graph, marks in zip(names, sides, _marks(*sides), strict=True):
            triplets = None if graph is None else to_value(graph)
            yield {"kind": "graph", "title": name, "triplets": triplets, "marks": marks}
    elif disagreement.kind is Matter.TEXT:
        for name, text in zip(names, sides, strict=True):
            yield {"kind": "text", "title": name, "text": text or ""}
    elif disagreement.kind is Matter.VOCABULARY:
        first, second = map(vocabulary_value, sides)
        for name, mine, others in ((names[0], first, second), (names[1], second, first)):
            listed = {kind: set(words) for kind, words in others.items()}
            only = {kind: [word for word in words if word not in listed[kind]] for kind, words in mine.items()}
            lines = [f"{LISTS[kind]}: {', '.join(words)}" for kind, words in only.items() if words] or ["nothing"]
            yield {"kind": "lines", "title": f"only in L of {name}", "lines": lines}
    elif isinstance(disagreement.whole, Description):
        owner = names[0] if disagreement.first else names[1]
        yield {"kind": "text", "title": f"the description of {owner}", "text": disagreement.whole.text or ""}
        for number, graph in enumerate(disagreement.whole.graphs, 1):
            marks = [None] * len(graph.triplets)
            yield {"kind": "graph", "title": f"its graph {number}", "triplets": to_value(graph), "marks": marks}
    elif disagreement.whole is not None:
        numbered = enumerate(disagreement.whole.narrative.descriptions, 1)
        lines = [f"{part.text or f'description {n}'} ({count(len(part.graphs), 'graph')})" for n, part in numbered]
        yield {"kind": "lines", "title": f"the item of {names[0] if disagreement.first else names[1]}", "lines": lines}


def _marks(first: ActionGraph | None, second: ActionGraph | None) -> tuple[list[str | None], list[str | None]]:
    """Return the kind of difference of each triplet; None where the other version has the triplet too."""
    if first is None or second is None:
        return [None] * len((first or ActionGraph()).triplets), [None] * len((second or ActionGraph()).triplets)
    changes = diff(first, second).changes
    ours = {each.reference: ONLY_HERE if each.candidate is None else str(each.kind) for each in changes}
    theirs = {each.candidate: ONLY_HERE if each.reference is None else str(each.kind) for each in changes}
    return [ours.get(triplet) for triplet in first], [theirs.get(triplet) for triplet in second]


def _reason(disagreement: Disagreement, names: Names) -> str:
    """Return how the two versions differ, in words."""
    if disagreement.kind is Matter.GRAPH and disagreement.first is not None and disagreement.second is not None:
        return f"{count(len(set(disagreement.first) & set(disagreement.second)), 'triplet')} in both"
    if disagreement.kind in (Matter.TEXT, Matter.VOCABULARY):
        return "the texts differ" if disagreement.kind is Matter.TEXT else "L differs"
    return f"{names[0] if disagreement.first in (None, False) else names[1]} has no such {disagreement.kind}"


def _choices(disagreement: Disagreement, names: Names) -> list[Choice]:
    """Return the buttons."""
    choices: list[Choice] = []
    for choice, name, value, key in zip(
        (FIRST, SECOND), names, (disagreement.first, disagreement.second), ("1", "2"), strict=True
    ):
        is_missing = value is None or value is False
        what = LEFT_OUT.get(disagreement.kind, "leave it out") if is_missing else "keep it" if value is True else ""
        choices.append({"choice": choice, "label": f"{name}: {what}" if what else name, "key": key})
    if disagreement.kind is Matter.VOCABULARY:
        choices.append({"choice": BOTH, "label": "all names of both", "key": "b"})
    if disagreement.kind in LEFT_OUT:
        choices.append({"choice": EDIT, "label": "edit", "key": "e"})
    return choices


def _edit(disagreement: Disagreement, value: Value) -> EditForm | None:
    """Return the form of an edit that begins with a value."""
    if disagreement.kind is Matter.GRAPH:
        names = disagreement.names or Vocabulary()
        elements = elements_of(names, mentioned(disagreement.texts[0] if disagreement.texts else None, names))
        return {"kind": "graph-or-none", "value": None if value is None else to_value(value), "elements": elements}
    if disagreement.kind is Matter.TEXT:
        return {"kind": "texts", "value": [{"name": "text", "label": "text", "text": value or ""}]}
    if disagreement.kind is Matter.VOCABULARY:
        lists = vocabulary_value(value).items()
        fields = [{"name": name, "label": LISTS[name], "text": "\n".join(words)} for name, words in lists]
        return {"kind": "texts", "value": fields}
    return None


def _value(disagreement: Disagreement, choice: str, edited: object) -> Value:
    """Return the part that a choice leads to. Raise ``UsageError`` for an edit that is none."""
    if choice in (FIRST, SECOND):
        return disagreement.first if choice == FIRST else disagreement.second
    if choice == BOTH and disagreement.kind is Matter.VOCABULARY:
        return joint([disagreement.first, disagreement.second])
    if choice == EDIT and disagreement.kind is Matter.GRAPH:
        return None if edited is None else _edited_graph(edited)
    if choice == EDIT and disagreement.kind is Matter.TEXT:
        return _texts(edited, ["text"])["text"].strip() or None
    if choice == EDIT and disagreement.kind is Matter.VOCABULARY:
        lists = ([name.strip() for name in text.split("\n")] for text in _texts(edited, list(LISTS)).values())
        return Vocabulary(*(tuple(dict.fromkeys(filter(None, names))) for names in lists))
    raise UsageError(f"there is no choice {choice:.40} here", hint="keep it, and edit the settled file")


def _edited_graph(edited: object) -> ActionGraph:
    try:
        graph = graph_from(edited, "graph")
    except NotationError as error:
        raise UsageError(f"not a graph: {error.message}", hint=error.hint) from None
    if not graph.triplets:
        raise UsageError("a graph without triplets", hint="add one, or choose no graph")
    for element in graph.elements:
        if not element.strip():
            raise UsageError("a triplet lacks an element", hint="a triplet is source, edge and target")
        if reason := not_text(element):
            raise UsageError(f"not text: {reason}", hint="type the name anew")
    return graph


def _texts(edited: object, names: Sequence[str]) -> dict[str, str]:
    if not isinstance(edited, dict) or {*edited} != {*names}:
        raise UsageError("not an edit of these texts", hint=f"its fields: {', '.join(names)}")
    for text in edited.values():
        if not isinstance(text, str):
            raise UsageError("a text is a string", hint=f"the fields: {', '.join(names)}")
        if reason := not_text(text):
            raise UsageError(f"not text: {reason}", hint="type it anew")
    return edited
