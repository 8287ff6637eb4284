"""Rows of the published and bundled datasets: their fields and the graphs in them.

========= ==================================================================================
``sgqa``  ``context_graphs`` (a whole scenario), ``qa_pairs`` of ``Q`` and ``A``
``sgds``  ``context_graphs`` and the target ``triplet`` graph; ``variations`` with the right
          one at ``position``; ``variation_triplets``, the candidates' graphs, in some rows
``sgg``   ``context`` (text), ``target_sentence``, ``mandatory_space`` (L), ``graphs``
========= ==================================================================================

Other fields are kept and ignored. A row is read into an :class:`Entry`: a narrative, additional graphs (of the
candidates), and the row itself, to be written back unchanged.

Where an entry gets another narrative, its row follows and keeps all other fields:

>>> row = {"context": [], "target_sentence": "She washes the cup.", "mandatory_space": {
...     "object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]},
...     "graphs": [{"triplets": [["person", "verb", "wash"]], "by": "ann"}]}
>>> entry, _ = entry_from(row, "sgg", 0, None)
>>> more = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup")])
>>> with_graphs(entry, [more]).row["graphs"]
[{'triplets': [['person', 'verb', 'wash'], ['wash', 'dobj', 'cup']], 'by': 'ann'}]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import CannotCarry, NotationError, first_fault
from tsgkit.graph.model import ActionGraph, Description, Narrative, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import kind_of, to_value
from tsgkit.graph.notation.narratives import vocabulary_from, vocabulary_value
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule

RowKind = Literal["sgqa", "sgds", "sgg"]
KINDS: tuple[RowKind, ...] = ("sgqa", "sgds", "sgg")
CANDIDATES = 5
LONGEST_SHARED = 120
"""Triplets up to this length are remembered for rows to come."""
UNSEEN = Description()
"""Something that happened before and is not known as graphs."""

ROW_RULES = {
    "position": Rule(ERROR, "position does not point at the target sentence among the variations"),
    "few-candidates": Rule(WARNING, "a choice has fewer than five candidates"),
    "repeated-candidate": Rule(ERROR, "a choice offers the same candidate twice"),
    "candidate-graph": Rule(ERROR, "the candidates' graphs do not fit the candidates"),
    "answer-not-a-node": Rule(ERROR, "the answer to a question is not a node of its graphs"),
    "no-graphs": Rule(ERROR, "a row has no graphs"),
    "single-graph": Rule(WARNING, "a row of one graph among rows of several, which are scored as k = 1"),
}

TripletField = Annotated[list[StrictStr], Field(min_length=3, max_length=3)]
GraphField = list[TripletField]


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    item_id: StrictStr | StrictInt | None = None


class Question(_Row):
    """A question about a scenario and its answer, a node's name."""

    Q: StrictStr
    A: StrictStr


class SgqaRow(_Row):
    """A scenario's graphs and questions about them."""

    context_graphs: list[GraphField]
    qa_pairs: list[Question]


class SgdsRow(_Row):
    """A target graph after its context, and the sentences that may describe it."""

    context_graphs: list[GraphField]
    triplet: GraphField
    target_sentence: StrictStr
    position: StrictInt
    variations: list[StrictStr]
    variation_triplets: list[GraphField] | None = None


class ActionEntry(_Row):
    """One graph of a generation row."""

    triplets: GraphField


class SggRow(_Row):
    """A sentence after its context, L, and the graphs to generate."""

    context: StrictStr | list[StrictStr]
    target_sentence: StrictStr
    mandatory_space: dict[str, list[StrictStr]]
    graphs: list[ActionEntry]


@dataclass(frozen=True)
class Entry:
    """An item of a file: a narrative, additional graphs, its position, and its row if it came from one."""

    item: str
    narrative: Narrative
    line: int | None = None
    triplet_lines: tuple[tuple[int, ...], ...] = ()
    asides: tuple[ActionGraph, ...] = ()
    row: dict[str, Any] | None = None

    @property
    def graphs(self) -> tuple[ActionGraph, ...]:
        """The graphs along the narrative, then those beside it; findings number them in this order."""
        return (*self.narrative.graphs, *self.asides)

    def with_vocabulary(self, vocabulary: Vocabulary | None) -> Entry:
        """Return the item with L, unless it brings one."""
        if vocabulary is None or self.narrative.vocabulary is not None:
            return self
        return replace(self, narrative=replace(self.narrative, vocabulary=vocabulary))


