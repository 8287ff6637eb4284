"""The task ``formalimg/knolling``: a judge locates objects in an image, and the verifiers check the resulting layout.

Protocol ``published``: one call for each class that the instruction names. Protocol ``ours``: one call for all of them.
In both, a scene contains only named classes.

>>> from tsgkit.llm.reply import Reply
>>> located = objects_in(Reply('[{"label": "cup", "color": "teal", "box_2d": [0, 0, 9, 9]}]'), ("cup",))
>>> located.objects, located.notes
([{'label': 'cup', 'color': 'other', 'box_2d': [0, 0, 9, 9]}], ('teal is not one of the colors asked for',))
>>> objects_in(Reply('[{"label": "cup", "box_2d": [5, 0, 2000, 9]}]'), ("cup",)).problem
'object 0 (cup): box_2d is [5, 0, 2000, 9], expected 0 <= x1 < x2 <= 1000'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Reply
from tsgkit.logic.layouts import LayoutProblem, layout_of
from tsgkit.logic.verdicts import Verdict
from tsgkit.logic.vocabulary import KNOLLING as VOCABULARY
from tsgkit.replies import Unreadable
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.formalimg.images import FolderTexts, ImageQuestions, paintings_of
from tsgkit.suites.formalimg.official import published_objects
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample
from tsgkit.suites.formalimg.strict import Thing, label_of, layout_in
from tsgkit.suites.formalimg.task import formula_task
from tsgkit.suites.formalimg.verdicts import Findings, clauses_of, published_verdict, verdict_on
from tsgkit.suites.judges.images import NO_IMAGE, ShownImage
from tsgkit.suites.judges.judge import JudgeQuestion, JudgeReading, messages_of, outcome_of
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.task import OURS, PUBLISHED, Official, Task

PARTS = {"one-class": ("label", "colors"), "all-classes": ("classes", "colors")}
"""The parts of the judge's prompts, with their fields."""
TRIES = {PUBLISHED: 30, OURS: 3}
"""The protocols, with the maximum number of calls for a class until a reply is readable."""
PREFIX = "ground/"
INSTRUCTIONS, CHARACTERS = 700, 90
"""The estimated characters of the instructions and of an object in a reply, without the image."""
ALL = "ground"
OTHER = "other"
UNPUBLISHED = "the published protocol asks for one class at a time"
NOT_WRITTEN = "the published code stops at this reply and leaves the item out"
NO_CLASS = "the formula names no class: the published code leaves the item out"


# Questions


def instructions(texts: FolderTexts, classes: Sequence[str], protocol: str) -> str:
    """Return the judge's instructions: for one class as published, else for all of them."""
    colors = ", ".join(VOCABULARY.values["color"])
    if protocol == PUBLISHED:
        return texts.render("one-class", label=classes[0], colors=colors)
    return texts.render("all-classes", classes=", ".join(classes), colors=colors)


