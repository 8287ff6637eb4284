"""The task ``formalimg/natural``: a judge decides whether an image satisfies the formula, and which clauses hold.

>>> from tsgkit.llm.reply import Reply
>>> answer = judgement_in(Reply('{"satisfies_constraint": "False", "satisfied_clauses": ["(Is ?x  \\'cat\\')"]}'))
>>> answer.verdict, [normal(text) for text in answer.clauses], answer.is_repaired
(False, ["(Is ?x 'cat')"], True)

The judge's verdict is accepted as it is. A positive verdict with failing clauses is counted and reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tsgkit.errors import NotationError
from tsgkit.library.cards import Card
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Reply
from tsgkit.logic.clauses import category
from tsgkit.logic.formula import And, text_of
from tsgkit.logic.parser import parse
from tsgkit.logic.verdicts import Verdict
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import object_with
from tsgkit.replies.reasoning import spoken
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.formalimg.images import FolderTexts, ImageQuestions, paintings_of
from tsgkit.suites.formalimg.official import judgement
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.formalimg.task import FORMULA_METRICS, clauses_that_hold, formula_task
from tsgkit.suites.formalimg.verdicts import Clause, Findings, clauses_in
from tsgkit.suites.judges.images import ShownImage
from tsgkit.suites.judges.judge import JudgeQuestion, JudgeReading, messages_of, outcome_of
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.task import PUBLISHED, Official, Task

PARTS = {"judge": ("prompt", "formula", "clauses")}
"""The parts of the judge's prompts, with their fields."""
TRIES = 10
LABEL = "judge"
INSTRUCTIONS, VERDICT_LENGTH = 1500, 100
"""The estimated characters of the instructions, without the image, and of a reply that lists no clause."""
VERDICT, CLAUSES = "satisfies_constraint", "satisfied_clauses"
AS_JSON = {"type": "json_object"}
NO_RESULT = "no result: the published code leaves the item out"
INCONSISTENT = "the judge's verdict is true, but it leaves out clauses"
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
STYLES = clauses_that_hold("clauses about the style of the image")


# Questions


def instructions(texts: FolderTexts, sample: FormulaSample) -> str:
    """Return the judge's prompt: the instruction, the formula and its clauses."""
    clauses = "\n".join(dict.fromkeys(map(text_of, clauses_in(sample))))
    return texts.render("judge", prompt=sample.prompt, formula=sample.cnf, clauses=clauses)


def _expected(sample: FormulaSample, protocol: str) -> Expected:
    """Return one call."""
    clauses = sum(len(text_of(clause)) for clause in clauses_in(sample))
    sent = INSTRUCTIONS + len(sample.prompt) + len(sample.cnf) + clauses
    return Expected((1, 1), (sent, sent), (VERDICT_LENGTH, VERDICT_LENGTH + clauses))


# Reading


@dataclass(frozen=True)
class JudgeReply:
    """A judge's verdict and clauses about an image, or the problem with its reply."""

    verdict: bool | None
    clauses: tuple[str, ...] = ()
    is_repaired: bool = False
    problem: str = ""


def judgement_in(reply: Reply) -> JudgeReply:
    """Read the verdict and the clauses of a reply, in any form."""
    text = spoken(reply.text or "")
    answer = text if isinstance(text, Unreadable) else object_with(text.text, VERDICT)
    if isinstance(answer, Unreadable):
        return JudgeReply(None, problem=answer.reason)
    verdict, clauses = answer.value[VERDICT], answer.value.get(CLAUSES)
    if isinstance(verdict, str):
        verdict = TRUTHS.get(verdict.strip().lower())
    if not isinstance(verdict, bool):
        return JudgeReply(None, problem=f"{VERDICT} is neither true nor false")
    if not isinstance(clauses, list) or not all(isinstance(clause, str) for clause in clauses):
        return JudgeReply(None, problem=f"{CLAUSES} is no list of texts")
    is_repaired = answer.repaired or not isinstance(answer.value[VERDICT], bool)
    return JudgeReply(verdict, tuple(clauses), is_repaired)


def normal(text: str) -> str:
    """Return a clause with normalised spaces."""
    try:
        return text_of(parse(text))
    except NotationError:
        return " ".join(text.split())


