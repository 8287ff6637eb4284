"""Items of row tasks for an audit, with the scores of baselines and of answers that ignore the question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tsgkit.library.cards import Card
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.checks import Check
from tsgkit.suites.audits.items import Item, Slip, content, context_hash
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.judgement import Judged, Sample
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.examples import Pool, folded
from tsgkit.suites.solvers.protocols import AsAsked, Reading

FEWEST_WORDS = 4
"""Questions with fewer words that say something are alike by chance."""


class Rows(Protocol):
    """The part of a row task that an audit needs."""

    card: Card
    groups: tuple[str, ...]
    baselines: Mapping[str, Callable[[Any, int], str]]

    def question(self, sample: Any) -> str:  # noqa: ANN401  (its suite's sample)
        """Return what was asked about."""

    def shown_answer(self, item: Any) -> str:  # noqa: ANN401
        """Return the right answer in the form that is asked for."""

    def read(self, item: Any, reply: Reply | None) -> Reading[Any]:  # noqa: ANN401
        """Read a reply."""

    def score(self, item: Any, reading: Reading[Any], asked: AsAsked | None) -> Judged:  # noqa: ANN401
        """Score an answer."""

    def pool(self) -> Pool[Any]:
        """Return the worked examples."""


def auditable_rows(task: Rows, samples: Sequence[Sample]) -> Auditable:
    """Return the items of a row task, with the scores of other items' answers for them."""
    by_id = {sample.item_id: sample for sample in samples}
    following = _following(samples)

    def baseline(item: Item, name: str) -> float:
        return _worth(task, by_id[item.item_id], task.baselines[name](by_id[item.item_id], 0))

    def another(item: Item) -> float:
        return _worth(task, by_id[item.item_id], task.shown_answer(following[item.item_id]))

    answerers = [
        Answerer(
            "the answer to the next item",
            "the answers to other items, not the question",
            gets=another,
            needs=lambda item: item.item_id in following,
        )
    ]
    for name in task.baselines:
        gets = lambda item, name=name: baseline(item, name)  # noqa: E731  (one for each name)
        answerers.append(Answerer(f"baseline/{name}", "the question", gets=gets, needs=lambda _: True, is_blind=False))
    items = [_item(task, sample) for sample in samples]
    checks = (
        Check("near-duplicate", "questions with the same words in another order or form", _alike, is_error=False),
        Check("contamination", "items that the worked examples show", lambda _: _shown(task, samples)),
    )
    return Auditable(items, checks, tuple(answerers), clusters_are="items")


def _item(task: Rows, sample: Sample) -> Item:
    kinds = [name for group in task.groups[:1] for name in sample.groups.get(group, ())]
    answer = context_hash(task.shown_answer(sample))
    return Item(
        sample.item_id, sample.cluster, folded(task.question(sample)), answer=answer, group=kinds[0] if kinds else ""
    )


def _following(samples: Sequence[Sample]) -> dict[str, Sample]:
    """Return the next sample of another cluster for each that has one; the first follows the last."""
    found = {}
    for place, sample in enumerate(samples):
        others = (samples[(place + step) % len(samples)] for step in range(1, len(samples)))
        other = next((one for one in others if one.cluster != sample.cluster), None)
        if other is not None:
            found[sample.item_id] = other
    return found


def _worth(task: Rows, sample: Sample, text: str) -> float:
    """Return the main score of a reply's text."""
    main = next((name for name, metric in task.card.metrics.items() if metric.headline), "")
    score = task.score(sample, task.read(sample, Reply(text)), None).scores["strict"].get(main)
    return (score.value or 0.0) if score is not None else 0.0


def _alike(items: Sequence[Item]) -> Iterator[Slip]:
    seen: dict[frozenset[str], Item] = {}
    for item in items:
        said = content(item.question)
        first = seen.setdefault(said, item)
        if len(said) >= FEWEST_WORDS and first.question != item.question:
            yield Slip("near-duplicate", item.item_id, f"the same words as {first.item_id}")


def _shown(task: Rows, samples: Iterable[Sample]) -> Iterator[Slip]:
    if task.card.examples is None:
        return
    pool = task.pool()
    shown = {one: example.item.item_id for example in pool.examples for one in pool.identity(example.item).contents}
    for sample in samples:
        clash = next((shown[one] for one in pool.identity(sample).contents if one in shown), None)
        if clash is not None:
            yield Slip("contamination", sample.item_id, f"the worked example {clash} shows it")
