"""A judge of rooms on loopback: it knows what each image shows, and answers as whoever sees well would.

It serves like ``image_server``, whose options and faults it has. Besides: ``known`` is a file of what it knows
(``looks``: the things that look like an image's SHA-256; ``held``: what holds the object of an image of surroundings),
``size`` is how large images have to be. ``odd`` maps a kind of question (see ``FIELDS``) to the reply it gives instead,
as often as ``times`` says for one request. A request that is not as it should be is answered with 418, and told in
``/stats``.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import struct
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from image_server import ImageConnection, ImageScript
from model_server import serve, started

from tsgkit.suites.sceneeval import word_meanings
from tsgkit.suites.sceneeval.annotations import spaced
from tsgkit.suites.sceneeval.judges.rules import RulesJudge, support_type
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene

FIELDS = {
    "match": ("category",), "attribute": ("holds",), "support": ("held_by",), "sides": ("objects",),
    "object-relations": ("relations", "types"), "room-relations": ("relations", "type"),
}  # fmt: skip
"""What the reply to each kind of question has to hold."""
LISTED = re.compile(r"^- (.*)$", re.MULTILINE)
PAIR = re.compile(r'^\d+\. "(.*)": (.*); the anchor: (.*)$', re.MULTILINE)
BUILT = re.compile(r'^\d+\. "(.*)": (.*); to: (.*)$', re.MULTILINE)


def looks_of(scenes: Iterable[LoadedScene]) -> dict[str, Any]:
    """Return what there is to know of the images of some scenes."""
    looks: dict[str, list[dict[str, Any]]] = {}
    held: dict[str, str] = {}
    for scene in scenes:
        things = {thing.id: thing for thing in scene.scene.objects}
        for name, body in scene.stage.bodies.items():
            front = asyncio.run(scene.gallery.image("front", name))
            around = asyncio.run(scene.gallery.image("surroundings", name))
            assert not isinstance(front, str) and not isinstance(around, str)
            one: dict[str, Any] = {"category": things[name].category, "description": things[name].description}
            one["attributes"] = scene.attributes.get(name)
            if one not in looks.setdefault(front.sha256, []):
                looks[front.sha256].append(one)
            held[around.sha256] = support_type(scene.stage, body)
    return {"looks": looks, "held": held}


class RoomScript(ImageScript):
    """The judge's knowledge, and the images it received."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        known = json.loads(Path(options["known"]).read_text()) if "known" in options else {}
        self.looks: Mapping[str, list[dict[str, Any]]] = known.get("looks", {})
        self.held: Mapping[str, str] = known.get("held", {})
        self.size = int(options.get("size", 512))
        self.odd: Mapping[str, str] = options.get("odd", {})
        self.times = int(options.get("times", 99))
        self.kinds: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.same = word_meanings.CategorySynonyms.of(word_meanings.synonyms_table()[0])

    def answer(self, kind: str, text: str, images: list[str]) -> dict[str, Any]:
        """Return what it says to a question beside images (their SHA-256)."""
        if kind == "match":
            same = (word_meanings.best_category(*one, LISTED.findall(text), self.same) for one in self.named(images[0]))
            return {"reason": "so it looks", "category": next((one for one in same if one is not None), None)}
        if kind == "attribute":
            return {"reason": "so they look", "holds": self.holds(text, images)}
        if kind == "support":
            return {"reason": "that is where it is", "held_by": self.held.get(images[1], "ground")}
        if kind == "sides":
            return {"objects": [self.sides(line) for line in LISTED.findall(text.split("\n\n")[1])]}
        if kind == "object-relations":
            found = (word_meanings.relation_table().between_objects(phrase) for phrase, _, _ in PAIR.findall(text))
            return {"relations": [{"number": n, "types": [*map(str, one or ())]} for n, one in enumerate(found, 1)]}
        floors = dict(line.split(": ", 1) for line in LISTED.findall(text) if line.startswith("floor_"))
        return {"relations": [self.built(n, one, floors) for n, one in enumerate(BUILT.findall(text), 1)]}

    def named(self, image: str) -> list[tuple[str, str]]:
        return [(one["category"], one["description"]) for one in self.looks.get(image, [])]

    def holds(self, text: str, images: list[str]) -> dict[str, bool]:
        category = str(re.search(r'of the category "(.*)"', text)[1])  # type: ignore[index]
        attribute = str(re.search(r"true of it: (.*)", text)[1])  # type: ignore[index]
        found = {}
        for number, image in enumerate(images[::2], 1):
            pairs = zip(self.named(image), self.looks.get(image, []), strict=True)
            of = [one for named, one in pairs if word_meanings.best_category(*named, [category], self.same) is not None]
            found[str(number)] = any(
                word_meanings.mentions(said, attribute) for one in of for said in one["attributes"] or ()
            )
        return found

    def sides(self, line: str) -> dict[str, Any]:
        name, _, what = line.partition(": ")
        return {"id": name, "sides": list(RulesJudge()._sides_of(what.partition(" - ")[0]))}

    def built(self, number: int, line: tuple[str, str, str], floors: Mapping[str, str]) -> dict[str, Any]:
        phrase, _, reference = line
        element = reference if reference in ("wall", "floor", "ceiling", "room", "window", "door") else "room"
        meant = word_meanings.relation_table().to_room(phrase, element)
        named = set(word_meanings.words_of(reference)) if element == "room" else set()
        there = [
            floor for floor, room in floors.items() if named and named <= set(word_meanings.words_of(spaced(room)))
        ]
        return {"number": number, "type": meant, "element": element, "floors": there}


