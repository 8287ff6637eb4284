"""A judge that asks a vision-language model about images and lists of objects, and validates its answers.

A scene with K objects and T demands on attributes costs 2K + T + 3 calls. Fidelity needs one for each object (its
category), one for each demanded attribute of a category that is present, one for all relations between objects and one
for all relations to the room. Plausibility needs one for each object (its support), and one for all functional sides.
The questions on the meaning of relations say nothing about the scene but the names of its floors.

>>> prompts = JudgePrompts()
>>> prompts.text("match", categories="- bed\\n- lamp").splitlines()[3]
'- bed'
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, View
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judges.judge import (
    Answer,
    Judge,
    JudgeQuestion,
    JudgeReading,
    Schema,
    Unknown,
    a_model,
    messages_of,
    problem_of,
)
from tsgkit.suites.sceneeval.annotations import Annotation, Specification, spaced
from tsgkit.suites.sceneeval.judges import answers
from tsgkit.suites.sceneeval.judges.answers import AnswerFault, AttributeAnswer, MeasuredRoomRelation
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.scene_files.loaded_scene import SIZE, VERSION, LoadedScene
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.transcript import gather_all

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PROMPTS = "sceneeval/judge"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "role": (),
    "match": ("categories",),
    "attribute": ("count", "category", "attribute"),
    "support": (),
    "sides": ("objects",),
    "object-relations": ("relations",),
    "room-relations": ("relations", "floors"),
}
"""The names of the prompts, and their required fields."""
TRIES = 3
"""The maximum number of requests for a usable answer."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class JudgePrompts:
    """The judge's prompts, from the user's folder (laid out as the bundled one), else the working project, else
    bundled."""

    folder: Path | None = None

    @classmethod
    def of(cls, folder: str | None) -> JudgePrompts:
        """Load the prompts. Raise UsageError if the user's folder has none, or if one has the wrong fields."""
        prompts = cls(None if folder is None else Path(folder))
        if prompts.folder is not None:
            places = (prompts.folder / PROMPTS, prompts.folder / "prompts" / PROMPTS)
            if not prompts.folder.is_dir():
                raise UsageError(f"{prompts.folder}: folder of prompts not found")
            if not any((folder_path / f"{name}.txt").is_file() for folder_path in places for name in FIELDS):
                raise UsageError(f"{prompts.folder}: has no prompts for this task", hint=f"put them in {places[0]}/")
        _ = prompts.fingerprint  # loads and checks them all
        return prompts

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The source of each prompt."""
        return {name: template.source for name, template in self._templates.items()}

    @cached_property
    def _templates(self) -> Mapping[str, Template]:
        folders = () if self.folder is None else (self.folder,)
        return {
            name: load_template(find("prompts", f"{PROMPTS}/{name}.txt", folders), required=fields)
            for name, fields in FIELDS.items()
        }

    @property
    def fingerprint(self) -> str:
        """A hash of the prompts."""
        texts = "\0".join(self._templates[name].text for name in FIELDS)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]

    def text(self, name: str, **values: str) -> str:
        """Return one prompt with its fields filled in."""
        return self._templates[name].render(**values).rstrip("\n")

    def messages(self, text: str, *pieces: str | ImageFile) -> list[BaseMessage]:
        """Return the system and user messages: a text, and images with the texts between them."""
        return messages_of(text, images=pieces, role=self.text("role"), images_first=True)


def reply_reader(read: Callable[[str], Value]) -> Callable[[Reply], JudgeReading[Value | AnswerFault]]:
    """Wrap a reader of texts as a reader of replies. An incomplete reply is not read. Any fault makes the judge ask
    again."""

    def of(reply: Reply) -> JudgeReading[Value | AnswerFault]:
        reading = read(reply.text or "") if reply.ending is Ending.COMPLETE else AnswerFault(problem_of(reply))
        parts = reading.values() if isinstance(reading, dict) else (reading,)
        return JudgeReading(reading, next((part.reason for part in parts if isinstance(part, AnswerFault)), ""))

    return of


def with_unknowns(answer: Answer[Any]) -> Any:  # noqa: ANN401  (the value that was read)
    """Return the value of an answer, with every unusable part replaced by an ``Unknown`` with the reason."""
    if answer.value is None and answer.unknown is not None:
        return answer.unknown
    return _with_unknowns(answer.value, answer.said[-1].label, answer.outcome)


def _with_unknowns(value: Any, label: str, outcome: Outcome) -> Any:  # noqa: ANN401  (as above)
    if isinstance(value, AnswerFault):
        return Unknown(value.reason, label, outcome)
    if isinstance(value, dict):
        return {name: _with_unknowns(part, label, outcome) for name, part in value.items()}
    return value


OBJECTS, ROOM, SIDES = "object relations", "room relations", "sides"
"""Labels of calls about a whole scene. Other labels name an object or demand."""
LONGEST_LINE = 500
"""The maximum number of characters in a line of a list."""
REASON_LENGTH, ENTRY_LENGTH = 120, 60
"""Expected characters of a reason, and of an entry of a list."""
OUTLINE_TEXT = "In the next picture a pink line, which is not part of the room, runs around the object."
"""The text between the two images of a question about support."""
MOST_IN_MEMORY = 8
"""The maximum number of scenes in memory while their questions are answered."""


@dataclass(frozen=True)
class ModelJudge:
    """A model that judges scenes."""

    name: str
    prompts: JudgePrompts = field(default_factory=JudgePrompts)
    asking: Judge = field(default_factory=Judge, repr=False, compare=False)
    turn: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(MOST_IN_MEMORY), repr=False, compare=False
    )

    @property
    def fingerprint(self) -> str:
        """The prompts, the version of the images, and the number of tries."""
        return f"model/{self.prompts.fingerprint}/{VERSION}/{TRIES}"

    def go_on(self) -> None:
        """Raise if the run has stopped asking, so that no further scene is read and no image rendered."""
        self.asking.go_on()

    async def _answer(
        self,
        ask: Ask | None,
        label: str,
        messages: Sequence[BaseMessage],
        schema: Schema,
        read: Callable[[str], object],
    ) -> Any:  # noqa: ANN401  (the value that was read)
        question = JudgeQuestion(label, messages, reply_reader(read), schema, TRIES)
        return with_unknowns(await self.asking.answer(a_model(ask, "rooms"), question))

    async def categories(
        self, scene: LoadedScene, categories: Sequence[str], ask: Ask | None
    ) -> dict[str, str | Unknown | None]:
        """Ask about each object alone, seen from the front. An object without a visible shape has no category."""
        names = list(dict.fromkeys(thing.id for thing in scene.scene.objects)) if categories else []
        text, schema = self._match_text(categories), answers.category_schema(categories)
        read = partial(answers.read_category, categories=categories)

        async def category(name: str) -> str | Unknown | None:
            if name in scene.stage.unmeasured:
                return None
            image = await self._image(scene, "front", name)
            if isinstance(image, str):
                return Unknown(image)
            messages = self.prompts.messages(text, image)
            answer: str | Unknown | None = await self._answer(ask, f"match {name}", messages, schema, read)
            return answer

        return dict(zip(names, await gather_all(*map(category, names)), strict=True))

    async def _image(self, scene: LoadedScene, kind: View, name: str) -> ImageFile | str:
        return await scene.gallery.image(kind, name, self.go_on)

    def _match_text(self, categories: Sequence[str]) -> str:
        return self.prompts.text("match", categories=_list_of(dict.fromkeys(map(spaced, categories))))

    async def attribute(
        self, scene: LoadedScene, spec: Specification, instances: Sequence[str], ask: Ask | None
    ) -> AttributeAnswer:
        """Ask about all instances in one call, with two images each."""
        pieces: list[str | ImageFile] = []
        for number, name in enumerate(instances, 1):
            pair = [await self._image(scene, "front", name), await self._image(scene, "figure", name)]
            if missing := [image for image in pair if isinstance(image, str)]:
                return _unknown_attribute(instances, Unknown(missing[0]))
            pieces += [f"Object {number}:", *pair]
        count, label = len(instances), f"attribute {spec.text}"
        messages, schema = (
            self.prompts.messages(self._attribute_text(spec, count), *pieces),
            answers.holds_schema(count),
        )
        holds: tuple[bool, ...] | Unknown = await self._answer(
            ask, label, messages, schema, partial(answers.read_holds, count=count)
        )
        if isinstance(holds, Unknown):
            return _unknown_attribute(instances, holds)
        return AttributeAnswer(dict(zip(instances, holds, strict=True)))

    def _attribute_text(self, spec: Specification, count: int) -> str:
        things = "one object" if count == 1 else f"{count} objects"
        names = {"category": spaced(spec.category), "attribute": spaced(spec.attribute)}
        return self.prompts.text("attribute", count=things, **names)

    async def object_relations(
        self, annotation: Annotation, ask: Ask | None
    ) -> Mapping[Specification, tuple[MeasuredRelation, ...] | Unknown | None]:
        """Ask about all relations in one call, independent of the scene."""
        specs = annotation.of_kind("oor")
        if not specs:
            return {}
        read = partial(answers.read_object_relations, count=len(specs))
        schema, messages = answers.object_relations_schema(), self.prompts.messages(self._object_relations_text(specs))
        answer = await self._answer(ask, OBJECTS, messages, schema, read)
        return _by_spec(specs, answer)

    def _object_relations_text(self, specs: Sequence[Specification]) -> str:
        lines = []
        for number, spec in enumerate(specs, 1):
            others = ", ".join(map(spaced, spec.others))
            lines.append(f'{number}. "{spaced(spec.relation)}": {others}; the anchor: {spaced(spec.anchor)}')
        return self.prompts.text("object-relations", relations="\n".join(lines))

    async def room_relations(
        self, annotation: Annotation, floors: Mapping[str, str], ask: Ask | None
    ) -> Mapping[Specification, MeasuredRoomRelation | Unknown | None]:
        """Ask about all relations in one call. Of the scene, only the names of the floors are sent."""
        specs = annotation.of_kind("oar")
        if not specs:
            return {}
        read = partial(answers.read_room_relations, count=len(specs), floors=tuple(floors))
        schema = answers.room_relations_schema(tuple(floors))
        messages = self.prompts.messages(self._room_relations_text(specs, floors))
        answer = await self._answer(ask, ROOM, messages, schema, read)
        return _by_spec(specs, answer)

    def _room_relations_text(self, specs: Sequence[Specification], floors: Mapping[str, str]) -> str:
        lines = []
        for number, spec in enumerate(specs, 1):
            elements = " and ".join(map(spaced, spec.elements))
            lines.append(f'{number}. "{spaced(spec.relation)}": {spaced(spec.category)}; to: {elements}')
        listed = _list_of(f"{floor}: {spaced(room)}" for floor, room in floors.items())
        return self.prompts.text("room-relations", relations="\n".join(lines), floors=listed)

    async def supports(self, scene: LoadedScene, stage: MeasuredScene, ask: Ask | None) -> Mapping[str, str | Unknown]:
        """Ask about each object in a call of its own, with an image of the object and one of its surroundings."""

        async def support(name: str) -> str | Unknown:
            pair = [await self._image(scene, "front", name), await self._image(scene, "surroundings", name)]
            if missing := [image for image in pair if isinstance(image, str)]:
                return Unknown(missing[0])
            messages = self.prompts.messages(self.prompts.text("support"), pair[0], OUTLINE_TEXT, pair[1])
            schema, read = answers.support_schema(), answers.read_support
            answer: str | Unknown = await self._answer(ask, f"support {name}", messages, schema, read)
            return answer

        return dict(zip(stage.bodies, await gather_all(*map(support, stage.bodies)), strict=True))

    async def sides(self, scene: LoadedScene, ask: Ask | None) -> Mapping[str, tuple[str, ...] | Unknown]:
        """Ask about all objects in one call, using their categories and descriptions."""
        names = tuple(scene.stage.bodies)
        if not names:
            return {}
        read = partial(answers.read_sides, names=names)
        messages, schema = self.prompts.messages(self._sides_text(scene)), answers.sides_schema(names)
        answer: dict[str, tuple[str, ...] | Unknown] | Unknown = await self._answer(ask, SIDES, messages, schema, read)
        return dict.fromkeys(names, answer) if isinstance(answer, Unknown) else answer

    def _sides_text(self, scene: LoadedScene) -> str:
        described = {thing.id: f"{spaced(thing.category)} - {thing.description}" for thing in scene.scene.objects}
        lines = (f"{name}: {answers.one_line(described[name]).strip(' -') or 'unknown'}" for name in scene.stage.bodies)
        return self.prompts.text("sides", objects=_list_of(lines))

    def expected(self, kind: str, annotation: Annotation, scene: LoadedScene) -> Expected:
        """Return the expected calls if every category is present."""
        # The text, the number of images and the expected answer length of each call. Rules match the instances.
        texts: list[tuple[str, int, int]] = []
        names = tuple(scene.stage.bodies)
        if kind == "fidelity":
            matched_names = names if annotation.categories else ()
            texts += [(self._match_text(annotation.categories), 1, REASON_LENGTH) for _ in matched_names]
            instances = list(RulesJudge().matched(scene, annotation.categories).values())
            for spec in annotation.of_kind("atr") if texts else ():
                count = max(1, instances.count(spec.category))
                texts.append((self._attribute_text(spec, count), 2 * count, REASON_LENGTH))
            if pairs := annotation.of_kind("oor"):
                texts.append((self._object_relations_text(pairs), 0, ENTRY_LENGTH * len(pairs)))
            if built := annotation.of_kind("oar"):
                floors = {ground.id: ground.room for ground in scene.stage.floors}
                texts.append((self._room_relations_text(built, floors), 0, ENTRY_LENGTH * len(built)))
        elif names:
            texts += [(self.prompts.text("support"), 2, REASON_LENGTH) for _ in names]
            texts.append((self._sides_text(scene), 0, ENTRY_LENGTH * len(names)))
        sent = sum(len(text) + len(self.prompts.text("role")) for text, _, _ in texts)
        images = [(SIZE, SIZE)] * sum(shown for _, shown, _ in texts)
        answer_length = sum(answer for _, _, answer in texts)
        return Expected(
            (len(texts),) * 2, (sent, sent), (answer_length // 2, 2 * answer_length), images=images, worst=TRIES
        )


SceneJudge = RulesJudge | ModelJudge
"""A judge of scenes: every answer is about one scene and its annotation."""


def _unknown_attribute(instances: Sequence[str], why: Unknown) -> AttributeAnswer:
    return AttributeAnswer(dict.fromkeys(instances), str(why), why)


def _by_spec(specs: Sequence[Specification], by_number: Any) -> dict[Specification, Any]:  # noqa: ANN401  (by number, or unknown)
    return {
        spec: by_number if isinstance(by_number, Unknown) else by_number[number] for number, spec in enumerate(specs, 1)
    }


def _list_of(names: Iterable[str]) -> str:
    """Return the names as lines of a list. Texts from scene files are cut at ``LONGEST_LINE`` characters."""
    return "\n".join(f"- {answers.one_line(name)[:LONGEST_LINE]}" for name in names)
