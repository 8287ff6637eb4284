"""Pictures become layouts: a judge says which objects are where, and the verifiers do the rest.

Protocol ``published``: one call for each class that the instruction names, with that class alone; protocol ``ours``:
all these classes in one call. Either way only named classes can be in a scene.

>>> from tsgkit.llm.reply import Reply
>>> found = objects_in(Reply('[{"label": "cup", "color": "teal", "box_2d": [0, 0, 9, 9]}]'), ("cup",))
>>> found.objects, found.notes
([{'label': 'cup', 'color': 'other', 'box_2d': [0, 0, 9, 9]}], ('teal is no colour that was asked for',))
>>> objects_in(Reply('[{"label": "cup", "box_2d": [5, 0, 2000, 9]}]'), ("cup",)).problem
'object 0 (cup): box_2d is [5, 0, 2000, 9], expected 0 <= x1 < x2 <= 1000'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsgkit.llm.pictures import Picture
from tsgkit.llm.reply import Reply
from tsgkit.logic.layouts import LayoutProblem, layout_of
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.prompts import Texts, words
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.strict import Thing, label_of, layout_in
from tsgkit.suites.formalimg.verdicts import Findings, clauses_of, judged, published_verdict, verdict_on
from tsgkit.suites.formalimg.viewing import PictureJudge
from tsgkit.suites.judged import Judged
from tsgkit.suites.judges.judge import Question, Reading, outcome_of
from tsgkit.suites.judges.messages import messages_of
from tsgkit.suites.judges.sights import NO_IMAGE, Sight, sight_of, unfinished, unshown
from tsgkit.suites.request_forms import NEWEST, mark_of
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.task import OURS, PUBLISHED
from tsgkit.suites.transcript import Ask, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

TRIES = {PUBLISHED: 30, OURS: 3}
"""How often a class is asked for until the reply can be read."""
PREFIX = "ground/"
INSTRUCTIONS, CHARACTERS = 700, 90
"""Characters of the instructions, and of an object that is found; the picture comes on top."""
ALL = "ground"
OTHER = "other"
UNPUBLISHED = "the published way asks for one class at a time"
NOT_WRITTEN = "the published code stops at this reply and leaves the item out"
NO_CLASS = "the formula names no class: the published code leaves the item out"


@dataclass(frozen=True)
class Grounded:
    """The objects that one reply gives, or what is wrong with it."""

    objects: list[Thing]
    notes: tuple[str, ...] = ()
    problem: str = ""
    is_repaired: bool = False


def objects_in(reply: Reply, classes: Sequence[str]) -> Grounded:
    """The objects of these classes in a reply; one with a box that is none cannot be used at all."""
    found = layout_in(reply.text or "")
    if isinstance(found, Unreadable):
        return Grounded([], problem=found.reason)
    objects: list[Thing] = []
    notes = [str(note) for note in found.notes]
    for number, thing in enumerate(found.objects):
        if not isinstance(thing, dict):
            return Grounded([], problem=f"object {number} is no object")
        made, said = _checked(thing, classes)
        notes += said
        if made is not None:
            objects.append(made)
    try:
        for thing in objects:
            layout_of({"objects": [thing]})
    except LayoutProblem as problem:
        return Grounded([], problem=problem.message)
    return Grounded(objects, tuple(notes), is_repaired=found.is_repaired)


def _checked(thing: Thing, classes: Sequence[str]) -> tuple[Thing | None, list[str]]:
    """An object with its label and colour as they were asked for; none where it is of another class."""
    notes = []
    label = label_of(thing.get("label", classes[0] if len(classes) == 1 else None))
    if label not in classes:
        return None, [f"{label} was not asked for"]
    color = thing.get("color")
    if color not in (None, OTHER) and color not in KNOLLING.values["color"]:
        notes.append(f"{color} is no colour that was asked for")
        color = OTHER
    made = {"label": label, "color": color, "box_2d": thing.get("box_2d")}
    return {key: value for key, value in made.items() if value is not None}, notes


def _published_reading(reply: Reply) -> Reading[None]:
    try:
        official.objects(reply.text or "")
    except ValueError as error:
        return Reading(None, str(error))
    return Reading(None)


@dataclass(frozen=True)
class Scenes:
    """Judges transcripts that hold what a judge found in a picture."""

    name: str
    """The protocol."""
    style: str = ""

    @property
    def unpublished(self) -> str:
        """Why official figures do not apply; empty where they do."""
        return "" if self.name == PUBLISHED else UNPUBLISHED

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return unfinished(transcript)

    def expected(self, sample: FormulaSample) -> Expected:
        """A call for each class, or one for all; format retries come on top."""
        calls = len(calls_of(sample, self.name))
        sent, said = calls * INSTRUCTIONS, CHARACTERS * len(sample.classes)
        return Expected((0, calls), (0, sent), (0, 2 * said))

    def judge(self, sample: FormulaSample, transcript: Transcript | None) -> Judged:
        """Verify what was found."""
        sight = sight_of(transcript)
        if without := unshown(transcript):
            return self._nothing(sample, *without, sight)
        assert transcript is not None  # noqa: S101  (a picture was shown)
        assert sight is not None  # noqa: S101
        return _judged_scene(sample, dict(last_replies(transcript)), sight, self.name)

    def _nothing(self, sample: FormulaSample, outcome: Outcome, why: str, sight: Sight | None) -> Judged:
        """The judgement where there is no scene: a picture that cannot be shown is an empty one as published."""
        published = NO_IMAGE if outcome is Outcome.MISSING else published_verdict(sample, [])
        official = None if self.unpublished else published
        nothing = clauses_of(sample.formula, hold=False)
        evidence = {"picture": None if sight is None else sight.sha256 or None}
        return judged(sample, Findings(outcome, None, None, why, official, nothing, (why,), evidence=evidence))


@dataclass(frozen=True)
class Grounding(Scenes):
    """Shows the pictures of a folder to a judge."""

    looker: PictureJudge = field(kw_only=True)
    texts: Texts = field(kw_only=True)
    form: int = NEWEST

    @property
    def fingerprint(self) -> str:
        """The words, how often they are said, and in our own protocol on which side of the picture."""
        words_, mark = self.texts.fingerprint("one-class", "all-classes"), mark_of(self.form)
        return f"{self.name}/{TRIES[self.name]}/{words_}{'' if self.name == PUBLISHED else mark}"

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Ask for every named class, in one call or in one each."""
        return await self.looker.transcript(sample, ask, lambda picture: self.questions(sample, picture))

    def questions(self, sample: FormulaSample, picture: Picture) -> list[Question[None]]:
        """What is asked: for each class, or for all of them."""
        return [
            Question(label, self.messages(classes, picture), self._reader(classes), tries=TRIES[self.name])
            for label, classes in calls_of(sample, self.name)
        ]

    def _reader(self, classes: Sequence[str]) -> Callable[[Reply], Reading[None]]:
        if self.name == PUBLISHED:
            return _published_reading
        return lambda reply: Reading(None, _read(reply, classes).problem)

    def messages(self, classes: Sequence[str], picture: Picture) -> list[BaseMessage]:
        """As published, instructions of the system and the picture of the user; else both of the user."""
        text = instructions(self.texts, classes, self.name)
        if self.name == PUBLISHED:
            return messages_of(images=(picture,), role=text)
        return messages_of(text, images=(picture,), form=self.form)


