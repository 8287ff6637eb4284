"""Panels of this suite's samples: the image that was judged, and the questions with the answers of all rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tsgkit.suites.judges.images import NOT_SHOWN, sight_of
from tsgkit.suites.panels import Panel, Shown, boxes_panel, image_now
from tsgkit.suites.spatialgen.rows import Question, SpatialSample
from tsgkit.suites.spatialgen.scores import COLUMNS, UNREAD


def view(shown: Shown) -> Iterator[Panel]:
    """Yield the image, if a folder of images is judged, and the questions."""
    if shown.folder is not None:
        yield _image(shown)
    yield Panel("questions", "Questions about the image", {"rows": list(_rows(shown))})


def _image(shown: Shown) -> Panel:
    evidence: Mapping[str, Any] = shown.judged.evidence or {}
    other, file = evidence.get("image_of", ""), evidence.get("file", "")
    now = image_now(shown.folder, other or shown.sample.item_id, evidence.get("image"), file=file)
    sight = sight_of(shown.transcript)
    notes = [
        f"The judge was shown the image of another item, {other}, on purpose." if other else "",
        f"The image is paired with the item by its position in the folder: {file}" if file else "",
        f"{sight.reason[:1].upper()}{sight.reason[1:]}." if sight is not None and sight.found == NOT_SHOWN else "",
    ]
    return boxes_panel("Image", (), [note for note in notes if note], now)


def _rows(shown: Shown) -> Iterator[dict[str, Any]]:
    """Yield the questions; unasked ones are neither right nor wrong."""
    sample: SpatialSample = shown.sample
    evidence: Mapping[str, Any] = shown.judged.evidence or {}
    rounds: Sequence[str] | None = evidence.get("rounds")
    columns = zip_longest(sample.questions, shown.judged.answer or (), evidence.get("right") or ())
    strict = shown.judged.scores.get("strict", {})
    for number, (question, answer, right) in enumerate(columns):
        if question is None:
            return
        score = strict.get(COLUMNS[number]) if rounds is not None and number < len(COLUMNS) else None
        yield {
            **_asked(question, number),
            "answer": answer,
            "right": right if rounds is not None else None,
            "rounds": [_letter(turn, number) for turn in rounds or ()],
            "why": "" if score is None else score.reason,
        }


def _asked(question: Question, number: int) -> dict[str, Any]:
    domain = f"{question.sub_domain}: " if question.sub_domain else ""
    return {
        "number": number + 1,
        "text": f"{domain}{question.stem}",
        "options": [[letter, text] for letter, text in question.options.items()],
        "key": question.key,
    }


def _letter(turn: str, number: int) -> str | None:
    letter = turn[number : number + 1]
    return None if letter in ("", UNREAD) else letter
