r"""A model that rates answers in words: a part of a task, asked after whatever answered the item.

>>> rating_in("The tone is right, the facts are not. Rating: 3", (1, 5)), rating_in("**4/5**", (1, 5))
(3, 4)
>>> rating_in("between 2 and 4", (1, 5)), rating_in("Rating: 9", (1, 5)).reason
(Unreadable(reason='several ratings: 2, 4'), 'no rating from 1 to 5')
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.library.templates import Template
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.replies import Unreadable
from tsgkit.replies.reasoning import spoken
from tsgkit.scoring.pooling import Outcome, Score
from tsgkit.suites.judgement import AnswerScores, Given, Judged
from tsgkit.suites.judges.judge import Judge, JudgeQuestion, JudgeReading, Unknown, messages_of, outcome_of, problem_of
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.solvers.solver import Expected, Scorer, Solver, asking
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

GRADE = "judge"
"""The label of the judge's call."""
RATING = "rating"
UNRATED = "unrated"
"""The count of answers for which the judge gave no rating."""
TRIES = 3
NOTHING_TO_RATE = "there is no answer to rate"
MOST_QUOTED = 400
"""The characters of the judge's reason that are kept."""
LABELLED = re.compile(r"\b(?:rating|score|grade)\b[*_ \t]*(?:[:=]|\bis\b)[*_ \t]*", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w.,/-])(\d+)(?:\s*(?:/|out of)\s*\d+)?(?![\w%]|[.,]\d)")
CONTRACT = 'Write your rating, a whole number from {low} to {high}, behind "Rating:" on a line of its own.'


@dataclass(frozen=True)
class JudgedBy:
    """A model that rates the answers of a task, as the ``score`` of a task of one's own.

    ``prompt`` has the fields of the row in braces, and ``{reply}`` for the answer. ``scale`` are the lowest and the
    highest rating; an item without an answer has the lowest. ``--judge`` names another model.
    """

    prompt: str
    model: str
    scale: tuple[int, int] = (1, 5)

    def __post_init__(self) -> None:
        low, high = self.scale
        if not low < high:
            raise UsageError(f"scale {low} to {high}: the first number is the lowest rating", hint="as in scale=(1, 5)")
        if "{reply}" not in self.prompt:
            raise UsageError("the judge's prompt has no {reply}", hint="put it where the answer is to stand")
        if not self.model:
            raise UsageError("judged_by names no model", hint='as in model="openai/gpt-4o"')

    @property
    def fingerprint(self) -> str:
        """A hash of its prompt and its scale."""
        text = f"{self.prompt}\0{self.scale[0]}\0{self.scale[1]}\0{CONTRACT}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def metrics(self) -> dict[str, Metric]:
        """The mean rating."""
        low, high = self.scale
        return {RATING: Metric(f"the judge's rating from {low} to {high}", PER_ITEM, is_share=False, top=high)}

    def text(self, values: Mapping[str, str], reply: str) -> str:
        """Return the judge's prompt about an answer."""
        template = Template.of(self.prompt, optional=[*values, "reply"], source="the judge's prompt")
        low, high = self.scale
        return f"{template.render(**{**values, 'reply': reply})}\n\n{CONTRACT.format(low=low, high=high)}"

    def rated(self, replies: Sequence[Reply]) -> int | Unknown:
        """Return the rating in the last of the judge's replies, or why there is none."""
        last = replies[-1]
        if last.ending is not Ending.COMPLETE:
            return Unknown(problem_of(last), GRADE, outcome_of(last))
        rating = rating_in(last.text or "", self.scale)
        return Unknown(rating.reason, GRADE, outcome_of(last)) if isinstance(rating, Unreadable) else rating


def judged_by(prompt: str, model: str, *, scale: tuple[int, int] = (1, 5)) -> JudgedBy:
    """Return a score of a task: a model's rating of each answer.

        tk.Task("my/kind", rows, "{question}", score=tk.judged_by("How kind is this? {reply}", "openai/gpt-4o"))

    ``prompt`` has the fields of the rows in braces, and ``{reply}`` for the answer; what to write is added behind it.
    """
    return JudgedBy(prompt, model, scale)


def rating_in(text: str, scale: tuple[int, int]) -> int | Unreadable:
    """Return the one rating in a reply: behind the last label, else the only number of the scale in the text."""
    reply = spoken(text)
    if isinstance(reply, Unreadable):
        return reply
    labels = list(LABELLED.finditer(reply.text))
    behind = reply.text[labels[-1].end() :].strip() if labels else ""
    low, high = scale
    numbers = (int(match[1]) for match in NUMBER.finditer(behind.partition("\n")[0] if behind else reply.text))
    ratings = list(dict.fromkeys(number for number in numbers if low <= number <= high))
    if len(ratings) > 1:
        return Unreadable(f"several ratings: {', '.join(map(str, ratings))}")
    return ratings[0] if ratings else Unreadable(f"no rating from {low} to {high}")