def instructions(texts: Texts, classes: Sequence[str], protocol: str) -> str:
    """What the judge is told to look for: one class as published, else all of them."""
    colors = words(KNOLLING.values["color"])
    if protocol == PUBLISHED:
        return texts.part("one-class").render(label=classes[0], colors=colors)
    return texts.part("all-classes").render(classes=words(classes), colors=colors)


def calls_of(sample: FormulaSample, protocol: str) -> list[tuple[str, tuple[str, ...]]]:
    """The label of each call and the classes it is about."""
    if protocol == PUBLISHED:
        return [(f"{PREFIX}{name}", (name,)) for name in sample.classes]
    return [(ALL, sample.classes)] if sample.classes else []


def last_replies(transcript: Transcript) -> Iterator[tuple[str, Reply]]:
    """The last reply under each label."""
    yield from {one.label: one.reply for one in transcript.said}.items()


def _judged_scene(sample: FormulaSample, replies: dict[str, Reply], sight: Sight, protocol: str) -> Judged:
    found = {label: _read(replies.get(label), classes) for label, classes in calls_of(sample, protocol)}
    official = _official(sample, replies) if protocol == PUBLISHED else None
    notes = (*sight.notes, *(f"{label}: {note}" for label, one in found.items() for note in one.notes))
    evidence = {"picture": sight.sha256}
    failed = {label: one.problem for label, one in found.items() if one.problem}
    if failed:
        label, problem = next(iter(failed.items()))
        reply = replies.get(label)
        outcome = Outcome.MISSING if reply is None else outcome_of(reply)
        why = f"{label}: {problem}"
        nothing = clauses_of(sample.formula, hold=False)
        return judged(sample, Findings(outcome, None, None, why, official, nothing, (*notes, why), evidence=evidence))
    objects = [thing for one in found.values() for thing in one.objects]
    verdict, clauses = verdict_on(sample, {"objects": objects}, grounded=True)
    counts = {
        "repaired": int(any(one.is_repaired for one in found.values())),
        "rejected": int(verdict.status == "rejected"),
    }
    findings = Findings(Outcome.ANSWERED, objects, verdict, "", official, clauses, notes, counts, evidence)
    return judged(sample, findings)


def _read(reply: Reply | None, classes: Sequence[str]) -> Grounded:
    if reply is None:
        return Grounded([], problem="nobody was asked")
    if outcome_of(reply) is not Outcome.UNREADABLE:  # it ended early, whatever it says
        return Grounded([], problem=f"the judge's reply is {outcome_of(reply)}")
    return objects_in(reply, classes)


def _official(sample: FormulaSample, replies: dict[str, Reply]) -> Any:  # noqa: ANN401  (a verdict, or why there is none)
    """The published verdict: a class whose replies were no JSON to the end has no objects."""
    if not sample.classes:
        return NO_CLASS
    objects: list[Any] = []
    for label, _ in calls_of(sample, PUBLISHED):
        reply = replies.get(label)
        try:
            found = official.objects((reply.text if reply is not None else None) or "")
        except ValueError:
            continue
        if not isinstance(found, list):
            return NOT_WRITTEN
        objects += found
    return published_verdict(sample, objects)
