"""Items of row tasks for an audit, with the scores of baselines and of answers that ignore the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import AuditedItem, Check, Slip, content, context_hash, repeats
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.judgement import Sample
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.examples import folded
from tsgkit.suites.solvers.scorers import judge_reading, read_reply
from tsgkit.suites.task import Task

FEWEST_WORDS = 4
"""Questions with fewer words that say something are alike by chance."""


def audit_rows(task: Task, data: str | None) -> Auditable:
    """Return the items of a task of rows, with the scores of its baselines and of other items' answers for them."""
    dataset = task.dataset(data)
    samples: list[Sample] = [dataset.sample(number) for number in range(len(dataset))]
    by_id = {sample.item_id: sample for sample in samples}
    following = dict[str, Sample]()  # the next sample of another cluster; the first follows the last
    for index, sample in enumerate(samples):
        others = (samples[(index + step) % len(samples)] for step in range(1, len(samples)))
        if successor := next((candidate for candidate in others if candidate.cluster != sample.cluster), None):
            following[sample.item_id] = successor
    main = next((name for name, metric in task.card.metrics.items() if metric.headline), "")

    def right_answer(sample: Sample) -> str:
        """Return the right answer in the form that is asked for, else in words."""
        answer = None if task.prompt is None else task.prompt.answer
        return task.view.reference(sample) if answer is None else answer(sample)

    def worth(item: AuditedItem, text: str) -> float:
        """Return the main score of a reply's text."""
        sample = by_id[item.item_id]
        score = judge_reading(task, sample, read_reply(task, sample, CollectedReply(text))).scores["strict"].get(main)
        return (score.value or 0.0) if score is not None else 0.0

    def baseline(item: AuditedItem, name: str) -> float:
        assert task.baselines.program is not None  # noqa: S101  (it has one of this name)
        return worth(item, str(task.baselines.program(task, name, 0, dataset).answer(by_id[item.item_id])))

    def alike(items: Sequence[AuditedItem]) -> Iterator[Slip]:
        for item, first in repeats(items, lambda item: content(item.question)):
            if len(content(item.question)) >= FEWEST_WORDS and first.question != item.question:
                yield Slip("near-duplicate", item.item_id, f"the same words as {first.item_id}")

    def contaminated(items: Sequence[AuditedItem]) -> Iterator[Slip]:
        if task.card.examples is None or task.prompt is None:
            return
        identity, examples = task.prompt.identity_of, task.prompt.examples().examples
        shown = {part: example.item.item_id for example in examples for part in identity(example.item).contents}
        for sample in samples:
            clash = next((shown[part] for part in identity(sample).contents if part in shown), None)
            if clash is not None:
                yield Slip("contamination", sample.item_id, f"the worked example {clash} shows it")

    answerers = [
        Answerer(
            "the answer to the next item",
            "the answers to other items, not the question",
            gets=lambda item: worth(item, right_answer(following[item.item_id])),
            needs=lambda item: item.item_id in following,
        )
    ]
    for name in task.baselines.names:
        gets = lambda item, name=name: baseline(item, name)  # noqa: E731  (one for each name)
        answerers.append(Answerer(f"baseline/{name}", "the question", gets=gets, needs=lambda _: True, is_blind=False))
    items = [
        AuditedItem(
            sample.item_id,
            sample.cluster,
            folded(task.view.question(sample)),
            answer=context_hash(right_answer(sample)),
            group=next((name for group in task.groups.names[:1] for name in sample.groups.get(group, ())), ""),
        )
        for sample in samples
    ]
    checks = (
        Check("near-duplicate", "questions with the same words in another order or form", alike, is_error=False),
        Check("contamination", "items that the worked examples show", contaminated),
    )
    return Auditable(items, checks, tuple(answerers), clusters_are="items")
