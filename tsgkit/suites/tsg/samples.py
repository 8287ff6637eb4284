"""What is asked: the samples of the four tasks, made from rows.

A sample has an id, a cluster (samples of one scenario are not independent), and what it can be grouped by. The id is
the row's ``item_id``, else its number; a question row holds several, told apart by ``/0``, ``/1`` ... unless each
question has an ``item_id`` of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.suites.tsg.documents import Document
from tsgkit.suites.tsg.rows import Entry

TASKS = {"sgqa": "sgqa", "sgds": "sgds", "sa-sgg": "sgg", "ma-sgg": "sgg"}
"""The tasks, and the kind of row each is made from."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One thing asked."""

    item_id: str
    cluster: str
    scenarios: tuple[str, ...] = field(default=(), compare=False)
    """Every id that its scenario goes by."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, kw_only=True)
class QuestionSample(Sample):
    """A question about a scenario's graphs; the answer is one of their nodes."""

    graphs: tuple[ActionGraph, ...]
    question: str
    answer: str

    @property
    def nodes(self) -> frozenset[str]:
        """The names of all nodes, one of which is the answer."""
        return frozenset(
            name for graph in self.graphs for triplet in graph for name in (triplet.source, triplet.target)
        )


@dataclass(frozen=True, kw_only=True)
class SelectionSample(Sample):
    """A graph after its context, and the sentences of which one describes it."""

    context: tuple[ActionGraph, ...]
    graph: ActionGraph
    candidates: tuple[str, ...]
    position: int

    @property
    def answer(self) -> str:
        """The letter of the right candidate."""
        return LETTERS[self.position]


@dataclass(frozen=True, kw_only=True)
class GenerationSample(Sample):
    """A sentence after its context and L, and the graphs it tells."""

    context: tuple[str, ...]
    sentence: str
    vocabulary: Vocabulary
    references: tuple[ActionGraph, ...]
    context_is_text: bool = False
    """Whether the row holds its context as one text; the published prompts show that and a list differently."""

    @property
    def k(self) -> int:
        """How many graphs are asked for."""
        return len(self.references)


AnySample = QuestionSample | SelectionSample | GenerationSample


def samples_of(document: Document, task: str) -> tuple[AnySample, ...]:
    """The samples of a task that a document of rows holds; ``UsageError`` where it is not that task's data."""
    if task not in TASKS:
        raise UsageError(f"there is no task {task}", hint=f"the tasks: {', '.join(TASKS)}")
    if document.format != TASKS[task]:
        raise UsageError(f"{document.file}: {document.format} is not data of {task}, which are {TASKS[task]} rows")
    if broken := [finding for finding in document.findings if finding.code in ("broken-line", "other-format")]:
        line = f"line {broken[0].place.line}: " if broken[0].place.line else ""
        raise UsageError(f"{document.file}: {line}{broken[0].message}", hint="tsgkit check shows all that is wrong")
    samples = tuple(sample for entry in document.entries for sample in samples_from(entry, task))
    _check_ids(samples, document.file)
    check_answerable(samples, task, document.file)
    return samples


def samples_from(entry: Entry, task: str) -> tuple[AnySample, ...]:
    """The samples of a task that one row holds."""
    return tuple(MAKERS[TASKS[task]](entry))


def _check_ids(samples: tuple[AnySample, ...], file: str) -> None:
    seen: set[str] = set()
    for sample in samples:
        if sample.item_id in seen:
            raise UsageError(f"{file}: the item id {sample.item_id} occurs twice")
        seen.add(sample.item_id)


def check_answerable(samples: tuple[AnySample, ...], task: str, file: str) -> None:
    """Every item has a right answer, and is of this task: what cannot be right must not be scored as wrong."""
    for sample in samples:
        if problem := _problem(sample, task):
            raise UsageError(f"{file}: item {sample.item_id} {problem}", hint="tsgkit check shows all that is wrong")


def _problem(sample: AnySample, task: str) -> str:
    if isinstance(sample, SelectionSample):
        count = len(sample.candidates)
        if not 0 <= sample.position < count or count > len(LETTERS):
            return f"has its answer at position {sample.position} of {count} candidates (at most {len(LETTERS)})"
    elif isinstance(sample, GenerationSample):
        if not sample.k or not all(graph.triplets for graph in sample.references):
            return "has no reference graphs, or one without triplets"
        if (sample.k == 1) != (task == "sa-sgg"):
            return f"has k = {sample.k}, so it belongs to {'sa-sgg' if sample.k == 1 else 'ma-sgg'}, not {task}"
    return ""


def _questions(entry: Entry) -> Iterator[QuestionSample]:
    row = entry.row or {}
    for number, pair in enumerate(row["qa_pairs"]):
        yield QuestionSample(
            item_id=str(pair.get("item_id") or f"{entry.item}/{number}"),
            cluster=_cluster(row, row["context_graphs"]),
            scenarios=_scenarios(row),
            groups=_groups(row | pair, len(entry.narrative.graphs)),
            graphs=entry.narrative.graphs,
            question=pair["Q"],
            answer=pair["A"],
        )


def _selection(entry: Entry) -> Iterator[SelectionSample]:
    row = entry.row or {}
    *context, graph = entry.narrative.graphs
    yield SelectionSample(
        item_id=entry.item,
        cluster=_cluster(row, row["context_graphs"] or row["target_sentence"]),
        scenarios=_scenarios(row),
        groups=_groups(row, 1),
        context=tuple(context),
        graph=graph,
        candidates=tuple(row["variations"]),
        position=row["position"],
    )


def _generation(entry: Entry) -> Iterator[GenerationSample]:
    row = entry.row or {}
    narrative = entry.narrative
    context = row["context"]
    yield GenerationSample(
        item_id=entry.item,
        cluster=_cluster(row, {name: sorted(names) for name, names in row["mandatory_space"].items()}),
        scenarios=_scenarios(row),
        groups=_groups(row, len(narrative.graphs)),
        context=(context,) if isinstance(context, str) else tuple(context),
        sentence=row["target_sentence"],
        vocabulary=narrative.vocabulary or Vocabulary(),
        references=narrative.graphs,
        context_is_text=isinstance(context, str),
    )


MAKERS: dict[str, Any] = {"sgqa": _questions, "sgds": _selection, "sgg": _generation}


def _cluster(row: dict[str, Any], otherwise: object) -> str:
    """Samples of one scenario share a cluster: by its id, by the clip's, else by what they have in common."""
    return next(iter(_scenarios(row)), json.dumps(otherwise, sort_keys=True))


def _scenarios(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[field]) for field in ("scenario_id", "data_id") if row.get(field) not in (None, ""))


def _groups(row: dict[str, Any], k: int) -> dict[str, tuple[str, ...]]:
    tags = row.get("tags")
    return {
        "k": (str(k),),
        "domain": (str(row.get("domain") or "(none)"),),
        "tag": tuple(dict.fromkeys(str(tag) for tag in tags)) if isinstance(tags, list) and tags else ("(none)",),
    }
