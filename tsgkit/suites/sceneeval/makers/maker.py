"""Generation of descriptions and annotations by a model, with checks by rules and rounds of correction.

>>> read_description_reply('Here: {"description": "A den  with a sofa."}'), read_description_reply("I cannot.")
('A den with a sofa.', '')

Each description is requested separately, so that nothing is carried over from an earlier one. It is annotated with the
prompt of ``sceneeval/annotate``. Then both are compared with each other and with the other items
(:mod:`~tsgkit.suites.sceneeval.makers.annotation_vs_text`). Items with errors are requested again with the findings;
warnings are sent once. All items complete a step before the next one starts, so that comparisons do not depend on the
order of the replies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tsgkit.graph.rules import ERROR, Finding, Place
from tsgkit.library.cards import load_card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.reply import Ask, Ending
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import values_in, well_formed
from tsgkit.replies.reasoning import spoken
from tsgkit.suites.sceneeval.annotate import annotation_prompt
from tsgkit.suites.sceneeval.annotation_replies import answer_text, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import DIFFICULTIES, Annotation, annotation_of, annotation_value
from tsgkit.suites.sceneeval.descriptions import read_description
from tsgkit.suites.sceneeval.makers.annotation_vs_text import AnnotationBatch, text_mismatches
from tsgkit.suites.sceneeval.makers.room_plans import RoomPlan, in_numbers, written_room
from tsgkit.suites.sceneeval.word_meanings import Furniture, key_of
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import UnitMapper, all_at_once
from tsgkit.suites.styles import style_of

FIELDS = {
    "describe": ("rooms", "things", "least", "most", "attributes", "problems"),
    "mend": ("entries", "rules", "difficulty", "level", "description", "annotation", "problems"),
}
ANNOTATE = "sceneeval/annotate"
MOST_TOLD = 30
NO_DESCRIPTION = Finding("no-description", ERROR, "the reply had no JSON object with a description")


@cache
def template(name: str) -> Template:
    """Return a prompt template."""
    return load_template(find("prompts", f"sceneeval/make/{name}.txt"), required=FIELDS[name])


@cache
def prompter() -> Prompter:
    """Return the prompter for annotations."""
    return Prompter(annotation_prompt(load_card(ANNOTATE)).texts(None), style_of("zero-shot"))


def texts() -> tuple[str, ...]:
    """Return all prompt texts. They are part of what identifies unfinished work."""
    return (*(template(name).text for name in FIELDS), prompter().fingerprint)


@dataclass
class GeneratedItem:
    """A description in progress, with its findings."""

    drawn: RoomPlan
    annotation: Annotation
    findings: tuple[Finding, ...] = ()
    mended: int = 0
    is_given_up: bool = False
    """True if it was given up, since its replies were unusable."""

    @property
    def name(self) -> str:
        """The name under which its calls are recorded."""
        return str(self.drawn.number)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that prevent writing it."""
        return tuple(finding for finding in self.findings if finding.severity == ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings for a person to decide on."""
        return tuple(finding for finding in self.findings if finding.severity != ERROR)

    @property
    def badness(self) -> tuple[bool, int, int]:
        """Unreadable or not, and the numbers of errors and warnings, to compare two tries."""
        is_unreadable = any(finding.code == "unreadable" for finding in self.findings)
        return is_unreadable, len(self.errors), len(self.warnings)


@dataclass
class Generation:
    """The items made so far."""

    made: list[GeneratedItem] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    calls: int = 0
    stopped: str = ""


def empty_annotation(drawn: RoomPlan, description: str = "") -> Annotation:
    """Return an annotation without demands."""
    return annotation_of(str(drawn.number), drawn.difficulty, description, (), room_type=drawn.rooms[0])


def written(draws: Sequence[RoomPlan], seed: int, table: Furniture) -> Generation:
    """Return descriptions from sentence patterns, checked by the same rules."""
    making = Generation([GeneratedItem(drawn, written_room(drawn, seed, table)) for drawn in draws])
    check(making.made, table)
    return making


def check(items: Sequence[GeneratedItem], table: Furniture, known: Sequence[str] = ()) -> None:
    """Check each item by itself and against the others."""
    batch = AnnotationBatch([item.annotation for item in items], table, known)
    for number, item in enumerate(items):
        _check_item(item, batch, number)


def findings_with(
    items: Sequence[GeneratedItem], number: int, annotation: Annotation, table: Furniture, known: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """Return the findings of one item as they would be with another annotation, leaving all items as they are."""
    tried = GeneratedItem(items[number].drawn, annotation)
    _check_item(tried, AnnotationBatch([item.annotation for item in items], table, known), number)
    return tried.findings


def _check_item(item: GeneratedItem, batch: AnnotationBatch, number: int) -> None:
    unread = [finding for finding in item.findings if finding.code in ("unread-entry", "unreadable")]
    if unread and unread[0].code == "unreadable":
        item.findings = tuple(unread)
        return
    others = batch.findings(number, item.annotation)
    mine = text_mismatches(item.annotation, batch.table)
    text = text_findings(item.drawn, item.annotation.description, batch.table)
    findings = dict.fromkeys((*unread, *others, *mine, *text))
    item.findings = tuple(sorted(findings, key=lambda finding: finding.severity != ERROR))


def text_findings(drawn: RoomPlan, description: str, table: Furniture) -> Iterator[Finding]:
    """Yield the findings on a description by itself: its length, and missing rooms and things."""
    least, most = DIFFICULTIES[drawn.difficulty].words
    if not least <= (length := len(description.split())) <= most:
        yield _finding("length", drawn, f"the description has {length} words, not {least} to {most}")
    text = read_description(description, [thing.name for thing in drawn.things], table)
    for room in drawn.rooms:
        if key_of(room) not in text.runs:
            yield _finding("left-out", drawn, f"the description does not name the {room}")
    thing_keys = {table.same(thing.name) for thing in text.things}
    for thing in drawn.things:
        key = table.same(thing.name)
        if not any(key.endswith(name) or name.endswith(key) for name in thing_keys):
            yield _finding("left-out", drawn, f"the description does not name the {thing.name}")


def _finding(code: str, drawn: RoomPlan, message: str) -> Finding:
    return Finding(code, ERROR, message, "", Place(item=str(drawn.number)))


def read_description_reply(reply: str) -> str:
    """Return the description in a reply, or an empty text."""
    part = spoken(well_formed(reply))
    for json_part in reversed([] if isinstance(part, Unreadable) else values_in(part.text)):
        description = json_part.value.get("description") if isinstance(json_part.value, Mapping) else None
        if isinstance(description, str) and description.strip():
            return one_line(description)
    return ""


def one_line(text: str) -> str:
    """Return a text on one line without semicolons, since the published reader cuts descriptions at them."""
    return " ".join(text.replace(";", ",").split())


def read_annotated(drawn: RoomPlan, description: str, reply: str) -> GeneratedItem:
    """Return the annotation in a reply, with a finding for each unreadable entry."""
    reading = read_annotation_reply(reply)
    annotation = reading.annotation(
        str(drawn.number), difficulty=drawn.difficulty, description=description, room_type=drawn.rooms[0]
    )
    if reading.unreadable:
        findings = [_finding("unreadable", drawn, f"the reply has no annotation: {reading.unreadable}")]
    else:
        messages = (f"{bad.note.text!r} is no entry: {bad.note.reason}" for bad in reading.bad)
        findings = [_finding("unread-entry", drawn, message) for message in messages]
    return GeneratedItem(drawn, annotation, tuple(findings))


@dataclass(frozen=True)
class AnnotationMaker:
    """A maker of descriptions and annotations that asks a model. ``ask_for`` returns the ``ask`` for an item's name."""

    ask_for: Callable[[str], Ask]
    table: Furniture
    rounds: int = 2
    known: tuple[str, ...] = ()
    """Existing descriptions. New ones must differ from them."""
    each: UnitMapper = all_at_once

    async def make(self, draws: Sequence[RoomPlan]) -> Generation:
        """Describe and annotate the drawn rooms. If asking is stopped, keep what is finished."""
        making = Generation([GeneratedItem(drawn, empty_annotation(drawn)) for drawn in draws])
        await self._describe(making)
        texts = [(item, prompter().text(item.annotation)) for item in _left(making)]
        for item, reply in await self._ask_all(texts, "annotate/0", making):
            if reply is None:
                item.is_given_up = True
            else:
                read = read_annotated(item.drawn, item.annotation.description, reply)
                item.annotation, item.findings = read.annotation, read.findings
        for number in range(1, self.rounds + 1):
            check(_left(making), self.table, self.known)
            await self._mend(making, number)
        check(_left(making), self.table, self.known)
        return making

    async def _describe(self, making: Generation) -> None:
        """Describe all rooms. A description that does not match, or is like another, is requested again."""
        waiting = list(making.made)
        for number in range(self.rounds + 1):
            texts = [(item, _describe_prompt(item)) for item in waiting]
            for item, reply in await self._ask_all(texts, f"describe/{number}", making):
                if reply is None:
                    item.is_given_up = True
                elif description := read_description_reply(reply):
                    item.annotation = empty_annotation(item.drawn, description)
            left = _left(making)
            batch = AnnotationBatch([item.annotation for item in left], self.table, self.known)
            for index, item in enumerate(left):
                mine = text_findings(item.drawn, item.annotation.description, self.table)
                described = item.annotation.description
                item.findings = (*batch.findings(index), *mine) if described else (NO_DESCRIPTION,)
            waiting = [item for item in waiting if item.findings and not item.is_given_up]
            if not waiting:
                return
        for item in waiting:
            item.is_given_up = True

    async def _mend(self, making: Generation, number: int) -> None:
        """Request corrections of items with errors; in the first round, also of items with warnings only.

        A correction is accepted unless it is worse than the current state.
        """
        left = _left(making)
        batch = AnnotationBatch([item.annotation for item in left], self.table, self.known)
        places = {item.name: index for index, item in enumerate(left)}
        waiting = [item for item in left if item.errors or (number == 1 and item.findings)]
        texts = [(item, _mend_prompt(item)) for item in waiting]
        for item, reply in await self._ask_all(texts, f"mend/{number}", making):
            if reply is None:
                continue
            description = read_description_reply(reply) or item.annotation.description
            tried = read_annotated(item.drawn, description, reply)
            _check_item(tried, batch, places[item.name])
            item.mended += 1
            if tried.badness <= item.badness:
                item.annotation, item.findings = tried.annotation, tried.findings

    async def _ask_all(
        self, texts: Sequence[tuple[GeneratedItem, str]], label: str, making: Generation
    ) -> list[tuple[GeneratedItem, str | None]]:
        """Ask about several items. An item that another process works on has no reply."""
        replies = await self.each(
            {item.name: (item.name, text) for item, text in texts}, lambda unit: self._reply(*unit, label, making)
        )
        return [(item, replies.get(item.name)) for item, _ in texts]

    async def _reply(self, name: str, text: str, label: str, making: Generation) -> str | None:
        """Return the reply, an empty text if it is unusable, or None if there is none (recorded as a failure)."""
        from langchain_core.messages import HumanMessage

        if making.stopped:
            return None
        try:
            draw = int(label.rpartition("/")[2])
            reply = await self.ask_for(name)([HumanMessage(content=text)], label=label, draw=draw)
        except NotFinished as error:
            making.stopped = making.stopped or error.message
            return None
        making.calls += 1
        if reply.ending is Ending.COMPLETE:
            return reply.text or ""
        reason = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
        making.failures.append(f"item {name}: {label} gave no answer: {reason}")
        return None if reply.ending is Ending.API_ERROR else ""


def _left(making: Generation) -> list[GeneratedItem]:
    return [item for item in making.made if not item.is_given_up]


def _describe_prompt(item: GeneratedItem) -> str:
    drawn = item.drawn
    rooms = " and ".join(in_numbers(1, room) for room in drawn.rooms)
    least, most = DIFFICULTIES[drawn.difficulty].words
    problems = [finding.message for finding in item.findings]
    if item.annotation.description:
        problems.append(f"It was: {item.annotation.description}")
    listed = "".join(f"\n- {problem}" for problem in problems)
    return template("describe").render(
        rooms=rooms if len(drawn.rooms) == 1 else f"a home with two rooms, {rooms}",
        things=things_in_words(drawn),
        least=str(least),
        most=str(most),
        attributes="half",
        problems=f"\nAn earlier try had these problems; avoid them:{listed}\n" if problems else "",
    )


def _mend_prompt(item: GeneratedItem) -> str:
    parts, difficulty = prompter().texts.templates, item.drawn.difficulty
    problems = []
    for finding in item.findings[:MOST_TOLD]:
        hint = f" ({finding.hint})" if finding.hint else ""
        problems.append(f"- {'error' if finding.severity == ERROR else 'doubt'}: {finding.message}{hint}")
    return template("mend").render(
        entries=parts["entries"].render(),
        rules=parts["rules"].render(),
        difficulty=difficulty,
        level=DIFFICULTIES[difficulty].meaning,
        description=item.annotation.description,
        annotation=answer_text(item.annotation),
        problems="\n".join(problems),
    )


def things_in_words(drawn: RoomPlan) -> str:
    """Return the drawn things as they appear in the prompt."""
    of_room = {
        room: ", ".join(in_numbers(thing.n, thing.name) for thing in drawn.things if thing.room == room)
        for room in drawn.rooms
    }
    if len(of_room) == 1:
        return next(iter(of_room.values()))
    return "; ".join(f"in the {room}: {things}" for room, things in of_room.items())


def note_value(item: GeneratedItem, item_id: str, by: str, review: str) -> dict[str, Any]:
    """Return the JSON note on how an item was made."""
    return {
        "item_id": item_id,
        "drawn": item.drawn.number,
        "difficulty": item.drawn.difficulty,
        "rooms": list(item.drawn.rooms),
        "by": by,
        "mended": item.mended,
        "reviewed": review or None,
        "findings": list(map(finding_value, item.findings)),
    }


def dropped_line(item: GeneratedItem, reason: str) -> str:
    """Return a dropped item as a line of JSON."""
    value = annotation_value(item.annotation)
    value |= {"reason": reason, "findings": list(map(finding_value, item.findings))}
    return json.dumps(value, ensure_ascii=False) + "\n"


def finding_value(finding: Finding) -> dict[str, str]:
    """Return a finding as JSON."""
    return {"code": finding.code, "severity": finding.severity, "message": finding.message}