def _named(texts: Sequence[str]) -> Iterator[str]:
    """Yield every clause a judge names; a conjunction gives its parts."""
    for text in texts:
        yield normal(text)
        try:
            formula = parse(text)
        except NotationError:
            continue
        if isinstance(formula, And):
            yield from map(text_of, formula.parts)


def judged_clauses(sample: FormulaSample, texts: Sequence[str]) -> tuple[tuple[Clause, ...], int]:
    """Return the clauses of an item as judged, and the number of named clauses that it does not have."""
    named = set(_named(texts))
    clauses = tuple(Clause(text_of(part), category(part), text_of(part) in named) for part in clauses_in(sample))
    known = {clause.text for clause in clauses}
    return clauses, sum(not known.intersection(_named([text])) for text in texts)


# Scoring


def _unseen(sample: FormulaSample, protocol: str, outcome: Outcome, why: str) -> Findings:
    """Return findings without a reply."""
    clauses, _ = judged_clauses(sample, ())
    return Findings(official=NO_RESULT, clauses=clauses, why=why, notes=(why,))


def _seen(
    sample: FormulaSample, protocol: str, replies: Mapping[str, Reply], sight: ShownImage
) -> tuple[Outcome, Findings]:
    """Accept the judge's verdict and clauses."""
    reply = replies.get(LABEL)
    if reply is None:
        return Outcome.MISSING, _unseen(sample, protocol, Outcome.MISSING, "the judge was not asked")
    result = judgement(reply.text or "")
    published = NO_RESULT if result is None else Verdict(bool(result.get(VERDICT, False)), "official")
    ended = outcome_of(reply)
    is_complete = ended is Outcome.UNREADABLE  # with text
    read = judgement_in(reply) if is_complete else JudgeReply(None, problem=f"the judge's reply is {ended}")
    clauses, unknown = judged_clauses(sample, read.clauses)
    if read.verdict is None:
        notes = (*sight.notes, read.problem)
        return ended, Findings(official=published, clauses=clauses, why=read.problem, notes=notes)
    failed = [clause.text for clause in clauses if not clause.holds]
    reason = "" if read.verdict else f"judged to fail: {'; '.join(failed) or 'no clause in particular'}"
    oddities = [f"the judge names {unknown} clauses that the formula does not have"] if unknown else []
    if read.verdict and failed:
        oddities.append(f"{INCONSISTENT}: {'; '.join(failed)}")
    findings = Findings(
        strict=Verdict(read.verdict, "strict", reason=reason),
        official=published,
        clauses=clauses,
        answer={VERDICT: read.verdict, CLAUSES: [clause.text for clause in clauses if clause.holds]},
        notes=(*sight.notes, *oddities),
        counts={"repaired": int(read.is_repaired), "inconsistent": int(read.verdict and bool(failed))},
    )
    return Outcome.ANSWERED, findings


def natural(card: Card) -> Task:
    """Return the task that judges images of scenes."""

    def about(
        sample: FormulaSample, image: ImageFile, protocol: str, texts: FolderTexts
    ) -> Sequence[JudgeQuestion[None]]:
        """Return the published question: text, then the image; asked again if the reply is unreadable."""
        messages = messages_of(instructions(texts, sample), images=(image,))
        return [JudgeQuestion(LABEL, messages, reading, AS_JSON, TRIES)]

    def reading(reply: Reply) -> JudgeReading[None]:
        return JudgeReading(None, NO_RESULT if judgement(reply.text or "") is None else "")

    questions = ImageQuestions(
        texts=partial(FolderTexts.of, "natural", PARTS),
        tries={PUBLISHED: TRIES},
        preview=lambda sample, texts: (instructions(texts, sample), "user", "the image follows in the same message"),
        about=about,
        expected=_expected,
        unseen=_unseen,
        seen=_seen,
    )
    return formula_task(
        card,
        NATURAL,
        why="tasks of their own, layout and knolling, are about them",
        own_metrics={**FORMULA_METRICS, "styles": STYLES},
        official=Official(unpublished=lambda style, protocol: ""),
        looks=questions.looks(),
        paint=paintings_of,
    )
