"""Tasks whose answers are graphs of a sentence, to be written or to be mended.

>>> from tsgkit.library.cards import load_card
>>> task = DraftedTask(load_card("tsg/refine-hinted"))
>>> draft = task.draft(task.dataset(None).sample(0))
>>> draft.k, draft.hints
(1, ('redundant',))
"""

from __future__ import annotations

from tsgkit.errors import UsageError
from tsgkit.suites.solvers.answerable import Draft
from tsgkit.suites.tsg.derived import RefineSample
from tsgkit.suites.tsg.samples import AnySample, GenerationSample
from tsgkit.suites.tsg.task import TsgTask


class DraftedTask(TsgTask):
    """A generation or repair task, which agents can do too."""

    def draft(self, item: AnySample) -> Draft:
        """Return what an agent is told of an item: no more than its prompt tells."""
        return draft_of(item)


def draft_of(sample: AnySample) -> Draft:
    """Return what a generation or repair sample tells."""
    if isinstance(sample, GenerationSample):
        return Draft(
            sentence=sample.sentence,
            context=sample.context,
            vocabulary=sample.vocabulary,
            k=sample.k,
            begins=not sample.context,
            right=sample.references,
        )
    if isinstance(sample, RefineSample):
        return Draft(
            sentence=sample.sentence,
            context=sample.context,
            vocabulary=sample.vocabulary,
            k=1,
            begins=not sample.context and not sample.number,
            spoilt=sample.spoilt,
            hints=tuple(map(str, sample.kinds)) if sample.hinted else (),
            right=(sample.original,),
        )
    raise UsageError(f"item {sample.item_id} asks for no graphs of a sentence, so there is nothing to draft")
