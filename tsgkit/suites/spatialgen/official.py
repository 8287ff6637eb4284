"""Reading, voting and scoring exactly as in the published code, except for its crashes.

This module is separate on purpose: nothing in it may be improved. E1 to E5 are the surprises that change a score:

== ==========================================================================================================
E1 an image without five accepted replies after 25 requests is dropped: no row, in no denominator
E2 results are appended to one file and read back whole: a second run counts its items twice
E3 the images of a folder are paired with the rows by sorted position: a stray file shifts all that follow
E4 with a scene chosen, a row beyond the last image ends the run with an error
E5 the answer is the first character of a stripped line: "**B**" is a star, "Answer: B" is A, "Based on ..." is B
== ==========================================================================================================

>>> lines = ["B: on the left", *["A"] * 9]
>>> accepted("\\n".join(lines))[0], accepted("My answers:\\n" + "\\n".join(lines)) is None
('B', True)
>>> vote(["B", "B", "B", "C", "B"], "B")
Vote(winners=('B',), right=True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from tsgkit.suites.spatialgen.rows import SUB_DOMAINS, SpatialRow

LINES = 10
ROUNDS = 5
NEEDED = 4
REQUESTS = 5 * ROUNDS
BASIC = 2
"""The number of questions at the start that are called basic; the others are spatial."""


def reply_lines(reply: str) -> list[str]:
    """Return the lines of a reply, stripped, without blank ones."""
    return [stripped for line in reply.split("\n") if (stripped := line.strip())]


def accepted(reply: str) -> tuple[str, ...] | None:
    """Return the first characters of the ten lines, or None (the reply is rejected) for another number of lines."""
    lines = reply_lines(reply)
    return first_characters(lines) if len(lines) == LINES else None


def first_characters(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the first character of each stripped line, whatever it is. It counts as the answer."""
    return tuple(line.strip()[:1] for line in lines)


class Asked(NamedTuple):
    """The result of asking about one image: the lines of the accepted replies, and the number of requests."""

    rounds: tuple[tuple[str, ...], ...]
    requests: int
    rejected: int

    @property
    def dropped(self) -> bool:
        """True if the image is left out of the results (E1)."""
        return len(self.rounds) < ROUNDS


def asked(replies: Iterable[str | None]) -> Asked:
    """Take the first five accepted of at most 25 replies. None is a failed request, which counts as one."""
    rounds: list[tuple[str, ...]] = []
    requests = 0
    for reply in replies:
        requests += 1
        if reply is not None and accepted(reply) is not None:
            rounds.append(tuple(reply_lines(reply)))
        if len(rounds) == ROUNDS or requests == REQUESTS:
            break
    return Asked(tuple(rounds), requests, requests - len(rounds))


class Vote(NamedTuple):
    """The vote of five rounds on one question: the letter that reached four, else all the most frequent ones."""

    winners: tuple[str, ...]
    right: bool


def vote(letters: Sequence[str], key: str) -> Vote:
    """Return the vote of some rounds. It is right if at least four of them gave the key."""
    said = Counter(letters)
    most = max(said.values(), default=0)
    return Vote(tuple(letter for letter, times in said.items() if times == most), said[key] >= NEEDED)


def votes(rounds: Sequence[Sequence[str]], keys: Sequence[str]) -> tuple[Vote, ...]:
    """Return the votes on all questions, given the lines of the rounds."""
    letters = [first_characters(lines) for lines in rounds]
    return tuple(vote(said, key) for said, key in zip(zip(*letters, strict=True), keys, strict=True))


def result_row(row: SpatialRow, found: Asked, image_path: str) -> dict[str, Any] | None:
    """Return the published code's result row of one image, or None if it writes none (E1)."""
    if found.dropped:
        return None
    voted = votes(found.rounds, row.answers)
    right = [one.right for one in voted]
    return {
        "id": row.id,
        "scene": row.scene,
        "avg_acc": _of(right),
        "basic_acc": _of(right[:BASIC]),
        "spatial_acc": _of(right[BASIC:]),
        "image_path": image_path,
        "prompt": row.prompt,
        "questions": list(row.texts),
        "answers": list(row.answers),
        "model_preds": ["".join(one.winners) for one in voted],
        "true-or-false": right,
        "model_preds_cot": [list(lines) for lines in found.rounds],
    }


def _of(right: Sequence[bool]) -> str:
    return f"{sum(right)}/{len(right)}"


class Table(NamedTuple):
    """The published scores, as shares of 1, and the number of result rows."""

    columns: dict[str, float]
    overall: float
    basic: float
    spatial: float
    n: int


def table(results: Sequence[Mapping[str, Any]]) -> Table | None:
    """Return the scores of a file of results, or None if it is empty. A repeated item counts each time (E2).

    Votes are counted again from the raw lines. Every column is rounded to three digits before means are taken.
    """
    rights = [[one.right for one in votes(found["model_preds_cot"], found["answers"])] for found in results]
    if not rights:
        return None
    shares = [round(fmean(column), 3) for column in zip(*rights, strict=True)]
    basic, spatial = shares[:BASIC], shares[BASIC:]
    columns = dict(zip(SUB_DOMAINS, shares, strict=True))
    return Table(columns, fmean(shares), fmean(basic), fmean(spatial), len(results))


class Pairing(NamedTuple):
    """The image of each row, the published warning, and True if the published code would have crashed."""

    pairs: tuple[tuple[SpatialRow, str], ...]
    warning: str | None
    crashes: bool


def paired(rows: Sequence[SpatialRow], files: Iterable[str], scene: str | None = None) -> Pairing:
    """Pair rows with the files of a folder by sorted position (E3); with a scene, by position among all rows (E4).

    >>> from tsgkit.suites.spatialgen.rows import row_of
    >>> rows = [row_of("000001", "Forest", "", ()), row_of("000002", "Forest", "", ())]
    >>> [(row.id, name) for row, name in paired(rows, ["000002.png", ".DS_Store", "000001.png"]).pairs]
    [('000001', '.DS_Store'), ('000002', '000001.png')]
    """
    images = sorted(files)
    wanted = [(number, row) for number, row in enumerate(rows) if scene is None or row.scene == scene]
    pairs = tuple((row, images[number]) for number, row in wanted if number < len(images))
    uneven = len(images) != len(rows)
    warning = f"{len(images)} images for {len(rows)} prompts" if uneven else None
    return Pairing(pairs, warning, crashes=scene is not None and len(pairs) < len(wanted))
