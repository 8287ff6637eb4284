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
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tsgkit.suites.spatialgen.rows import SpatialRow

LINES = 10
ROUNDS = 5
NEEDED = 4
REQUESTS = 5 * ROUNDS


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


class AcceptedReplies(NamedTuple):
    """The result of asking about one image: the lines of the accepted replies, and the number of requests."""

    rounds: tuple[tuple[str, ...], ...]
    requests: int
    rejected: int

    @property
    def dropped(self) -> bool:
        """True if the image is left out of the results (E1)."""
        return len(self.rounds) < ROUNDS


def asked(replies: Iterable[str | None]) -> AcceptedReplies:
    """Take the first five accepted of at most 25 replies. None is a failed request, which counts as one."""
    rounds: list[tuple[str, ...]] = []
    requests = 0
    for reply in replies:
        requests += 1
        if reply is not None and accepted(reply) is not None:
            rounds.append(tuple(reply_lines(reply)))
        if len(rounds) == ROUNDS or requests == REQUESTS:
            break
    return AcceptedReplies(tuple(rounds), requests, requests - len(rounds))


class Vote(NamedTuple):
    """The vote of five rounds on one question: the letter that reached four, else all the most frequent ones."""

    winners: tuple[str, ...]
    right: bool


def vote(letters: Sequence[str], key: str) -> Vote:
    """Return the vote of some rounds. It is right if at least four of them gave the key."""
    counts = Counter(letters)
    most = max(counts.values(), default=0)
    return Vote(tuple(letter for letter, times in counts.items() if times == most), counts[key] >= NEEDED)


def votes(rounds: Sequence[Sequence[str]], keys: Sequence[str]) -> tuple[Vote, ...]:
    """Return the votes on all questions, given the lines of the rounds."""
    letters = [first_characters(lines) for lines in rounds]
    return tuple(vote(answers, key) for answers, key in zip(zip(*letters, strict=True), keys, strict=True))


class Pairing(NamedTuple):
    """The image of each row, and the published warning."""

    pairs: tuple[tuple[SpatialRow, str], ...]
    warning: str | None


def paired(rows: Sequence[SpatialRow], files: Iterable[str]) -> Pairing:
    """Pair rows with the files of a folder by sorted position (E3).

    >>> from tsgkit.suites.spatialgen.rows import row_of
    >>> rows = [row_of("000001", "Forest", "", ()), row_of("000002", "Forest", "", ())]
    >>> [(row.id, name) for row, name in paired(rows, ["000002.png", ".DS_Store", "000001.png"]).pairs]
    [('000001', '.DS_Store'), ('000002', '000001.png')]
    """
    images = sorted(files)
    warning = f"{len(images)} images for {len(rows)} prompts" if len(images) != len(rows) else None
    return Pairing(tuple(zip(rows, images, strict=False)), warning)