class RoomConnection(ImageConnection):
    """One connection to it."""

    script: RoomScript

    def stats(self) -> dict[str, Any]:
        return super().stats() | {"kinds": self.script.kinds, "wrong": self.script.wrong}

    def _look(self, headers: dict[str, str], body: bytes) -> None:
        script, value = self.script, json.loads(body)
        _, user = value["messages"]
        parts = user["content"] if isinstance(user["content"], list) else []
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        text, images = self.shown({"messages": [user]}, "\n")
        kind = kind_of(text)
        script.kinds[kind] += 1
        script.prompts.append(text)
        times = script.seen[hashlib.sha256(body).hexdigest()]
        fault = self.count(text, body, value["model"])
        if problem := wrong(kind, text, urls, value.get("response_format"), script.size):
            script.wrong.append(problem)
            self._later(lambda: self._error(418, problem, {}))
            return
        shas = [one["sha256"] for one in images]
        odd = script.odd.get(kind) if times < script.times else None
        reply = odd if odd is not None else json.dumps(script.answer(kind, text, shas))
        self._later(lambda: self._finish(fault, text, "", "", reply))


def kind_of(text: str) -> str:
    """Return the kind of a question, by the form of reply that is asked for."""
    form = text[text.rindex("Reply with one JSON object") :]
    return next(kind for kind, names in FIELDS.items() if all(f'"{name}":' in form for name in names))


def wrong(kind: str, text: str, urls: list[str], schema: Mapping[str, Any] | None, size: int) -> str:
    """Return what is not as it should be about a request; empty where all is."""
    shown = re.search(r"You are shown (one object|(\d+) objects) of the category", text)
    wanted = {"match": 1, "support": 2}.get(kind, 0)
    if kind == "attribute" and shown is not None:
        wanted = 2 * int(shown[2] or 1)
    if len(urls) != wanted:
        return f"{kind}: {len(urls)} images, {wanted} expected"
    for url in urls:
        data = base64.b64decode(url.partition(",")[2])
        sides = struct.unpack(">II", data[16:24])
        if not url.startswith("data:image/png;base64,") or data[:8] != b"\x89PNG\r\n\x1a\n" or sides != (size, size):
            return f"{kind}: an image that is no PNG of {size} pixels a side"
    fields = schema["json_schema"]["schema"]["properties"] if schema else {}
    if schema and FIELDS[kind][0] not in fields:
        return f"{kind}: a schema of {', '.join(fields)}"
    return ""


room_judge = partial(started, "room_judge")


def server(options: dict[str, Any]) -> Coroutine[Any, Any, None]:
    return serve(RoomScript(options), int(options.get("port", 0)), RoomConnection)