@dataclass(frozen=True)
class GradedScorer:
    """A scorer of answers, with the rating of a judge in place of its scores."""

    inner: Scorer
    grader: JudgedBy

    @property
    def style(self) -> str:
        """The style of the prompts."""
        return self.inner.style

    @property
    def unpublished(self) -> str:
        """The reason why there are no official figures."""
        return self.inner.unpublished

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401  (its suite's item)
        """Read the answer, and score it by the judge's rating; without an answer it has the lowest."""
        answer, grades = _parted(transcript)
        judged = self.inner.judge(item, answer)
        low = self.grader.scale[0]
        if judged.outcome is not Outcome.ANSWERED:
            return replace(judged, scores={"strict": {RATING: Score(low, 1, "there is no answer")}})
        rating = self.grader.rated(grades) if grades else Unknown("the judge was not asked", GRADE)
        if isinstance(rating, int):
            reason = " ".join((grades[-1].text or "").split())
            scores = {"strict": {RATING: Score(rating, 1, f"rated {rating}")}}
            return replace(judged, scores=scores, evidence={"rating": rating, "said": reason[:MOST_QUOTED]})
        scores = {"strict": {RATING: Score.missing(str(rating))}}
        notes, evidence = (*judged.notes, str(rating)), {"unrated": str(rating)}
        outcome = Outcome.API_ERROR if rating.outcome is Outcome.API_ERROR else judged.outcome
        counts = {name: number for name, number in judged.counts.items() if name != judged.outcome}
        counts |= {outcome: 1, UNRATED: 1}
        return replace(judged, outcome=outcome, scores=scores, counts=counts, notes=notes, evidence=evidence)

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks: calls of the subject, or those of the judge."""
        answer, grades = _parted(transcript)
        lacking = "" if answer is None else self.inner.unfinished(answer)
        return lacking or ("" if grades else "the judge was not asked")


@dataclass(frozen=True)
class GradedSolver(GradedScorer):
    """A solver whose answers a judge rates."""

    inner: Solver
    values: Callable[[Any], Mapping[str, str]] = dict
    """Returns the fields of an item for the judge's prompt."""

    @property
    def name(self) -> str:
        """The name of the solver."""
        return self.inner.name

    @property
    def fingerprint(self) -> str:
        """All that the solver adds to an answer, and the judge to its rating."""
        return f"{self.inner.fingerprint}/{self.grader.fingerprint}"

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Have the item answered, and ask the judge about the answer; where there is none, that is recorded."""
        answer = await self.inner.solve(item, ask)
        judged = self.inner.judge(item, answer)
        if judged.outcome is not Outcome.ANSWERED:
            nothing = LabelledReply(GRADE, Reply(NOTHING_TO_RATE, source=LOCAL))
            return Transcript((*answer.said, nothing))
        question = JudgeQuestion(GRADE, messages_of(self._asked(item, judged.answer)), self._reading, tries=TRIES)
        rated = await Judge().answer(asking(ask, self.name), question)
        return Transcript((*answer.said, *rated.said))

    def _asked(self, item: Any, answer: Any) -> str:  # noqa: ANN401
        reply = answer if isinstance(answer, str) else json.dumps(answer)
        values = dict(self.values(item))
        if isinstance(item, Mapping):  # the row of a task of one's own
            values |= {name: value if isinstance(value, str) else json.dumps(value) for name, value in item.items()}
        return self.grader.text(values, reply)

    def _reading(self, reply: Reply) -> JudgeReading[int]:
        rating = self.grader.rated([reply])
        return JudgeReading(rating) if isinstance(rating, int) else JudgeReading(None, rating.reason)

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return what the subject is asked."""
        return self.inner.expected(item)

    def expected_of_judge(self, item: Any) -> Expected:  # noqa: ANN401
        """Return what the judge is asked: one call, if the item is answered, about an answer of unknown length."""
        least = len(self._asked(item, ""))
        _, most = self.inner.expected(item).said
        return Expected((0, 1), (0, least + most), (0, len(CONTRACT)), worst=TRIES)


def unrated(item: Any, answer: Any, facts: Given) -> AnswerScores:  # noqa: ANN401
    """Return an answer as it was read, for a judge to rate."""
    return AnswerScores({RATING: Score.missing("not rated")}, answer=answer)


def rating_faults(answer: Any, evidence: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ANN401
    """Return why an answer has no rating."""
    return (evidence["unrated"],) if "unrated" in evidence else ()


def _parted(transcript: Transcript | None) -> tuple[Transcript | None, list[Reply]]:
    """Return the calls of the subject, and those of the judge."""
    if transcript is None:
        return None, []
    answer = tuple(call for call in transcript.said if call.label != GRADE)
    return Transcript(answer), [call.reply for call in transcript.said if call.label == GRADE]
