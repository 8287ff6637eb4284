"""A model for makers of annotations: right descriptions and annotations, and some that are spoilt on purpose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from tsgkit.suites.sceneeval.annotation_replies import answer_text
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.makers.maker import things_in_words
from tsgkit.suites.sceneeval.makers.room_plans import ROOM_TYPES, RoomPlan, draw_plans, written_room
from tsgkit.suites.sceneeval.word_meanings import furniture

LEVELS = ("easy", "medium", "hard")


def draws(count: int, difficulties: Sequence[str] = LEVELS, seed: int = 0) -> tuple[RoomPlan, ...]:
    """Return what ``--items count`` draws."""
    return draw_plans(count, difficulties, ROOM_TYPES, seed, furniture())


def right(drawn: RoomPlan) -> Annotation:
    return written_room(drawn, 5, furniture())


def described(one: Annotation) -> str:
    return json.dumps({"description": one.description})


def annotated(one: Annotation) -> str:
    return f"Here it is:\n```json\n{answer_text(one)}\n```"


def with_entries(one: Annotation, kind: str, entries: Sequence[str]) -> str:
    return json.dumps(json.loads(answer_text(one)) | {kind: list(entries)})


def texts(one: Annotation, kind: str) -> list[str]:
    return list(json.loads(answer_text(one))[kind])


def served(drawn: Sequence[RoomPlan], spoilt: dict[int, str] | None = None) -> dict[str, str]:
    """Replies of the model server by what stands in the prompts; what is spoilt is mended when it is asked about."""
    replies: dict[str, str] = {}
    for one in drawn:
        made = right(one)
        text = json.dumps(made.description, ensure_ascii=False)[1:-1]
        replies[f"{text}\\n\\nThe annotation:"] = annotated(made)
        replies[f"{text}\\n\\nReply with"] = (spoilt or {}).get(one.number, annotated(made))
        replies[f"nothing else: {things_in_words(one)}."] = described(made)
    return replies


def without_relations(one: Annotation) -> Annotation:
    """Return the annotation without its relations between objects."""
    return replace(one, object_relations=())