def row_kind(value: object) -> RowKind | None:
    """Return which kind of row a JSON value is, by the fields that only this kind has."""
    if not isinstance(value, dict):
        return None
    if "qa_pairs" in value:
        return "sgqa"
    if "variations" in value:
        return "sgds"
    return "sgg" if "mandatory_space" in value else None


def entry_from(value: object, kind: RowKind, number: int, line: int | None) -> tuple[Entry, list[Finding]]:
    """Return a row as an entry, and the findings about the row. Raise ``NotationError`` if its fields do not fit."""
    readers = {"sgqa": _sgqa, "sgds": _sgds, "sgg": _sgg}
    if not isinstance(value, dict):
        raise NotationError(f"not an {kind} row but {kind_of(value)}", line=line)
    try:
        narrative, asides, findings = readers[kind](value)
    except ValidationError as error:
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise NotationError(f"not an {kind} row: {first_fault(error)}{more}", line=line) from None
    item = str(number if value.get("item_id") in (None, "") else value["item_id"])
    entry = Entry(item, narrative, line, (), asides, value)
    return entry, [finding.at(item=item, line=line) for finding in findings]


Parts = tuple[Narrative, tuple[ActionGraph, ...], list[Finding]]


def _sgqa(value: dict[str, Any]) -> Parts:
    row = SgqaRow.model_validate(value)
    narrative = Narrative(
        (Description(graphs=_graphs(row.context_graphs)),), id=str(value.get("data_id", "")), facts=_facts(value)
    )
    names = {name for graph in narrative.graphs for triplet in graph for name in (triplet.source, triplet.target)}
    findings = [] if narrative.graphs else [_finding("no-graphs", "the scenario has no graphs")]
    for number, question in enumerate(row.qa_pairs):
        if question.A not in names:
            findings.append(_finding("answer-not-a-node", f"question {number}: {question.A} is no node of the graphs"))
    return narrative, (), findings


def _sgds(value: dict[str, Any]) -> Parts:
    row = SgdsRow.model_validate(value)
    (target,) = _graphs([row.triplet])
    context = _graphs(row.context_graphs)
    descriptions = (Description(graphs=context),) if context else ()
    narrative = Narrative(
        (*descriptions, Description(row.target_sentence, (target,))), id=_id(row), facts=_facts(value)
    )
    asides, count, position = _graphs(row.variation_triplets or []), len(row.variations), row.position
    findings = []
    if not 0 <= position < count:
        findings.append(_finding("position", f"position is {position}, and there are {count} candidates"))
    elif row.variations[position] != row.target_sentence:
        findings.append(_finding("position", f"the candidate at position {position} is not the target sentence"))
    if count < CANDIDATES:
        findings.append(_finding("few-candidates", f"{count} candidates, not {CANDIDATES}"))
    if len(set(row.variations)) < count:
        findings.append(_finding("repeated-candidate", "a candidate is offered twice"))
    if row.variation_triplets is not None and len(asides) != count:
        findings.append(_finding("candidate-graph", f"{len(asides)} candidates' graphs for {count} candidates"))
    elif asides and 0 <= position < count and asides[position] != target:
        message = f"the graph of the candidate at position {position} is not the target graph"
        findings.append(_finding("candidate-graph", message))
    return narrative, asides, findings


def are_of_several(counts: Sequence[int]) -> bool:
    """Return whether rows with these numbers of graphs belong to the task with several graphs."""
    return 2 * sum(count > 1 for count in counts) >= len(counts)


