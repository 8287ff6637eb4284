"""The task ``formalimg/natural``: a judge decides whether an image satisfies the formula, and which clauses hold.

>>> from tsgkit.llm.reply import Reply
>>> said = judgement_in(Reply('{"satisfies_constraint": "False", "satisfied_clauses": ["(Is ?x  \\'cat\\')"]}'))
>>> said.verdict, [normal(text) for text in said.clauses], said.is_repaired
(False, ["(Is ?x 'cat')"], True)

The judge's verdict is accepted as it is. A positive verdict with failing clauses is counted and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tsgkit.errors import NotationError
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Reply
from tsgkit.logic.clauses import category
from tsgkit.logic.formula import And
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.verdicts import Verdict
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import object_with
from tsgkit.replies.reasoning import spoken
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg.images import ImageJudge, ImageTask
from tsgkit.suites.formalimg.official import value_of
from tsgkit.suites.formalimg.prompts import Texts
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.task import FormulaTask, clauses_that_hold
from tsgkit.suites.formalimg.verdicts import Clause, Findings, clauses_in
from tsgkit.suites.judges.judge import Question, Reading, messages_of, outcome_of
from tsgkit.suites.judges.shown_images import ShownImage
from tsgkit.suites.solvers.solver import Expected

TRIES = 10
LABEL = "judge"
INSTRUCTIONS, VERDICT_LENGTH = 1500, 100
"""The estimated characters of the instructions, without the image, and of a reply that lists no clause."""
VERDICT, CLAUSES = "satisfies_constraint", "satisfied_clauses"
AS_JSON = {"type": "json_object"}
NO_RESULT = "no result: the published code leaves the item out"
INCONSISTENT = "the judge's verdict is true, but it leaves out clauses"
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
FENCE_OPENS, FENCE_CLOSES = re.compile(r"```(?:json)?\s*\{"), re.compile(r"\}\s*```")
STYLES = clauses_that_hold("clauses about the style of the image")


class NaturalTask(ImageTask):
    """The task that judges images of scenes."""

    own_metrics = MappingProxyType({**FormulaTask.own_metrics, "styles": STYLES})
    why_left_out = "tasks of their own, layout and knolling, are about them"
    room = "natural"
    parts = MappingProxyType({"judge": ("prompt", "formula", "clauses")})

    # Questions

    def judge_prompt(self, sample: FormulaSample, texts: Texts) -> tuple[str, str, str]:
        """Return the instruction, formula and clauses as text, the role, and a note on what is sent besides."""
        return instructions(texts, sample), "user", "the image follows in the same message"

    def questions(self, sample: FormulaSample, image: ImageFile, look: ImageJudge) -> Sequence[Question[None]]:
        """Return the published question: text, then the image; asked again if the reply is unreadable."""
        messages = messages_of(instructions(look.texts, sample), images=(image,))
        return [Question(LABEL, messages, _published_reading, AS_JSON, TRIES)]

    def expected(self, sample: FormulaSample, protocol: str) -> Expected:
        """Return one call."""
        clauses = sum(len(text_of(one)) for one in clauses_in(sample))
        sent = INSTRUCTIONS + len(sample.prompt) + len(sample.cnf) + clauses
        return Expected((1, 1), (sent, sent), (VERDICT_LENGTH, VERDICT_LENGTH + clauses), worst=TRIES)

    def identified(self, look: ImageJudge) -> str:
        """Return the number of tries and the prompt texts."""
        return f"{TRIES}/{look.texts.fingerprint}"

    # Scoring

    def unseen(self, sample: FormulaSample, protocol: str, outcome: Outcome, why: str) -> Findings:
        """Return findings without a reply."""
        clauses, _ = judged_clauses(sample, ())
        return Findings(official=NO_RESULT, clauses=clauses, why=why, notes=(why,))

    def seen(
        self, sample: FormulaSample, protocol: str, replies: Mapping[str, Reply], sight: ShownImage
    ) -> tuple[Outcome, Findings]:
        """Accept the judge's verdict and clauses."""
        reply = replies.get(LABEL)
        if reply is None:
            return Outcome.MISSING, self.unseen(sample, protocol, Outcome.MISSING, "the judge was not asked")
        result = judgement(reply.text or "")
        published = NO_RESULT if result is None else Verdict(bool(result.get(VERDICT, False)), "official")
        ended = outcome_of(reply)
        said = (
            judgement_in(reply)
            if ended is Outcome.UNREADABLE
            else JudgeReply(None, problem=f"the judge's reply is {ended}")
        )
        clauses, unknown = judged_clauses(sample, said.clauses)
        if said.verdict is None:
            notes = (*sight.notes, said.problem)
            return ended, Findings(official=published, clauses=clauses, why=said.problem, notes=notes)
        failed = [one.text for one in clauses if not one.holds]
        reason = "" if said.verdict else f"judged to fail: {'; '.join(failed) or 'no clause in particular'}"
        findings = Findings(
            strict=Verdict(said.verdict, "strict", reason=reason),
            official=published,
            clauses=clauses,
            answer={VERDICT: said.verdict, CLAUSES: [one.text for one in clauses if one.holds]},
            notes=(*sight.notes, *_oddities(said.verdict, failed, unknown)),
            counts={"repaired": int(said.is_repaired), "inconsistent": int(said.verdict and bool(failed))},
        )
        return Outcome.ANSWERED, findings


