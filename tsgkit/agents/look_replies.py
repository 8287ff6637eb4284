"""Replies to a look at graphs: answers to numbered findings, and other errors, each with how sure the model is.

>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "cup"), ("tap", "from", "fill"))
>>> passage = Passage((graph,), "She fills the kettle from the tap.")
>>> said = "graph 1: mismatched: fill -> dobj -> cup => fill -> dobj -> kettle (90)\\ngraph 1: reversed: 3 (40)"
>>> for named in read_look(said, (), passage, (graph,)).named:
...     print(*named.edits, named.code, named.sure)
fill -> dobj -> kettle in place of fill -> dobj -> cup critique-mismatched 0.9
fill -> from -> tap in place of tap -> from -> fill critique-reversed 0.4

A reply is read as JSON, else line by line, else as graphs that were written anew. A reply that is none of these is
marked as unreadable; nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tsgkit.agents.passages import GRAPH_COUNT, Passage, Point
from tsgkit.agents.questions import LETTERS, CandidateEdit, FindingQuestion, edits_between
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.folding import fold_triplet
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.prompt_text import allowed_edges, allowed_nodes
from tsgkit.graph.reading import read
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import answer_section

MOST_POINTS, LACKING = 20, 2
"""The points that are read of a reply; the missing triplets of a graph that a schema has room for."""
MOST_TRIPLETS = 100
SURENESS = {
    "certain": 0.95, "sure": 0.95, "very sure": 0.95, "high": 0.9, "likely": 0.8, "probably": 0.75, "medium": 0.6,
    "maybe": 0.5, "possibly": 0.5, "unsure": 0.3, "not sure": 0.3, "unlikely": 0.2, "low": 0.2, "guess": 0.2,
}  # fmt: skip
"""The probability that a word of a model stands for."""
POINT = re.compile(
    rf"^\W*(?:graph\s*)?(?P<graph>\d{{1,4}})\s*[:.)-]\W*(?P<kind>{'|'.join(Corruption)})\b\W*(?P<rest>.*)$",
    re.IGNORECASE,
)
CHOICE = re.compile(
    r"^\W*(?:finding\s*)?(?P<number>\d{1,3})\s*[:.)-]\W*(?P<letter>[a-z]|leave)\b(?P<rest>.*)$", re.IGNORECASE
)
WRITTEN = re.compile(r"^\W*(?:finding\s*)?(?P<number>\d{1,3})\s*:\s*(?P<rest>.*\S.*)$", re.IGNORECASE)
SURE = re.compile(rf"[(\[]\s*+(?P<sure>\d{{1,3}}|{'|'.join(SURENESS)})\s*+%?\s*+[)\]]\W*+$", re.IGNORECASE)
EXPLAINED = re.compile(r"^\W*$|^[)\]*_]*\s*[:,;–-]|^ it as it is\W*$", re.IGNORECASE)
"""The rest of a line after a letter: nothing, or an explanation that is set off."""
BARE_SURE = re.compile(rf"^\W*+(?P<sure>\d{{1,3}}|{'|'.join(SURENESS)})\s*+%?\W*+$", re.IGNORECASE)
BECOMES = re.compile(r"\s=>\s|⇒|\bshould be\b", re.IGNORECASE)
PLACE = re.compile(r"^\W*(?:triplet\s*)?(\d{1,3})\W*$", re.IGNORECASE)
NONE = re.compile(r"\W*none\W*", re.IGNORECASE)
LEAVING = "leave"
UNREADABLE = "no answer to a finding and no triplet found"


class Named(NamedTuple):
    """A change that a model names: its edits, the code and words of its reason, and the model's own probability."""

    edits: tuple[CandidateEdit, ...]
    code: str
    reason: str
    sure: float | None = None


@dataclass(frozen=True)
class Look:
    """A reply: the changes that it names, errors without a remedy, graphs in another number, and notes.

    ``answered`` are the numbers of the findings that it decides about.
    """

    named: tuple[Named, ...] = ()
    points: tuple[Point, ...] = ()
    rewritten: tuple[ActionGraph, ...] = ()
    notes: tuple[str, ...] = ()
    is_readable: bool = True
    answered: frozenset[int] = frozenset()


class _Said(NamedTuple):
    """An answer to a finding (``finding``, from 1) or an error in a graph (``graph``, from 1), as it was said."""

    finding: int | None = None
    letter: str = ""
    graph: int | None = None
    kind: str = ""
    before: Triplet | int | None = None
    after: Triplet | None = None
    sure: float | None = None


