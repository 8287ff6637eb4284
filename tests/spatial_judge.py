"""A judge of images on loopback: it knows what each image shows, and says so only of the image it was sent.

It serves like ``image_server``, whose options and faults it has. Besides:
``rows`` (a file of questions with their keys) and ``images`` (the item that an image's SHA-256 belongs to) are what
it knows; ``mode`` is how it decides: ``sees`` (the keyed option if the image sent is that of the questions, else
None), ``constant:C`` (always that letter). ``forms`` lists how its replies are written: the first reply to a request in
the first form, a repeated one in the next, and so on: ``plain``, ``heading`` (before the answers), ``nine`` (a line
too few).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from image_server import ImageConnection, ImageScript
from model_server import serve, started

from tsgkit.suites.spatialgen.rows import ImageQuestion, question_from, rows_in

ASKED = re.compile(r"^(?:\d+\. )?(.*  Options: A: .*)$", re.MULTILINE)


class JudgeScript(ImageScript):
    """The judge's knowledge, and the images it received."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.images: dict[str, str] = options.get("images", {})
        self.mode: str = options.get("mode", "sees")
        self.forms: list[str] = options.get("forms", ["plain"])
        self.keys: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
        for row in rows_in(Path(options["rows"])) if "rows" in options else ():
            for question in row.questions:
                self.keys[_what(question)] = (row.id, question.options.get(question.key, ""))

    def form(self, body: bytes) -> str:
        """Return how the next reply to a request is written."""
        times = self.seen[hashlib.sha256(body).hexdigest()]
        return self.forms[min(times, len(self.forms) - 1)]

    def letter(self, question: ImageQuestion, shown: str) -> str:
        """Return what it says to a question beside an image (its SHA-256; empty for none)."""
        kind, _, letter = self.mode.partition(":")
        if kind == "constant":
            return letter
        item, text = self.keys[_what(question)]
        right = next((letter for letter, option in question.options.items() if option == text), "E")
        return right if self.images.get(shown) == item else "E"


def _what(question: ImageQuestion) -> tuple[str, frozenset[str]]:
    return question.stem, frozenset(question.options.values())


class JudgeConnection(ImageConnection):
    """One connection to it."""

    script: JudgeScript

    def _look(self, headers: dict[str, str], body: bytes) -> None:
        script, value = self.script, json.loads(body)
        text, found = self.shown(value, "\n")
        script.last_body = {name: part for name, part in value.items() if name != "messages"}
        form = script.form(body)
        fault = self.count(text, body, value["model"])
        asked = [question_from(line, "") for line in ASKED.findall(text)]
        said = [script.letter(question, found[0]["sha256"] if found else "") for question in asked]
        self._later(lambda: self._finish(fault, text, "", "", written(said, text, form)))


def written(letters: list[str], asked: str, form: str) -> str:
    """Return a reply that says these letters."""
    if '{"answer"' in asked:
        return json.dumps({"answer": letters[0]})
    if "one JSON object" in asked:
        return json.dumps({str(number): letter for number, letter in enumerate(letters, 1)})
    lines = [f"{letter}: that is what the image shows" for letter in letters]
    if form == "nine":
        lines.pop()
    return "\n".join((["My answers are these."] if form == "heading" else []) + lines)


spatial_judge = partial(started, "spatial_judge")


def server(options: dict[str, Any]) -> Coroutine[Any, Any, None]:
    return serve(JudgeScript(options), int(options.get("port", 0)), JudgeConnection)