def _oddities(verdict: bool, failed: Sequence[str], unknown: int) -> Iterator[str]:
    """Yield contradictions in a judge's reply."""
    if unknown:
        yield f"the judge names {unknown} clauses that the formula does not have"
    if verdict and failed:
        yield f"{INCONSISTENT}: {'; '.join(failed)}"


def instructions(texts: Texts, sample: FormulaSample) -> str:
    """Return the judge's prompt: the instruction, the formula and its clauses."""
    clauses = "\n".join(dict.fromkeys(map(text_of, clauses_in(sample))))
    return texts.part("judge").render(prompt=sample.prompt, formula=sample.cnf, clauses=clauses)


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
    found = text if isinstance(text, Unreadable) else object_with(text.text, VERDICT)
    if isinstance(found, Unreadable):
        return JudgeReply(None, problem=found.reason)
    verdict, clauses = found.value[VERDICT], found.value.get(CLAUSES)
    if isinstance(verdict, str):
        verdict = TRUTHS.get(verdict.strip().lower())
    if not isinstance(verdict, bool):
        return JudgeReply(None, problem=f"{VERDICT} is neither true nor false")
    if not isinstance(clauses, list) or not all(isinstance(one, str) for one in clauses):
        return JudgeReply(None, problem=f"{CLAUSES} is no list of texts")
    is_repaired = found.repaired or not isinstance(found.value[VERDICT], bool)
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


def judged_clauses(sample: FormulaSample, named: Sequence[str]) -> tuple[tuple[Clause, ...], int]:
    """Return the clauses of an item as judged, and the number of named clauses that it does not have."""
    said = set(_named(named))
    listed = tuple(Clause(text_of(one), category(one), text_of(one) in said) for one in clauses_in(sample))
    known = {one.text for one in listed}
    return listed, sum(not known.intersection(_named([text])) for text in named)


def judgement(text: str) -> dict[str, Any] | None:
    """Read a reply as the published code does: the shortest fenced object, else from the first brace to the last.

    Return None if there is no result.

    >>> judgement("I say {'satisfies_constraint': True}."), judgement("{}"), judgement("yes")
    ({'satisfies_constraint': True}, None, None)
    """
    fenced = _fenced_object(text)
    first, last = text.find("{"), text.rfind("}")
    if not fenced and not 0 <= first < last:
        return None
    value = value_of(fenced or text[first : last + 1])
    return value if isinstance(value, dict) and value else None


def _fenced_object(text: str) -> str:
    """Return the first fenced object, up to the first brace before a closing fence; empty if there is none."""
    opens = FENCE_OPENS.search(text)
    closes = FENCE_CLOSES.search(text, opens.end()) if opens else None
    return text[opens.end() - 1 : closes.start() + 1] if opens and closes else ""


def _published_reading(reply: Reply) -> Reading[None]:
    return Reading(None, NO_RESULT if judgement(reply.text or "") is None else "")