def calls_of(sample: FormulaSample, protocol: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the label of each call and the classes it asks for."""
    if protocol == PUBLISHED:
        return [(f"{PREFIX}{name}", (name,)) for name in sample.classes]
    return [(ALL, sample.classes)] if sample.classes else []


def _preview(sample: FormulaSample, texts: FolderTexts) -> tuple[str, str, str]:
    if not sample.classes:
        raise UsageError(f"{sample.item_id}: the formula names no class, so there is nothing to ask for")
    first, *others = sample.classes
    more = f"; {', '.join(others)}: one call each with the same prompt" if others else ""
    return instructions(texts, (first,), PUBLISHED), "system", f"a user message with only the image follows{more}"


def _questions(
    sample: FormulaSample, image: ImageFile, protocol: str, texts: FolderTexts
) -> Sequence[JudgeQuestion[None]]:
    """Return one question per class, or one about all of them.

    As published, the instructions are the system message and the image the user's; else both are in the user's.
    """

    def reading(classes: Sequence[str], reply: Reply) -> JudgeReading[None]:
        if protocol != PUBLISHED:
            return JudgeReading(None, _read(reply, classes).problem)
        try:
            published_objects(reply.text or "")
        except ValueError as error:
            return JudgeReading(None, str(error))
        return JudgeReading(None)

    questions = []
    for label, classes in calls_of(sample, protocol):
        text = instructions(texts, classes, protocol)
        if protocol == PUBLISHED:
            messages = messages_of(images=(image,), role=text)
        else:
            messages = messages_of(text, images=(image,), images_first=True)
        questions.append(JudgeQuestion(label, messages, partial(reading, classes), tries=TRIES[protocol]))
    return questions


# Reading


@dataclass(frozen=True)
class LocatedObjects:
    """The objects in a reply, or the problem with it."""

    objects: list[Thing]
    notes: tuple[str, ...] = ()
    problem: str = ""
    is_repaired: bool = False


def objects_in(reply: Reply, classes: Sequence[str]) -> LocatedObjects:
    """Return the objects of these classes in a reply; an invalid box makes the whole reply unusable."""
    layout = layout_in(reply.text or "")
    if isinstance(layout, Unreadable):
        return LocatedObjects([], problem=layout.reason)
    objects: list[Thing] = []
    notes = [str(note) for note in layout.notes]
    for number, thing in enumerate(layout.objects):
        if not isinstance(thing, dict):
            return LocatedObjects([], problem=f"object {number} is no object")
        label = label_of(thing.get("label", classes[0] if len(classes) == 1 else None))
        if label not in classes:
            notes.append(f"{label} was not asked for")
            continue
        color = thing.get("color")
        if color not in (None, OTHER, *VOCABULARY.values["color"]):
            notes.append(f"{color} is not one of the colors asked for")
            color = OTHER
        parts = {"label": label, "color": color, "box_2d": thing.get("box_2d")}
        objects.append({key: value for key, value in parts.items() if value is not None})
    try:
        for thing in objects:
            layout_of({"objects": [thing]})
    except LayoutProblem as problem:
        return LocatedObjects([], problem=problem.message)
    return LocatedObjects(objects, tuple(notes), is_repaired=layout.is_repaired)


def _read(reply: Reply | None, classes: Sequence[str]) -> LocatedObjects:
    if reply is None:
        return LocatedObjects([], problem="the judge was not asked")
    if outcome_of(reply) is not Outcome.UNREADABLE:  # incomplete
        return LocatedObjects([], problem=f"the judge's reply is {outcome_of(reply)}")
    return objects_in(reply, classes)


# Scoring


def _published(sample: FormulaSample, replies: Mapping[str, Reply]) -> Verdict | str:
    """Return the published verdict; a class without a valid JSON reply has no objects."""
    if not sample.classes:
        return NO_CLASS
    objects: list[Any] = []
    for label, _ in calls_of(sample, PUBLISHED):
        reply = replies.get(label)
        try:
            entries = published_objects((reply.text if reply is not None else None) or "")
        except ValueError:
            continue
        if not isinstance(entries, list):
            return NOT_WRITTEN
        objects += entries
    return published_verdict(sample, objects)


def _unseen(sample: FormulaSample, protocol: str, outcome: Outcome, why: str) -> Findings:
    """Return findings without a scene. The published code treats an image that cannot be shown as empty."""
    published: Verdict | str | None = None
    if protocol == PUBLISHED:
        published = NO_IMAGE if outcome is Outcome.MISSING else published_verdict(sample, [])
    return Findings(official=published, clauses=clauses_of(sample.formula, hold=False), why=why, notes=(why,))


def _seen(
    sample: FormulaSample, protocol: str, replies: Mapping[str, Reply], sight: ShownImage
) -> tuple[Outcome, Findings]:
    """Verify the objects found."""
    located = {label: _read(replies.get(label), classes) for label, classes in calls_of(sample, protocol)}
    published = _published(sample, replies) if protocol == PUBLISHED else None
    notes = (*sight.notes, *(f"{label}: {note}" for label, part in located.items() for note in part.notes))
    for label, part in located.items():
        if part.problem:
            reply, why = replies.get(label), f"{label}: {part.problem}"
            outcome = Outcome.MISSING if reply is None else outcome_of(reply)
            nothing = clauses_of(sample.formula, hold=False)
            return outcome, Findings(official=published, clauses=nothing, why=why, notes=(*notes, why))
    objects = [thing for part in located.values() for thing in part.objects]
    verdict, clauses = verdict_on(sample, {"objects": objects}, grounded=True)
    counts = {
        "repaired": int(any(part.is_repaired for part in located.values())),
        "rejected": int(verdict.status == "rejected"),
    }
    findings = Findings(strict=verdict, official=published, clauses=clauses, answer=objects, notes=notes, counts=counts)
    return Outcome.ANSWERED, findings


def knolling(card: Card) -> Task:
    """Return the task that judges images of objects laid out."""

    def expected(sample: FormulaSample, protocol: str) -> Expected:
        calls = len(calls_of(sample, protocol))
        sent, received = calls * INSTRUCTIONS, CHARACTERS * len(sample.classes)
        return Expected((calls, calls), (sent, sent), (received, 2 * received))

    questions = ImageQuestions(
        texts=partial(FolderTexts.of, "grounding", PARTS),
        tries=TRIES,
        preview=_preview,
        about=_questions,
        expected=expected,
        unseen=_unseen,
        seen=_seen,
    )
    return formula_task(
        card,
        KNOLLING,
        why="a task of their own, natural, is about them",
        official=Official(unpublished=lambda _, protocol: "" if protocol == PUBLISHED else UNPUBLISHED),
        looks=questions.looks(),
        paint=paintings_of,
    )