def single_graphs(entries: Sequence[Entry], *, of_several: bool | None = None) -> Iterator[Finding]:
    """Yield a finding for every row of one graph among rows of several.

    ``of_several``: several graphs are asked for; None: the majority of the rows decides.
    """
    counts = [len(entry.narrative.graphs) for entry in entries]
    if of_several is None:
        of_several = are_of_several(counts)
    if of_several and max(counts, default=0) > 1:
        for entry, count in zip(entries, counts, strict=True):
            if count == 1:
                message = "one graph, and the other rows have several: it is scored as k = 1"
                yield _finding("single-graph", message).at(item=entry.item, line=entry.line)


def _sgg(value: dict[str, Any]) -> Parts:
    row = SggRow.model_validate(value)
    texts = [row.context] if isinstance(row.context, str) else row.context
    graphs = _graphs(action.triplets for action in row.graphs)
    narrative = Narrative(
        (*(Description(text) for text in texts if text), Description(row.target_sentence, graphs)),
        _shared(vocabulary_from(value["mandatory_space"])),
        id=_id(row),
        facts=_facts(value),
    )
    return narrative, (), [] if graphs else [_finding("no-graphs", "the row has no graphs")]


_shared: Callable[[Vocabulary], Vocabulary] = lru_cache(maxsize=64)(lambda vocabulary: vocabulary)
"""Returns the first of equal ones: rows of one scenario repeat L, which takes most of their memory."""


def _id(row: _Row) -> str:
    return "" if row.item_id is None else str(row.item_id)


def _graphs(values: Iterable[GraphField]) -> tuple[ActionGraph, ...]:
    return tuple(
        ActionGraph([Triplet(*names) if sum(map(len, names)) > LONGEST_SHARED else _triplet(*names) for names in graph])
        for graph in values
    )


_triplet = lru_cache(maxsize=8192)(Triplet)
"""Returns the first of equal ones: the rows of a file repeat most of their triplets."""
FACTS = ("data_id", "scenario_id", "domain", "split", "doc_index", "text_part_index")


def _facts(value: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value[name])) for name in FACTS if isinstance(value.get(name), (str, int)))


def _finding(code: str, message: str) -> Finding:
    return Finding(code, ROW_RULES[code].severity, message, place=Place())


def sgg_rows(narrative: Narrative, item: str = "") -> Iterator[dict[str, Any]]:
    """Yield the generation rows of a narrative: one for every description with a text and graphs.

    Their ids begin with the narrative's, else with ``item``. Raise ``NotationError`` if the narrative has no
    vocabulary, since L is part of every row.
    """
    name = narrative.id or item
    if narrative.vocabulary is None:
        raise NotationError(f"item {name or 0} has no vocabulary, which generation rows need")
    context: list[str] = []
    for number, description in enumerate(narrative.descriptions):
        if description.text and description.graphs:
            yield {
                "item_id": f"{name}/{number}" if name else str(number),
                "context": list(context),
                "target_sentence": description.text,
                "mandatory_space": vocabulary_value(narrative.vocabulary),
                "graphs": [{"triplets": to_value(graph)} for graph in description.graphs],
            }
        if description.text:
            context.append(description.text)


def numbered(ids: Iterable[str]) -> list[tuple[str, int]]:
    """Return each id with the number of equal ones before it.

    >>> numbered(["a", "b", "a"])
    [('a', 0), ('b', 0), ('a', 1)]
    """
    counts: Counter[str] = Counter()
    keys = []
    for row_id in ids:
        keys.append((row_id, counts[row_id]))
        counts[row_id] += 1
    return keys


