"""Shows pictures to a judge and asks: round by round, again where a reply cannot be used, in parallel where it can be.

The published way asks five rounds of one and the same prompt; a reply that is not ten lines is rejected and drawn anew,
up to 25 requests in all. Our ways ask every round with options in other orders, and again where a letter is missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.llm.cache import cache_home
from tsgkit.llm.pictures import CHARACTERS_A_TOKEN, FEWEST_TOKENS, MOST_TOKENS, Picture
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.judged import Judged
from tsgkit.suites.pictures import Missing, PictureFolder
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.asking import (
    APART,
    BLIND,
    SHUFFLED,
    Orders,
    Way,
    Words,
    check_protocol,
    orders_of,
    schema_of,
    shown,
    way_of,
)
from tsgkit.suites.spatialgen.judging import (
    MISSING,
    NO_PICTURE,
    NOT_SHOWN,
    SEEN,
    STOPPED,
    UNREADABLE,
    Sight,
    judged,
    label_of,
    sight_of,
    unpublished,
)
from tsgkit.suites.spatialgen.positions import Positions, is_named_after, positions_of, sayable
from tsgkit.suites.spatialgen.rows import Question
from tsgkit.suites.spatialgen.samples import Rows, SpatialSample
from tsgkit.suites.spatialgen.strict import letters
from tsgkit.suites.spatialgen.voting import ROUNDS
from tsgkit.suites.tasks import BY_POSITION, PUBLISHED, Viewing
from tsgkit.suites.together import together
from tsgkit.suites.transcript import Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

RULES = "rules"
TRIES = 3
"""So often a round of our own ways is asked for before it counts as it is."""
BAD_REQUESTS = (400, 422)
"""How services refuse a request whose form they do not take."""
A_REASON = 60
"""Characters of a reason in a line."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Judgements:
    """Judges transcripts of one protocol."""

    name: str
    style: str = ""

    @property
    def way(self) -> Way:
        """How is asked."""
        return way_of(self.name)

    @property
    def unpublished(self) -> str:
        """Why official figures do not apply; empty where they do."""
        return unpublished(self.way)

    def judge(self, sample: SpatialSample, transcript: Transcript | None) -> Judged:
        """What the rounds come to."""
        return judged(sample, transcript, self.way)

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return "" if sight_of(transcript) is not None else STOPPED


@dataclass
class _Memory:
    """What a solver learns of its judge while it asks."""

    takes_schemas: bool = True
    decoding: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True)
class Looking(Judgements):
    """Shows the pictures of a folder to a judge."""

    words: Words = field(kw_only=True)
    folder: PictureFolder = field(kw_only=True)
    item_ids: Sequence[str] = field(kw_only=True, repr=False)
    seed: int = 0
    positions: Positions | None = field(default=None, repr=False)
    """The files by position; None where pictures are found by the ids of their items."""
    _memory: _Memory = field(default_factory=_Memory, repr=False, compare=False)

    @property
    def fingerprint(self) -> str:
        """The words, the seed of the orders and of whose picture is shown, and how pictures are paired if not by id."""
        pairing = "" if self.positions is None else f"/{BY_POSITION}"
        return f"{self.name}/{ROUNDS}/{TRIES}/{self.seed}/{self.words.fingerprint}{pairing}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What pairing by position does to the items; nothing of pairing by id."""
        return () if self.positions is None else self.positions.warnings(self.folder.path)

    async def solve(self, sample: SpatialSample, ask: Ask | None) -> Transcript:
        """Ask all rounds about the picture, if there is one that can be shown."""
        if ask is None:
            raise UsageError("a model has to look at the pictures, and none was given", hint="give --judge")
        sight, picture = await self._sight(sample)
        if sight.found in (MISSING, UNREADABLE):
            return Transcript((sight.said,))
        orders = orders_of(sample, self.way.base, self.seed)
        said = await self._rounds(sample, orders, picture, ask)
        records = tuple(tuple(order.record for order in turn) for turn in orders)
        return Transcript((*said, replace(sight, orders=records).said))

    async def _sight(self, sample: SpatialSample) -> tuple[Sight, Picture | None]:
        """What is shown; decoded beside the event loop, one picture at a time, so that memory stays bounded."""
        if self.way.control == BLIND:
            return Sight(NOT_SHOWN, "the judge is shown no picture on purpose"), None
        if self.way.control != SHUFFLED:
            return await self._look(sample.item_id)
        for other in others(sample.item_id, self.item_ids, self.seed):
            sight, picture = await self._look(other)
            if picture is not None:
                return replace(sight, picture_of=other), picture
        return Sight(MISSING, "there is no picture of any other item"), None

    async def _look(self, item_id: str) -> tuple[Sight, Picture | None]:
        file = ""
        async with self._memory.decoding:
            if self.positions is None:
                found = await asyncio.to_thread(self.folder.look, item_id)
            elif (name := self.positions.files.get(item_id)) is None:
                found = Missing()
            else:
                found = await asyncio.to_thread(self.folder.look_at, name)
                file = "" if is_named_after(item_id, name) else sayable(name)
        if isinstance(found, Missing):
            return Sight(MISSING, NO_PICTURE, file=file), None
        if not isinstance(found, Picture):
            return Sight(UNREADABLE, found.reason, file=file), None
        return Sight(SEEN, "", found.sha256, found.notes, file=file), found

    async def _rounds(self, sample: SpatialSample, orders: Orders, picture: Picture | None, ask: Ask) -> list[Said]:
        if self.way.base == PUBLISHED:
            return await until_accepted(ask, self.words.messages(sample.questions, picture))
        rounds = [(turn, shown(sample, orders[turn])) for turn in range(ROUNDS)]
        if self.way.base == APART:
            wanted = [
                (turn, label_of(turn, number), [one]) for turn, asked in rounds for number, one in enumerate(asked)
            ]
        else:
            wanted = [(turn, label_of(turn), asked) for turn, asked in rounds]
        found = await together(*(self._until_read(ask, *one, picture) for one in wanted))
        return [said for part in found for said in part]

    async def _until_read(
        self, ask: Ask, turn: int, label: str, questions: Sequence[Question], picture: Picture | None
    ) -> list[Said]:
        """Ask until every letter can be read, each time a new draw; a service that fails is not asked again here."""
        messages, said = self.words.messages(questions, picture), list[Said]()
        for number in range(TRIES):
            reply = await self._asked(ask, messages, label, turn * TRIES + number, schema_of(questions, self.way.base))
            said.append(Said(label, reply))
            if reply.ending in (Ending.API_ERROR, Ending.MISSING) or is_read(reply, questions):
                break
        return said

    async def _asked(
        self, ask: Ask, messages: Sequence[BaseMessage], label: str, draw: int, schema: dict[str, Any] | None
    ) -> Reply:
        """The reply, with a schema as long as the judge takes one: some services refuse it as a bad request."""
        if self._memory.takes_schemas:
            reply = await ask(messages, label=label, draw=draw, schema=schema)
            if reply.ending is not Ending.API_ERROR or reply.status not in BAD_REQUESTS:
                return reply
        reply = await ask(messages, label=label, draw=draw)
        if reply.ending is not Ending.API_ERROR:
            self._memory.takes_schemas = False
        return reply

    def expected(self, sample: SpatialSample) -> Expected:
        """The calls of all rounds, at least and at most; a picture as few or as many tokens as one may take."""
        groups = [[one] for one in sample.questions] if self.way.base == APART else [list(sample.questions)]
        least, most = ROUNDS, official.REQUESTS if self.way.base == PUBLISHED else ROUNDS * TRIES
        texts = sum(len(self.words.text(group)) + len(self.words.role) for group in groups)
        pictures = (0, 0) if self.way.control == BLIND else (FEWEST_TOKENS, MOST_TOKENS)
        sent = [texts + len(groups) * CHARACTERS_A_TOKEN * tokens for tokens in pictures]
        said = len(sample.questions) * (A_REASON if self.way.base == PUBLISHED else len('"10": "A", '))
        calls = (least * len(groups), most * len(groups))
        return Expected(calls, (least * sent[0], most * sent[1]), (least * said, most * said))


