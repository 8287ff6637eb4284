"""A judge that is shown the picture of an item, if there is one that can be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tsgkit.llm.pictures import Picture
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.judges.images import Images
from tsgkit.suites.judges.judge import Judge, Question, a_model
from tsgkit.suites.together import together
from tsgkit.suites.transcript import Ask, Transcript


@dataclass(frozen=True)
class PictureJudge:
    """A judge with the folder of pictures that it is shown."""

    judge: Judge
    images: Images

    async def transcript(
        self, sample: FormulaSample, ask: Ask | None, questions: Callable[[Picture], Iterable[Question[None]]]
    ) -> Transcript:
        """Put all questions about the picture of an item, beside each other; the record of it comes last."""
        model = a_model(ask, "pictures")
        sight, picture = await self.images.of_item(sample.number)
        asked = () if picture is None else questions(picture)
        answers = await together(*(self.judge.answer(model, question) for question in asked))
        return Transcript((*(said for answer in answers for said in answer.said), sight.said))