def matched_items(first: Sequence[str], second: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Return the places of items with the same id in two lists of ids; None where one has no partner.

    Without an id in common, items at the same place are matched if there are equally many. Of repeated ids, the first
    belong together, then the second, and so on.

    >>> matched_items(["a", "b"], ["b", "c"]), matched_items(["a", "b"], ["0", "1"])
    ([(0, None), (1, 0), (None, 1)], [(0, 0), (1, 1)])
    """
    mine, theirs = ({key: index for index, key in enumerate(numbered(ids))} for ids in (first, second))
    if not mine.keys() & theirs.keys() and len(mine) == len(theirs):
        return [(index, index) for index in range(len(mine))]
    pairs = [(index, theirs.get(key)) for key, index in mine.items()]
    return [*pairs, *((None, index) for key, index in theirs.items() if key not in mine)]


Row = dict[str, Any]


def with_graphs(entry: Entry, graphs: Sequence[ActionGraph]) -> Entry:
    """Return the entry with as many other graphs in its narrative and its row; other content stays unchanged."""
    return with_narrative(entry, entry.narrative.with_graphs(graphs))


def with_narrative(entry: Entry, narrative: Narrative) -> Entry:
    """Return the entry with another narrative in it and in its row.

    Raise ``CannotCarry`` for a narrative that its row has no place for. Empty texts before the target sentence of a
    generation row are left out, as when it is read.
    """
    kind = row_kind(entry.row)
    if entry.row is None or kind is None:
        return replace(entry, narrative=narrative)
    if kind == "sgg":
        if not narrative.descriptions:
            raise CannotCarry(f"item {entry.item}: a generation row needs a target sentence")
        *before, target = narrative.descriptions
        if any(part.graphs for part in before):
            raise CannotCarry(f"item {entry.item}: a generation row holds graphs of its target sentence alone")
        if narrative.vocabulary is None:
            raise CannotCarry(f"item {entry.item}: generation rows need L")
        described = [part for part in before if part.text]
        texts = [part.text or "" for part in described]
        context, space = entry.row["context"], entry.row["mandatory_space"]
        if isinstance(context, str):
            context = texts if len(texts) > 1 else "".join(texts)
        elif [text for text in context if text] != texts:
            context = texts
        if narrative.vocabulary != vocabulary_from(space):  # under the names of its lists, beside its other lists
            lists = vocabulary_value(narrative.vocabulary).items()
            space = space | {name if name in space else f"{name}s": names for name, names in lists}
        row = entry.row | {
            "context": context,
            "target_sentence": target.text or "",
            "mandatory_space": space,
            "graphs": _changed_graphs(entry.row["graphs"], [to_value(graph) for graph in target.graphs]),
        }
        descriptions = (*described, Description(target.text or "", target.graphs, target.frames))
        return replace(entry, narrative=replace(narrative, descriptions=descriptions), row=row)
    old, new = ([part.text or "" for part in version.descriptions] for version in (entry.narrative, narrative))
    if old != new:
        raise CannotCarry(f"item {entry.item}: {kind} rows keep their texts, and the number of their descriptions")
    if narrative.vocabulary is not None:
        raise CannotCarry(f"item {entry.item}: {kind} rows hold no L")
    values = [to_value(graph) for graph in narrative.graphs]
    if kind == "sgqa":
        return replace(entry, narrative=narrative, row=entry.row | {"context_graphs": values})
    if len(narrative.descriptions[-1].graphs) != 1:
        graph_count = len(narrative.descriptions[-1].graphs)
        raise CannotCarry(f"item {entry.item}: a row of description selection has one target graph, not {graph_count}")
    row = entry.row | {"context_graphs": values[:-1], "triplet": values[-1]}
    old_target, new_target = entry.narrative.graphs[-1], narrative.graphs[-1]
    asides = tuple(new_target if graph == old_target else graph for graph in entry.asides)
    if row.get("variation_triplets") is not None:
        row["variation_triplets"] = [to_value(graph) for graph in asides]
    return replace(entry, narrative=narrative, asides=asides, row=row)


def _changed_graphs(old: list[Row], values: list[list[list[str]]]) -> list[Row]:
    """Return the graphs of a generation row; each keeps the other fields of the one it was made from."""
    before, after = (
        [tuple(map(tuple, graph)) for graph in graphs] for graphs in ([graph["triplets"] for graph in old], values)
    )
    origins: dict[int, int] = {}
    for tag, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            origins |= zip(range(start, end), range(first, last), strict=False)
    left = [number for number in range(len(old)) if number not in origins.values()]
    for number in range(len(values)):  # moved graphs
        moved = next((index for index in left if number not in origins and before[index] == after[number]), None)
        if moved is not None:
            origins[number] = moved
            left.remove(moved)
    return [
        {**(old[origins[number]] if number in origins else {}), "triplets": value}
        for number, value in enumerate(values)
    ]
