"""What is asked: the samples of all tasks, made from rows.

The id of a sample is the row's ``item_id``, else its number; a question row holds several, told apart by ``/0``, ``/1``
... unless each question has an ``item_id`` of its own. Derived tasks make theirs of the generation samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.library.documents.reading import Document
from tsgkit.library.documents.rows import Entry, RowKind, are_of_several
from tsgkit.suites.tsg.asked import LETTERS, GenerationSample, QuestionSample, Sample, SelectionSample
from tsgkit.suites.tsg.clusters import Clustering, Clusters, ids_of, own_name
from tsgkit.suites.tsg.derived import (
    DERIVATIONS,
    OF_SEVERAL,
    SINGLE,
    ActionsSample,
    DerivedSample,
    EdgesSample,
    NodesSample,
    RefineSample,
)

__all__ = [
    "LETTERS",
    "ROWS",
    "TASKS",
    "AnySample",
    "GenerationSample",
    "QuestionSample",
    "Sample",
    "SelectionSample",
    "check_answerable",
    "check_several",
    "clusters_of",
    "is_single",
    "references_of",
    "samples_from",
    "samples_of",
    "task_of_counts",
]

TASKS: dict[str, RowKind] = {"sgqa": "sgqa", "sgds": "sgds", "sa-sgg": "sgg", "ma-sgg": "sgg"}
"""The published tasks, and the kind of row each is made from."""
ROWS: dict[str, RowKind] = {**TASKS, **dict.fromkeys(DERIVATIONS, "sgg")}
"""All tasks, and the kind of row each is made from."""
ONE_GRAPH = (*SINGLE, *(name for name, made in DERIVATIONS.items() if made.sources == SINGLE))
"""The tasks of one graph an item."""
AnySample = (
    QuestionSample | SelectionSample | GenerationSample | NodesSample | EdgesSample | ActionsSample | RefineSample
)


def samples_of(document: Document, task: str) -> tuple[AnySample, ...]:
    """The samples of a task that a document of rows holds; ``UsageError`` where it is not that task's data."""
    if task not in ROWS:
        raise UsageError(f"there is no task {task}", hint=f"the tasks: {', '.join(ROWS)}")
    if document.format != ROWS[task]:
        raise UsageError(f"{document.file}: {document.format} is not data of {task}, which are {ROWS[task]} rows")
    if broken := [finding for finding in document.findings if finding.code in ("broken-line", "other-format")]:
        line = f"line {broken[0].place.line}: " if broken[0].place.line else ""
        raise UsageError(f"{document.file}: {line}{broken[0].message}", hint="tsgkit check shows all that is wrong")
    clusters = clusters_of(document)
    samples = tuple(
        sample
        for number, entry in enumerate(document.entries)
        for sample in samples_from(entry, task, document.file, clusters.name(number))
    )
    _check_ids(samples, document.file)
    check_answerable(samples, task, document.file)
    check_several(samples, task, document.file)
    return samples


def task_of_counts(counts: Sequence[int]) -> Literal["sa-sgg", "ma-sgg"]:
    """Return the generation task of rows with so many graphs each."""
    return "ma-sgg" if are_of_several(counts) else "sa-sgg"


def clusters_of(document: Document) -> Clusters:
    """Return the clusters of a document's rows, by their numbers."""
    clustering = Clustering()
    for entry in document.entries:
        clustering.add(entry)
    return clustering.clusters()


def samples_from(entry: Entry, task: str, file: str = "the data", cluster: str = "") -> tuple[AnySample, ...]:
    """The samples of a task that one row holds; what a task is derived from must itself be answerable.

    ``cluster`` is the one that the whole file puts the row in; without it, the row's own name is taken.
    """
    made = tuple(MAKERS[ROWS[task]](entry, cluster or own_name(entry.row or {})))
    if task in OF_SEVERAL:
        made = tuple(replace(sample, of_several=True) for sample in made)
    if task not in DERIVATIONS:
        return made
    derivation = DERIVATIONS[task]
    for sample in made:
        check_answerable((sample,), derivation.source_of(sample), file)
    return tuple(derived for sample in made for derived in derivation.make(sample))


