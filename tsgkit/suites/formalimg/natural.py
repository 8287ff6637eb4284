"""Pictures of scenes: a judge says whether everything holds, and which clauses of the formula do.

>>> from tsgkit.llm.reply import Reply
>>> said = said_in(Reply('{"satisfies_constraint": "False", "satisfied_clauses": ["(Is ?x  \\'cat\\')"]}'))
>>> said.verdict, [normal(text) for text in said.clauses], said.is_repaired
(False, ["(Is ?x 'cat')"], True)

The verdict is the judge's own; where it says yes although it names clauses that fail, this is counted and told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tsgkit.errors import NotationError, TsgkitError
from tsgkit.llm.pictures import Picture
from tsgkit.llm.reply import Reply
from tsgkit.logic.clauses import ClauseForm, category, clause_form, form_of_text
from tsgkit.logic.formula import And, Formula
from tsgkit.logic.parsing import parse
from tsgkit.logic.printing import text_of
from tsgkit.logic.verdicts import Verdict
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import object_with
from tsgkit.replies.reasoning import spoken
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.prompts import Texts
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.verdicts import Clause, Findings, judged
from tsgkit.suites.formalimg.viewing import PictureJudge
from tsgkit.suites.judged import Judged
from tsgkit.suites.judges.judge import Question, Reading, outcome_of
from tsgkit.suites.judges.messages import messages_of
from tsgkit.suites.judges.sights import Sight, sight_of, unfinished, unshown
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.transcript import Ask, Transcript

TRIES = 10
LABEL = "judge"
INSTRUCTIONS = 1500
"""Characters of the instructions; the picture comes on top."""
VERDICT, CLAUSES = "satisfies_constraint", "satisfied_clauses"
AS_JSON = {"type": "json_object"}
NO_RESULT = "no result: the published code leaves the item out"
INCONSISTENT = "the judge says that everything holds, and leaves out clauses"
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Sayings:
    """What a judge says of a picture, or what is wrong with its reply."""

    verdict: bool | None
    clauses: tuple[str, ...] = ()
    is_repaired: bool = False
    problem: str = ""


def said_in(reply: Reply) -> Sayings:
    """The verdict and the clauses of a reply, in whatever form it is written."""
    text = spoken(reply.text or "")
    found = text if isinstance(text, Unreadable) else object_with(text.text, VERDICT)
    if isinstance(found, Unreadable):
        return Sayings(None, problem=found.reason)
    verdict, clauses = found.value[VERDICT], found.value.get(CLAUSES)
    if isinstance(verdict, str):
        verdict = TRUTHS.get(verdict.strip().lower())
    if not isinstance(verdict, bool):
        return Sayings(None, problem=f"{VERDICT} is neither true nor false")
    if not isinstance(clauses, list) or not all(isinstance(one, str) for one in clauses):
        return Sayings(None, problem=f"{CLAUSES} is no list of texts")
    is_repaired = found.repaired or not isinstance(found.value[VERDICT], bool)
    return Sayings(verdict, tuple(clauses), is_repaired)


def form_of(sample: FormulaSample) -> ClauseForm:
    """The clause form that the judge is shown: that of the row, else that of the formula."""
    try:
        return form_of_text(parse(sample.cnf))
    except TsgkitError:
        return clause_form(sample.formula)


def clauses_in(sample: FormulaSample) -> tuple[Formula, ...]:
    """The clauses of an item."""
    form = form_of(sample)
    return (*form.clauses, *form.quantities)


def normal(text: str) -> str:
    """A clause however it is spaced, as one text."""
    try:
        return text_of(parse(text))
    except NotationError:
        return " ".join(text.split())


def _named(texts: Sequence[str]) -> Iterator[str]:
    """Every clause that a judge names; a conjunction names its parts."""
    for text in texts:
        yield normal(text)
        try:
            formula = parse(text)
        except NotationError:
            continue
        if isinstance(formula, And):
            yield from map(text_of, formula.parts)


@dataclass(frozen=True)
class Judgements:
    """Judges transcripts that hold what a judge said of a picture."""

    name: str = PUBLISHED
    style: str = ""
    unpublished: str = ""

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return unfinished(transcript)

    def expected(self, sample: FormulaSample) -> Expected:
        """One call; format retries come on top."""
        clauses = sum(len(text_of(one)) for one in clauses_in(sample))
        sent = INSTRUCTIONS + len(sample.prompt) + len(sample.cnf) + clauses
        return Expected((0, 1), (0, sent), (0, clauses))

    def judge(self, sample: FormulaSample, transcript: Transcript | None) -> Judged:
        """Put what the judge said into scores."""
        sight = sight_of(transcript)
        if without := unshown(transcript):
            return _nothing(sample, *without, sight)
        assert transcript is not None  # noqa: S101  (a picture was shown)
        assert sight is not None  # noqa: S101
        replies = [one.reply for one in transcript.said if one.label == LABEL]
        return _judged(sample, replies[-1] if replies else None, sight)


@dataclass(frozen=True)
class Judging(Judgements):
    """Shows the pictures of a folder to a judge."""

    looker: PictureJudge = field(kw_only=True)
    texts: Texts = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The words and how often they are said."""
        return f"{self.name}/{TRIES}/{self.texts.fingerprint('judge')}"

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Ask once, and again where the reply cannot be read."""
        return await self.looker.transcript(sample, ask, lambda picture: [self.question(sample, picture)])

    def question(self, sample: FormulaSample, picture: Picture) -> Question[None]:
        """What is asked, as published: text, then the picture."""
        messages = messages_of(instructions(self.texts, sample), images=(picture,))
        return Question(LABEL, messages, _published_reading, AS_JSON, TRIES)


def instructions(texts: Texts, sample: FormulaSample) -> str:
    """What the judge is told: the instruction, the formula and its clauses."""
    clauses = "\n".join(dict.fromkeys(map(text_of, clauses_in(sample))))
    return texts.part("judge").render(prompt=sample.prompt, formula=sample.cnf, clauses=clauses)


def _published_reading(reply: Reply) -> Reading[None]:
    return Reading(None, NO_RESULT if official.judgement(reply.text or "") is None else "")


def clauses_said(sample: FormulaSample, named: Sequence[str]) -> tuple[tuple[Clause, ...], int]:
    """The clauses of an item as a judge has them, and how many it names that are none of them."""
    said = set(_named(named))
    listed = tuple(Clause(text_of(one), category(one), text_of(one) in said) for one in clauses_in(sample))
    known = {one.text for one in listed}
    return listed, sum(not known.intersection(_named([text])) for text in named)


def _nothing(sample: FormulaSample, outcome: Outcome, why: str, sight: Sight | None) -> Judged:
    clauses, _ = clauses_said(sample, ())
    evidence = {"picture": None if sight is None else sight.sha256 or None}
    return judged(sample, Findings(outcome, None, None, why, NO_RESULT, clauses, (why,), evidence=evidence))


def _judged(sample: FormulaSample, reply: Reply | None, sight: Sight) -> Judged:
    if reply is None:
        return _nothing(sample, Outcome.MISSING, "nobody was asked", sight)
    result = official.judgement(reply.text or "")
    published = NO_RESULT if result is None else Verdict(bool(result.get(VERDICT, False)), "official")
    ended = outcome_of(reply)
    said = said_in(reply) if ended is Outcome.UNREADABLE else Sayings(None, problem=f"the judge's reply is {ended}")
    clauses, unknown = clauses_said(sample, said.clauses)
    evidence = {"picture": sight.sha256}
    if said.verdict is None:
        why = said.problem
        unread = Findings(ended, None, None, why, published, clauses, (*sight.notes, why), evidence=evidence)
        return judged(sample, unread)
    failed = [one.text for one in clauses if not one.holds]
    notes = list(sight.notes)
    if unknown:
        notes.append(f"the judge names {unknown} clauses that the formula does not have")
    if said.verdict and failed:
        notes.append(f"{INCONSISTENT}: {'; '.join(failed)}")
    reason = "" if said.verdict else f"fails, says the judge: {'; '.join(failed) or 'no clause in particular'}"
    counts = {"repaired": int(said.is_repaired), "inconsistent": int(said.verdict and bool(failed))}
    answer = {VERDICT: said.verdict, CLAUSES: [one.text for one in clauses if one.holds]}
    verdict = Verdict(said.verdict, "strict", reason=reason)
    findings = Findings(Outcome.ANSWERED, answer, verdict, "", published, clauses, tuple(notes), counts, evidence)
    return judged(sample, findings)
