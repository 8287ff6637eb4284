"""Worked examples for few-shot prompts: chosen by seed from a pool that shares nothing with what is asked.

A pool is a file of ordinary rows, with a ``rationale`` in each (for questions: in each pair). The choice depends on the
seed and the items' ids alone, and fewer shots are the beginning of more, so that an ablation adds examples to those
that were there.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from tsgkit.errors import UsageError
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.suites.tsg.derived import DerivedSample, RefineSample
from tsgkit.suites.tsg.documents import Document
from tsgkit.suites.tsg.rows import Entry
from tsgkit.suites.tsg.samples import AnySample, QuestionSample, SelectionSample, samples_from, samples_of

MOST_NAMED = 3


@dataclass(frozen=True)
class Example:
    """A sample with its answer shown, and the reasoning that leads to it (empty where the pool has none)."""

    sample: AnySample
    rationale: str = ""


def pool_of(document: Document, task: str) -> tuple[Example, ...]:
    """All examples that a pool holds; where a row makes several samples, its rationale is that of each."""
    samples_of(document, task)  # refuses a pool with anything wrong in it
    return tuple(example for entry in document.entries for example in _examples(entry, task, document.file))


def _examples(entry: Entry, task: str, file: str) -> Iterator[Example]:
    samples = samples_from(entry, task, file)
    rationales = tuple(_rationales(entry, file))
    for sample, rationale in zip(samples, cycle(rationales), strict=False):
        yield Example(sample, _with_errors(sample, rationale))


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


def examples_of(pool_document: Document, task: str, shots: int, seed: int = 0) -> tuple[Example, ...]:
    """The examples that a seed chooses from a pool, the same for all samples."""
    pool = pool_of(pool_document, task)
    if shots < 0:
        raise UsageError(f"--shots {shots}: the number of examples is not negative")
    if shots > len(pool):
        raise UsageError(
            f"{pool_document.file}: the pool has {len(pool)}, --shots {shots} asks for more",
            hint=f"ask for at most {len(pool)}, or add examples to the pool",
        )
    drawn = sorted(pool, key=lambda example: _lot(seed, task, example.sample.item_id))
    return tuple(_spread(drawn)[:shots])


def _spread(examples: Sequence[Example]) -> list[Example]:
    """Examples in their order, but what is derived from one row twice only when every other row had its turn."""
    turns = Counter[str]()
    placed: list[tuple[int, Example]] = []
    for example in examples:
        if isinstance(sample := example.sample, DerivedSample):
            placed.append((turns[sample.source.item_id], example))
            turns[sample.source.item_id] += 1
        else:
            placed.append((0, example))
    return [example for _, example in sorted(placed, key=lambda one: one[0])]


def check_disjoint(examples: Iterable[Example | AnySample], samples: Iterable[AnySample]) -> None:
    """Refuse examples (or a whole pool) of scenarios that are asked about, or that are themselves asked."""
    scenarios: dict[str, str] = {}
    contents: dict[Hashable, str] = {}
    for example in examples:
        sample = example.sample if isinstance(example, Example) else example
        contents.setdefault(_content(sample), sample.item_id)
        for name in _names(sample):
            scenarios.setdefault(name, sample.item_id)
    clashes = list(islice(_clashes(samples, scenarios, contents), MOST_NAMED + 1))
    if clashes:
        more = "; and more" if len(clashes) > MOST_NAMED else ""
        raise UsageError(
            f"examples must share nothing with the data: {'; '.join(clashes[:MOST_NAMED])}{more}",
            hint="take examples from other scenarios than those that are asked about",
        )


def _clashes(samples: Iterable[AnySample], scenarios: dict[str, str], contents: dict[Hashable, str]) -> Iterator[str]:
    """Each example that clashes, once, with the first sample it clashes with."""
    named = set[str]()
    for sample in samples:
        same = contents.get(_content(sample))
        shared = next((name for name in _names(sample) if name in scenarios), None)
        example = same or (scenarios[shared] if shared is not None else None)
        if example is None or example in named:
            continue
        named.add(example)
        if same:
            yield f"example {example} is item {sample.item_id}"
        else:
            of = f" {shared}" if shared and len(shared) <= 60 else ""
            yield f"example {example} and item {sample.item_id} are of one scenario{of}"


def _names(sample: AnySample) -> tuple[str, ...]:
    """What a sample's scenario is known by: its ids, else what its samples have in common."""
    return sample.scenarios or (sample.cluster,)


def _content(sample: AnySample) -> Hashable:
    """What makes two items the same one, whatever their ids and distractors: the sentence and the graphs."""
    if isinstance(sample, QuestionSample):
        return "question", _folded(sample.question), sample.graphs
    if isinstance(sample, SelectionSample):
        return "choice", _folded(sample.candidates[sample.position]), sample.graph
    source = sample.source if isinstance(sample, DerivedSample) else sample
    return "generation", _folded(source.sentence), source.references


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _lot(seed: int, task: str, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{task}\n{item_id}".encode("utf-8", "surrogatepass")).digest()


def _rationales(entry: Entry, file: str) -> Iterator[str]:
    row = entry.row or {}
    for holder in row.get("qa_pairs", [row]):
        rationale = holder.get("rationale", "")
        if not isinstance(rationale, str):
            raise UsageError(f"{file}: item {entry.item}: rationale: expected a text")
        yield rationale.strip()
