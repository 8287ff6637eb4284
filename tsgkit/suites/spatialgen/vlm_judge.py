"""A solver that shows images to a vision-language judge, in rounds, with retries for unusable replies.

The published protocol asks five rounds with the same prompt. A reply without exactly ten lines is rejected and drawn
again, up to 25 requests in all. Our protocols shuffle the options in each round, and ask again if a letter is missing.

Images can also be paired with items by their position in a sorted folder, as the published code does (E3).

>>> from tsgkit.suites.spatialgen.rows import row_of
>>> rows = [row_of(name, "Park", "", ()) for name in ("000001", "000002", "000003")]
>>> files, warnings = by_position(rows, ["000001.png", "000001_small.png", "000003.png"])
>>> files["000002"], warnings[1]
('000001_small.png', '1 of 3 items get a file that is not named after them, first 000002: 000001_small.png')

An extra or missing file shifts all that follow. The published code warns only if the numbers differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Ask, Reply
from tsgkit.suites.images import ENDINGS, image_files
from tsgkit.suites.judges.images import MISSING, NO_IMAGE, NOT_SHOWN, UNREADABLE, Images, ShownImage, folder_of
from tsgkit.suites.judges.judge import NOT_ASKED_AGAIN, Judge, JudgeQuestion, JudgeReading, a_model
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.judge_requests import (
    APART,
    BLIND,
    PROTOCOLS,
    SHUFFLED,
    Orders,
    QuestionPrompts,
    orders_of,
    parse_protocol,
    schema_of,
    shown,
)
from tsgkit.suites.spatialgen.official import ROUNDS, paired
from tsgkit.suites.spatialgen.rows import ImageQuestion, SpatialRow, rows_of
from tsgkit.suites.spatialgen.scores import VoteScorer, label_of, letters
from tsgkit.suites.task import BY_POSITION, OURS, PUBLISHED, JudgedContent, Task, Viewing
from tsgkit.suites.transcript import LabelledReply, Transcript, gather_all

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

TRIES = 3
"""The maximum number of requests for a round of our own protocols."""
REPLY_LENGTHS = {PUBLISHED: (40, 160), OURS: (12, 16), APART: (12, 16)}
"""Characters of the reply to a question, at least and at most: a line with a reason as published, else a letter."""


@dataclass(frozen=True)
class ImageFolderSolver(VoteScorer):
    """A solver that asks a vision-language judge about a folder of images."""

    words: QuestionPrompts = field(kw_only=True)
    images: Images = field(kw_only=True)
    asking: Judge = field(kw_only=True, repr=False, compare=False)
    item_ids: Sequence[str] = field(kw_only=True, repr=False)
    seed: int = 0
    files: Mapping[str, str] | None = field(default=None, repr=False)
    """The file of each item by its position, or None if images are found by the ids of their items."""
    warnings: tuple[str, ...] = field(default=(), repr=False)
    """The effects of pairing by position."""

    @property
    def fingerprint(self) -> str:
        """The prompts, the seed of all random choices, and the pairing if it is not by id."""
        pairing = "" if self.files is None else f"/{BY_POSITION}"
        return f"{self.name}/{ROUNDS}/{TRIES}/{self.seed}/{self.words.fingerprint}{pairing}"

    async def solve(self, sample: SpatialRow, ask: Ask | None) -> Transcript:
        """Ask all rounds about the image, if there is one that can be shown."""
        model = a_model(ask, "images")
        sight, image = await self._image_to_show(sample)
        if sight.found in (MISSING, UNREADABLE):
            return Transcript((sight.said,))
        orders = orders_of(sample, self.way.base, self.seed)
        if self.way.base == PUBLISHED:
            calls = await until_accepted(self.asking, model, self.words.messages(sample.questions, image))
        else:
            requests = self.questions(sample, orders, image)
            answers = await gather_all(*(self.asking.answer(model, question) for question in requests))
            calls = [call for answer in answers for call in answer.said]
        return Transcript((*calls, replace(sight, orders=orders).said))

    async def _image_to_show(self, sample: SpatialRow) -> tuple[ShownImage, ImageFile | None]:
        """Return the image to show: the item's, another item's, or none."""
        if self.way.control == BLIND:
            return ShownImage(NOT_SHOWN, "the judge is shown no image on purpose"), None
        if self.way.control != SHUFFLED:
            return await self._image_of(sample.item_id)
        for item_id in others(sample.item_id, self.item_ids, self.seed):
            sight, image = await self._image_of(item_id)
            if image is not None:
                return replace(sight, image_of=item_id), image
        return ShownImage(MISSING, "there is no image of any other item"), None

    async def _image_of(self, item_id: str) -> tuple[ShownImage, ImageFile | None]:
        if self.files is None:
            return await self.images.of_item(item_id)
        if (name := self.files.get(item_id)) is None:
            return ShownImage(MISSING, NO_IMAGE), None
        sight, image = await self.images.in_file(name)
        return replace(sight, file="" if is_named_after(item_id, name) else printable(name)), image

    def questions(self, sample: SpatialRow, orders: Orders, image: ImageFile | None) -> list[JudgeQuestion[None]]:
        """Return the requests of our own protocols: in each round one for all questions, or one for each.

        Each round has its own draws, since rounds may send the same text.
        """

        def request(turn: int, label: str, questions: Sequence[ImageQuestion]) -> JudgeQuestion[None]:
            return JudgeQuestion(
                label,
                self.words.messages(questions, image),
                lambda reply: JudgeReading(None, unread(reply, questions)),
                schema_of(questions, self.way.base),
                TRIES,
                turn * TRIES,
            )

        requests = []
        for turn in range(ROUNDS):
            questions = shown(sample, orders[turn])
            if self.way.base == APART:
                requests += [request(turn, label_of(turn, n), [question]) for n, question in enumerate(questions)]
            else:
                requests.append(request(turn, label_of(turn), questions))
        return requests

    def expected(self, sample: SpatialRow) -> Expected:
        """Return the calls of all rounds where every reply is usable; none for an image that cannot be shown."""
        sides: tuple[int, int] | None = None
        if self.way.control != BLIND:
            is_shuffled = self.way.control == SHUFFLED
            ids = others(sample.item_id, self.item_ids, self.seed) if is_shuffled else [sample.item_id]
            names = ids if self.files is None else [self.files[item_id] for item_id in ids if item_id in self.files]
            sides_of = self.images.sides if self.files is None else self.images.folder.sides
            sides = next((size for name in names if (size := sides_of(name)) is not None), None)
            if sides is None:
                return Expected()
        groups = [[question] for question in sample.questions] if self.way.base == APART else [list(sample.questions)]
        sent = ROUNDS * sum(len(self.words.text(group)) + len(self.words.role) for group in groups)
        least, most = (ROUNDS * len(sample.questions) * length for length in REPLY_LENGTHS[self.way.base])
        calls = ROUNDS * len(groups)
        worst = official.REQUESTS // ROUNDS if self.way.base == PUBLISHED else TRIES
        return Expected(
            (calls, calls), (sent, sent), (least, most), images=[sides] * calls if sides else (), worst=worst
        )


def unread(reply: Reply, questions: Sequence[ImageQuestion]) -> str:
    """Return why a letter of a reply cannot be read, or an empty text if all can."""
    answers = letters(reply.text or "", questions)
    return next((answer.reason for answer in answers if not isinstance(answer, str)), "")


async def until_accepted(judge: Judge, ask: Ask, messages: Sequence[BaseMessage]) -> list[LabelledReply]:
    """Ask until five replies have ten lines, at most 25 times, as published. Open rounds are asked concurrently.

    A service failure (after the client's retries) ends its round; resuming the run asks it again.
    """
    calls: list[LabelledReply] = []
    open_rounds = list(range(ROUNDS))
    while open_rounds and len(calls) < official.REQUESTS:
        turns = open_rounds[: official.REQUESTS - len(calls)]
        requests = (judge.reply(ask, messages, label_of(turn), len(calls) + n) for n, turn in enumerate(turns))
        replies = await gather_all(*requests)
        open_rounds = []
        for turn, reply in zip(turns, replies, strict=True):
            calls.append(LabelledReply(label_of(turn), reply))
            is_accepted = reply.text is not None and official.accepted(reply.text) is not None
            if reply.ending not in NOT_ASKED_AGAIN and not is_accepted:
                open_rounds.append(turn)
    return calls


def others(item_id: str, item_ids: Sequence[str], seed: int) -> Iterable[str]:
    """Return all other items in random cyclic order after this one, so that each image is shown equally often.

    >>> [next(iter(others(item_id, ["1", "2", "3"], 0))) for item_id in ("1", "2", "3")]
    ['2', '3', '1']
    """
    mixed = list(item_ids)
    Random(f"{seed}/shuffled").shuffle(mixed)
    index = mixed.index(item_id)
    return (*mixed[index + 1 :], *mixed[:index])


def viewer(task: Task, viewing: Viewing, dataset: Dataset) -> ImageFolderSolver:
    """Return the solver for a folder of images. Raise UsageError if the protocol or a prompt is invalid, or if no file
    can belong to an item."""
    if viewing.protocol not in PROTOCOLS:
        raise UsageError(f"there is no protocol {viewing.protocol}", hint=meant(viewing.protocol, PROTOCOLS))
    words = QuestionPrompts(task.card, parse_protocol(viewing.protocol), viewing.prompts)
    images, files, warnings = Images.of(viewing), None, list[str]()
    words.check()
    if viewing.pairing == BY_POSITION:
        files, warnings = by_position(rows_of(dataset), images.folder.in_order)
        if not images.folder.in_order:
            raise UsageError(f"{viewing.folder.path}: the folder is empty", hint="name a folder of images")
    elif words.way.control != BLIND and not any(image_files(viewing.folder.path, dataset.item_ids)):
        stray = next(iter(images.folder.stray(dataset.item_ids)), None)
        hint = f"the image of an item is named {dataset.item_ids[0]}.png" + (f", not {stray}" if stray else "")
        raise UsageError(f"{viewing.folder.path}: no image in this folder is named after an item", hint=hint)
    return ImageFolderSolver(
        viewing.protocol,
        words=words,
        images=images,
        asking=Judge(viewing.formats),
        item_ids=dataset.item_ids,
        seed=viewing.seed,
        files=files,
        warnings=tuple(f"{viewing.folder.path}: {warning}" for warning in warnings),
    )


def pieces(viewing: Viewing, samples: Iterable[SpatialRow]) -> Iterator[JudgedContent]:
    """Yield the images of these items. Pairing by position yields every file, since each one shifts the others."""
    if viewing.pairing == BY_POSITION:
        for name in folder_of(viewing).in_order:
            path = viewing.folder.path / name
            yield JudgedContent(printable(name), path if path.is_file() else "")
    else:
        for path in image_files(viewing.folder.path, (sample.item_id for sample in samples)):
            yield JudgedContent(path.name, path)


def by_position(rows: Sequence[SpatialRow], names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Pair all rows with the file names of a folder by position; return the file of each item, and warnings."""
    pairing = paired(rows, names)
    files = {row.id: name for row, name in pairing.pairs}
    warnings = ["files are paired with items by sorted position, as published (E3), not by id"]
    if pairing.warning:
        warnings.append(pairing.warning)
    if shifted := [item_id for item_id, name in files.items() if not is_named_after(item_id, name)]:
        many = f"{len(shifted):,} of {len(files):,} items get a file that is not named after them"
        warnings.append(f"{many}, first {shifted[0]}: {printable(files[shifted[0]])}")
    return files, warnings


def is_named_after(item_id: str, name: str) -> bool:
    """Return True if pairing by id would use this file.

    >>> is_named_after("000001", "000001.JPG"), is_named_after("000001", "000001_small.png")
    (True, False)
    """
    return any(name.startswith(item_id) and name[len(item_id) :].lower() == ending for ending in ENDINGS)


def printable(name: str) -> str:
    """Return a file name, with escapes for bytes that are not UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()