def read_look(text: str, questions: Sequence[FindingQuestion], passage: Passage, graphs: Sequence[ActionGraph]) -> Look:
    """Return the answer of a reply to these questions about these graphs."""
    section = answer_section(text)
    answer = "" if isinstance(section, Unreadable) else section.part.text
    statements = _of_json(answer)
    if statements is None:
        statements, left = _of_lines(answer)
        if not statements and not NONE.fullmatch(answer):
            return _rewritten(text, questions, passage, graphs)
    else:
        left = 0
    look = _Meaning(questions, passage.vocabulary, graphs).look(statements)
    notes = (*look.notes, *([f"lines that could not be read: {left}"] if left else []))
    answered = frozenset(statement.finding for statement in statements if statement.finding is not None)
    return Look(look.named, look.points, (), notes, answered=answered)


def _of_json(text: str) -> list[_Said] | None:
    """Return the answers and points of a JSON object; None where there is none."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not {"decisions", "points"} & set(value):
        return None
    parts = [(name, entry) for name in ("decisions", "points") for entry in _objects(value.get(name))]
    return [_decision(entry) if name == "decisions" else _error(entry) for name, entry in parts]


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _decision(value: Mapping[str, Any]) -> _Said:
    letter, after = str(value.get("choice") or "").strip().lower(), _of_value(value.get("triplet"))
    return _Said(
        finding=_number(value.get("finding")),
        letter="" if after is not None else letter if len(letter) == 1 else LEAVING,
        after=after,
        sure=_sure(value.get("sure")),
    )


def _error(value: Mapping[str, Any]) -> _Said:
    return _Said(
        graph=_number(value.get("graph")) or 0,
        kind=str(value.get("kind") or "").lower(),
        before=_of_value(value.get("as_it_is")),
        after=_of_value(value.get("as_it_should_be")),
        sure=_sure(value.get("sure")),
    )


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int | float | str) and re.fullmatch(r"\d{1,4}", str(value)) else None


def _of_value(value: object) -> Triplet | None:
    """Return a triplet written as an object, a list or a text."""
    if isinstance(value, dict):
        value = [value.get(name) for name in ("source", "edge", "target")]
    if isinstance(value, list):
        names = [one for one in value if isinstance(one, str)]
        return Triplet(*names) if len(names) == len(value) == 3 else None
    return _triplet(value) if isinstance(value, str) else None


def _sure(value: object) -> float | None:
    """Return a probability: a number of percent, a share of 1 with a point, or a word."""
    text = str(value).strip(" %").lower()
    if text in SURENESS:
        return SURENESS[text]
    if isinstance(value, float) and 0 <= value <= 1:
        return value
    return min(float(text), 100.0) / 100 if re.fullmatch(r"\d{1,3}(?:\.\d+)?", text) else None


def _of_lines(text: str) -> tuple[list[_Said], int]:
    """Return the answers and points of lines, and the number of lines that look like one and are none."""
    statements, left = list[_Said](), 0
    for line in text.splitlines():
        statement = _of_line(line)
        if statement is not None:
            statements.append(statement)
        left += statement is None and "->" in line
    return statements, left


def _of_line(line: str) -> _Said | None:
    sure, bare = SURE.search(line), line
    if sure is not None:
        bare = line[: sure.start()]
    probability = None if sure is None else _sure(sure["sure"])
    if (match := POINT.match(bare)) is not None:
        before, after = _both(match["rest"])
        kind = match["kind"].lower()
        return _Said(graph=int(match["graph"]), kind=kind, before=before, after=after, sure=probability)
    if (match := CHOICE.match(bare)) is not None:
        number, letter, rest = int(match["number"]), match["letter"].lower(), match["rest"]
        if (sureness := BARE_SURE.match(rest)) is not None:
            return _Said(finding=number, letter=letter, sure=_sure(sureness["sure"]))
        if EXPLAINED.match(rest):
            return _Said(finding=number, letter=letter, sure=probability)
    if (match := WRITTEN.match(bare)) is not None:
        before, after = _both(match["rest"])
        if after is None and isinstance(before, Triplet):
            before, after = None, before
        number = int(match["number"])
        return None if after is None else _Said(finding=number, before=before, after=after, sure=probability)
    return None


def _both(text: str) -> tuple[Triplet | int | None, Triplet | None]:
    """Return the triplets as it is and as it should be; only the first where one is named, also by its number."""
    parts = BECOMES.split(text)
    first, second = _triplet(parts[0]), _triplet(parts[-1]) if len(parts) == 2 else None
    if match := PLACE.match(parts[0]):
        return int(match[1]), second
    if len(parts) == 2 and first is not None and second is not None:
        return first, second
    return _triplet(text), None


def _triplet(text: str) -> Triplet | None:
    """Return the one triplet of a text."""
    graphs = read(text).graphs
    return graphs[0].triplets[0] if len(graphs) == 1 and len(graphs[0].triplets) == 1 else None


@dataclass(frozen=True)
class _Meaning:
    """The reading of what was said about these graphs."""

    questions: Sequence[FindingQuestion]
    vocabulary: Vocabulary | None
    graphs: Sequence[ActionGraph]

    def look(self, statements: Sequence[_Said]) -> Look:
        """Return the changes named, errors without a remedy, and notes about what fits nothing."""
        named, points, notes = dict[tuple[CandidateEdit, ...], Named](), dict[Point, None](), list[str]()
        odd = outside = 0
        for statement in statements:
            if statement.finding is None and not 1 <= (statement.graph or 0) <= len(self.graphs):
                notes.append(f"a point about graph {statement.graph}, which is not there")
                continue
            outcome = self._answer(statement) if statement.finding is not None else self._point(statement)
            if isinstance(outcome, Named):
                named.setdefault(outcome.edits, outcome)
            elif isinstance(outcome, Point):
                points[outcome] = None
            odd += outcome is None
            outside += outcome is False
        notes += [f"triplets that are not of L, left out: {outside}"] if outside else []
        notes += [f"answers and points that fit no finding and no graph: {odd}"] if odd else []
        return Look(tuple(named.values())[:MOST_POINTS], tuple(points)[:MOST_POINTS], (), tuple(notes))

    def _answer(self, statement: _Said) -> Named | bool | None:
        """Return the change that an answer chooses; True where that is none."""
        number = statement.finding or 0
        if not 1 <= number <= len(self.questions):
            return None
        question = self.questions[number - 1]
        graph = question.graph if question.graph is not None or len(self.graphs) != 1 else 0
        if graph is None:
            return True if statement.letter else None
        if statement.letter == LEAVING:
            return True
        if statement.letter:
            chosen = LETTERS.index(statement.letter)
            if chosen < len(question.choices):
                return Named(question.choices[chosen], question.code, question.reason, statement.sure)
            return True if chosen == len(question.choices) else None
        before = question.triplet if statement.before is None else self._there(statement.before, graph)
        edit = self._edit(graph, before, statement.after) if statement.before is None or before is not None else None
        return edit if isinstance(edit, bool | None) else Named((edit,), question.code, question.reason, statement.sure)

    def _point(self, statement: _Said) -> Named | Point | bool | None:
        """Return the change of a point, or the point if it has no remedy; True where nothing would change."""
        number, graphs = (statement.graph or 0) - 1, tuple(self.graphs)
        if statement.kind not in [*Corruption]:
            return None
        before = None if statement.before is None else self._there(statement.before, number)
        after = statement.after
        if statement.kind == Corruption.MISSING:
            after = after or (statement.before if isinstance(statement.before, Triplet) else None)
            before = None
        elif statement.before is not None and before is None:
            return None
        elif statement.kind == Corruption.REVERSED and before is not None:
            after = after or before.reversed
        elif statement.kind == Corruption.REDUNDANT:
            after = None
        if before is None and after is None:
            return Point(statement.kind, number, None, graphs)
        if after is None and statement.kind != Corruption.REDUNDANT:
            return Point(statement.kind, number, before, graphs)
        edit = self._edit(number, before, after)
        if isinstance(edit, bool | None):
            return edit
        point = Point(statement.kind, number, before or edit.after, graphs)
        return Named((edit,), f"critique-{statement.kind}", str(point), statement.sure)

    def _there(self, statement: Triplet | int, number: int) -> Triplet | None:
        """Return the triplet of a graph that is meant, by its number or as it is written."""
        triplets = self.graphs[number].triplets
        if isinstance(statement, int):
            return triplets[statement - 1] if 1 <= statement <= len(triplets) else None
        if statement in triplets:
            return statement
        alike = [triplet for triplet in triplets if fold_triplet(triplet) == fold_triplet(statement)]
        return alike[0] if len(alike) == 1 else None

    def _outside(self, triplet: Triplet | None) -> set[str]:
        return set() if triplet is None or self.vocabulary is None else {*self.vocabulary.outside(triplet)}

    def _edit(self, number: int, before: Triplet | None, after: Triplet | None) -> CandidateEdit | bool | None:
        """Return an edit; True where the graph is so already, None where it does not fit, False where it leaves L."""
        if after is not None and self._outside(after):
            after = fold_triplet(after)
        if self._outside(after) - self._outside(before):
            return False
        if before is not None and before == after:
            return True
        if before is None and after in self.graphs[number].triplets:
            return None
        return CandidateEdit(number, before, after)


def _rewritten(
    text: str, questions: Sequence[FindingQuestion], passage: Passage, graphs: Sequence[ActionGraph]
) -> Look:
    """Return the changes of graphs that were written anew; a graph about which nothing was found stays as it is."""
    wanted = passage.count or len(graphs)
    answer = read_graphs(text, wanted)
    if isinstance(answer, Unreadable):
        return Look(notes=(answer.reason if answer.reason != "no triplet found" else UNREADABLE,), is_readable=False)
    new = answer.graphs
    if any(len(graph) > MOST_TRIPLETS for graph in new):
        return Look(notes=(f"a graph of more than {MOST_TRIPLETS} triplets was left out",), is_readable=False)
    if len(new) != len(graphs):
        if passage.count is not None and abs(len(new) - wanted) < abs(len(graphs) - wanted):
            return Look(rewritten=new)
        return Look(notes=(f"{len(new)} graphs in place of {wanted} were left out",))
    if any(question.code == GRAPH_COUNT for question in questions):
        return Look(notes=("as many graphs too many or too few were left out",))
    named, kept = list[Named](), 0
    for number, (old, graph) in enumerate(zip(graphs, new, strict=True)):
        reasons = [question for question in questions if question.graph in (number, None)]
        edits = edits_between(number, old, graph) if old != graph else ()
        kept += bool(edits) and not reasons
        for edit in edits if reasons else ():
            about = [
                reason
                for reason in reasons
                if reason.triplet is not None and reason.triplet in (edit.before, edit.after)
            ]
            nearest = (about or reasons)[0]
            named.append(Named((edit,), nearest.code, nearest.reason))
    notes = (f"changes without a reason, left out: {kept} graphs",) if kept else ()
    return Look(tuple(named), notes=notes)


def schema_of(
    questions: Sequence[FindingQuestion], vocabulary: Vocabulary | None, graphs: Sequence[ActionGraph]
) -> dict[str, Any] | None:
    """Return the response format of a reply, which allows exactly L, an answer to each finding, and a point for each
    triplet and for two that each graph lacks; None where graphs are to be written anew.
    """
    if any(question.code == GRAPH_COUNT for question in questions) or not graphs:
        return None
    triplet = {"anyOf": [{"$ref": "#/$defs/triplet"}, {"type": "null"}]}
    sure = {"type": "integer", "description": "from 0 to 100"}
    most = max((len(question.choices) for question in questions), default=0)
    decision = _closed(
        finding=_one_of(range(1, len(questions) + 1)),
        choice={"anyOf": [_one_of(LETTERS[: most + 1]), {"type": "null"}]},
        triplet=triplet,
        sure=sure,
    )
    point = _closed(
        graph=_one_of(range(1, len(graphs) + 1)),
        kind=_one_of(map(str, Corruption)),
        as_it_is=triplet,
        as_it_should_be=triplet,
        sure=sure,
    )
    most_points = sum(len(graph.triplets) + LACKING for graph in graphs)
    parts = {"points": {"type": "array", "items": point, "maxItems": min(most_points, MOST_POINTS)}}
    if questions:
        parts = {"decisions": {"type": "array", "items": decision, "maxItems": len(questions)}, **parts}
    schema = _closed(**parts)
    node = {"type": "string"} if vocabulary is None else _one_of(allowed_nodes(vocabulary))
    edge = {"type": "string"} if vocabulary is None else _one_of(allowed_edges(vocabulary))
    schema["$defs"] = {"node": node, "edge": edge, "triplet": _closed(**_triplet_parts())}
    return {"type": "json_schema", "json_schema": {"name": "look", "schema": schema, "strict": True}}


def _triplet_parts() -> dict[str, Any]:
    node = {"$ref": "#/$defs/node"}
    return {"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}


def _closed(**properties: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _one_of(values: Iterator[Any] | Sequence[Any] | range) -> dict[str, Any]:
    allowed = list(values)
    return {"type": "integer" if allowed and isinstance(allowed[0], int) else "string", "enum": allowed}