def references_of(sample: AnySample) -> tuple[ActionGraph, ...]:
    """The graphs that are the right answer; none where something else than graphs is asked for."""
    if isinstance(sample, GenerationSample):
        return sample.references
    if isinstance(sample, EdgesSample):
        return sample.source.references
    return (sample.original,) if isinstance(sample, RefineSample) else ()


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


def check_several(samples: Iterable[AnySample], task: str, file: str) -> None:
    """Refuse a file for a task of several graphs in which every item has one: it is another task's."""
    if task in OF_SEVERAL and all(map(is_single, samples)):
        raise UsageError(
            f"{file}: every item has one graph, so these are rows of sa-sgg, not {_source(task)}",
            hint=f"name the task that is made of them: {', '.join(f'tsg/{name}' for name in ONE_GRAPH)}",
        )


def is_single(sample: AnySample) -> bool:
    """Say whether an item has one graph although its task is one of several."""
    return isinstance(sample, GenerationSample | DerivedSample) and sample.is_single


def _source(task: str) -> str:
    return DERIVATIONS[task].sources[0] if task in DERIVATIONS else task


def _problem(sample: AnySample, task: str) -> str:
    if isinstance(sample, SelectionSample):
        count = len(sample.candidates)
        if not 0 <= sample.position < count or count > len(LETTERS):
            return f"has its answer at position {sample.position} of {count} candidates (at most {len(LETTERS)})"
    elif isinstance(sample, GenerationSample):
        if not sample.k or not all(graph.triplets for graph in sample.references):
            return "has no reference graphs, or one without triplets"
        if sample.k > 1 and task == "sa-sgg":
            return f"has k = {sample.k}, so it belongs to ma-sgg, not {task}"
    return ""


def _questions(entry: Entry, cluster: str) -> Iterator[QuestionSample]:
    row = entry.row or {}
    for number, pair in enumerate(row["qa_pairs"]):
        yield QuestionSample(
            item_id=str(pair.get("item_id") or f"{entry.item}/{number}"),
            cluster=cluster,
            scenarios=ids_of(row) or (own_name(row),),
            groups=_groups(row | pair, len(entry.narrative.graphs)),
            graphs=entry.narrative.graphs,
            question=pair["Q"],
            answer=pair["A"],
        )


def _selection(entry: Entry, cluster: str) -> Iterator[SelectionSample]:
    row = entry.row or {}
    *context, graph = entry.narrative.graphs
    yield SelectionSample(
        item_id=entry.item,
        cluster=cluster,
        scenarios=ids_of(row) or (own_name(row),),
        groups=_groups(row, 1),
        context=tuple(context),
        graph=graph,
        candidates=tuple(row["variations"]),
        position=row["position"],
    )


def _generation(entry: Entry, cluster: str) -> Iterator[GenerationSample]:
    row = entry.row or {}
    narrative = entry.narrative
    context = row["context"]
    yield GenerationSample(
        item_id=entry.item,
        cluster=cluster,
        scenarios=ids_of(row) or (own_name(row),),
        groups=_groups(row, len(narrative.graphs)),
        context=(context,) if isinstance(context, str) else tuple(context),
        sentence=row["target_sentence"],
        vocabulary=narrative.vocabulary or Vocabulary(),
        references=narrative.graphs,
        context_is_text=isinstance(context, str),
    )


MAKERS: dict[str, Callable[[Entry, str], Iterator[Any]]] = {"sgqa": _questions, "sgds": _selection, "sgg": _generation}


def _groups(row: dict[str, Any], k: int) -> dict[str, tuple[str, ...]]:
    tags = row.get("tags")
    return {
        "k": (str(k),),
        "domain": (str(row.get("domain") or "(none)"),),
        "tag": tuple(dict.fromkeys(str(tag) for tag in tags)) if isinstance(tags, list) and tags else ("(none)",),
    }
