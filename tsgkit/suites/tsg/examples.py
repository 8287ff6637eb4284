"""Worked examples for few-shot prompts of this suite.

A pool is a file of ordinary rows, with a ``rationale`` in each (for questions: in each pair).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import cycle

from tsgkit.errors import UsageError
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.library.documents.reading import Document
from tsgkit.library.documents.rows import Entry
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded
from tsgkit.suites.tsg.derived import DerivedSample, RefineSample
from tsgkit.suites.tsg.samples import AnySample, QuestionSample, SelectionSample, samples_from, samples_of
from tsgkit.suites.tsg.showing import shown_answer


def pool_of(document: Document, task: str) -> Pool[AnySample]:
    """Return all examples that a file holds; where a row makes several samples, its rationale is that of each."""
    samples_of(document, task)  # refuses a pool with anything wrong in it
    examples = tuple(example for entry in document.entries for example in _examples(entry, task, document.file))
    return Pool(document.file, examples, identity_of, f"{task}\n")


def _examples(entry: Entry, task: str, file: str) -> Iterator[Example[AnySample]]:
    samples = samples_from(entry, task, file)
    rationales = tuple(_rationales(entry, file))
    for sample, rationale in zip(samples, cycle(rationales), strict=False):
        source = sample.source.item_id if isinstance(sample, DerivedSample) else ""
        yield Example(sample, shown_answer(sample), _with_errors(sample, rationale), source)


def _with_errors(sample: AnySample, rationale: str) -> str:
    """A rationale tells what the right graph is; a repair goes on to say what of it was found wrong."""
    if not rationale or not isinstance(sample, RefineSample):
        return rationale
    return " ".join([rationale, *(told_error(change) for change in sample.changes)])


def told_error(change: Change) -> str:
    """An error in a sentence.

    >>> from tsgkit.graph.edits import ChangeKind
    >>> from tsgkit.graph.model import Triplet
    >>> told_error(Change(ChangeKind.MISSING, Triplet("take", "dobj", "lid"), None))
    'In the given graph the edge dobj from take to lid is missing.'
    """
    found = change.candidate if change.candidate is not None else change.reference
    if found is None:
        return ""
    named = f"In the given graph the edge {found.edge} from {found.source} to {found.target}"
    right = change.reference
    if change.kind is ChangeKind.MISSING:
        return f"{named} is missing."
    if change.kind is ChangeKind.EXTRA or right is None:
        return f"{named} is told by nothing and goes."
    if change.kind is ChangeKind.REVERSED:
        return f"{named} points the wrong way."
    return f"{named} has a wrong element: it is {right.edge} from {right.source} to {right.target}."


def identity_of(sample: AnySample) -> Identity:
    """Return what a sample is recognised by: sentence and graphs, and the ids of its scenario or its cluster."""
    return Identity((_content(sample),), sample.scenarios or (sample.cluster,))


def _content(sample: AnySample) -> Hashable:
    """What makes two items the same one, whatever their ids and distractors: the sentence and the graphs."""
    if isinstance(sample, QuestionSample):
        return "question", folded(sample.question), sample.graphs
    if isinstance(sample, SelectionSample):
        return "choice", folded(sample.candidates[sample.position]), sample.graph
    source = sample.source if isinstance(sample, DerivedSample) else sample
    return "generation", folded(source.sentence), source.references


def _rationales(entry: Entry, file: str) -> Iterator[str]:
    row = entry.row or {}
    for holder in row.get("qa_pairs", [row]):
        rationale = holder.get("rationale", "")
        if not isinstance(rationale, str):
            raise UsageError(f"{file}: item {entry.item}: rationale: expected a text")
        yield rationale.strip()