def is_read(reply: Reply, questions: Sequence[Question]) -> bool:
    """Whether every letter of a reply can be read."""
    return all(isinstance(letter, str) for letter in letters(reply.text or "", questions))


async def until_accepted(ask: Ask, messages: Sequence[BaseMessage]) -> list[Said]:
    """Five replies of ten lines, of 25 requests at most; those still wanted are asked for together.

    A service that fails, after the door's own retries, ends its round: going on with the run asks it again.
    """
    said: list[Said] = []
    open_rounds = list(range(ROUNDS))
    while open_rounds and len(said) < official.REQUESTS:
        turns = open_rounds[: official.REQUESTS - len(said)]
        calls = (ask(messages, label=label_of(turn), draw=len(said) + n) for n, turn in enumerate(turns))
        replies = await together(*calls)
        said += [Said(label_of(turn), reply) for turn, reply in zip(turns, replies, strict=True)]
        open_rounds = [turn for turn, reply in zip(turns, replies, strict=True) if _is_rejected(reply)]
    return said


def _is_rejected(reply: Reply) -> bool:
    if reply.ending in (Ending.API_ERROR, Ending.MISSING):
        return False
    return reply.text is None or official.accepted(reply.text) is None


def others(item_id: str, item_ids: Sequence[str], seed: int) -> Iterable[str]:
    """All other items, from the one after this in an order drawn by lot: no picture is shown more than another.

    >>> [next(iter(others(one, ["1", "2", "3"], 0))) for one in ("1", "2", "3")]
    ['2', '3', '1']
    """
    mixed = list(item_ids)
    Random(f"{seed}/shuffled").shuffle(mixed)
    place = mixed.index(item_id)
    return (*mixed[place + 1 :], *mixed[:place])


def looking(viewing: Viewing, dataset: Rows, card: Card) -> Looking:
    """The solver for a folder of pictures; ``UsageError`` where nobody is named who could look."""
    way = check_protocol(viewing.protocol)
    if viewing.judge == RULES:
        raise UsageError(
            "no program sees what is in a picture: a model has to look at it",
            hint="name one that takes pictures: --judge PROVIDER/MODEL",
        )
    words = Words(card, way, viewing.prompts)
    words.check()
    folder = folder_of(viewing)
    positions = positions_of(dataset.rows, folder.in_order) if viewing.pairing == BY_POSITION else None
    ids = dataset.item_ids
    return Looking(viewing.protocol, words=words, folder=folder, item_ids=ids, seed=viewing.seed, positions=positions)


def folder_of(viewing: Viewing) -> PictureFolder:
    """The folder that is looked at."""
    return PictureFolder(viewing.folder.name, viewing.folder.path, cache_home() / "pictures")
