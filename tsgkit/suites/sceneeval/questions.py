"""How a model is asked about a room: in which words, as often as it takes to get an answer that can be used.

>>> words = Words()
>>> words.text("match", categories="- bed\\n- lamp").splitlines()[3]
'- bed'
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.pictures import Picture, content_of
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.replies import OUTCOMES
from tsgkit.suites.sceneeval.answers import Fault, Schema
from tsgkit.suites.sceneeval.judges import Unknown
from tsgkit.suites.transcript import Ask

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
"""The texts there are, and the fields they must have."""
TRIES = 3
"""So often an answer is asked for until it can be used."""
BAD_REQUESTS = (400, 422)
"""How services refuse a request whose form they do not take."""
ENDED = {
    Ending.EMPTY: "the reply is empty",
    Ending.TRUNCATED: "the reply was cut off",
    Ending.REFUSED: "the judge refused",
    Ending.MISSING: "there is no reply",
}


@dataclass(frozen=True)
class Words:
    """The texts, from a folder the caller names (laid out as ours), else the working project, else ours."""

    folder: Path | None = None

    @classmethod
    def of(cls, folder: str | None) -> Words:
        """The texts; ``UsageError`` where the caller's folder has none, or one has other fields than it should."""
        words = cls(None if folder is None else Path(folder))
        words.check()
        return words

    def check(self) -> None:
        """Whether all texts are what they should be."""
        if self.folder is not None:
            places = (self.folder / PROMPTS, self.folder / "prompts" / PROMPTS)
            if not self.folder.is_dir():
                raise UsageError(f"{self.folder}: no such folder of prompts")
            if not any((place / f"{name}.txt").is_file() for place in places for name in FIELDS):
                raise UsageError(f"{self.folder}: has no prompts for this task", hint=f"they lie in {places[0]}/")
        _ = self.fingerprint

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Where each text comes from."""
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
        """A hash of them."""
        texts = "\0".join(self._templates[name].text for name in FIELDS)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]

    def text(self, name: str, **values: str) -> str:
        """One of them with its fields filled."""
        return self._templates[name].render(**values).rstrip("\n")

    def messages(self, text: str, *pieces: str | Picture) -> list[BaseMessage]:
        """The system's message and the user's: a text, then pictures with what stands between them."""
        from langchain_core.messages import HumanMessage, SystemMessage

        content = content_of(text, *pieces) if pieces else text
        return [SystemMessage(content=self.text("role")), HumanMessage(content=content)]


@dataclass
class Asking:
    """Asks until an answer can be used, and learns whether the judge takes schemas and is asked at all."""

    takes_schemas: bool = field(default=True, compare=False)
    over: TsgkitError | None = field(default=None, compare=False)
    """Why nothing more is asked."""

    def go_on(self) -> None:
        """Raise once more what ended the asking, before work is done for a question that will not be put."""
        if self.over is not None:
            raise self.over

    async def answer(
        self,
        ask: Ask,
        label: str,
        messages: Sequence[BaseMessage],
        schema: Schema,
        read: Callable[[str], object],
    ) -> Any:  # noqa: ANN401  (what is read, with every fault made unknown)
        """What could be read; what cannot be used of it, or at all, is unknown, with the reason."""
        found: object = Fault(ENDED[Ending.MISSING])
        reply = Reply(None, Ending.MISSING)
        for draw in range(TRIES):
            try:
                reply = await self._asked(ask, messages, label, draw, schema)
            except TsgkitError as error:
                self.over = error
                raise
            found = read(reply.text or "") if reply.ending is Ending.COMPLETE else Fault(_why(reply))
            if reply.ending in (Ending.API_ERROR, Ending.MISSING) or not _faults(found):
                break
        return _told(found, label, outcome_of(reply))

    async def _asked(self, ask: Ask, messages: Sequence[BaseMessage], label: str, draw: int, schema: Schema) -> Reply:
        """The reply, with a schema as long as the judge takes one: some services refuse it as a bad request."""
        if self.takes_schemas:
            reply = await ask(messages, label=label, draw=draw, schema=schema)
            if reply.ending is not Ending.API_ERROR or reply.status not in BAD_REQUESTS:
                return reply
        reply = await ask(messages, label=label, draw=draw)
        if reply.ending is not Ending.API_ERROR:
            self.takes_schemas = False
        return reply


def outcome_of(reply: Reply) -> Outcome:
    """How a call ended that gives no answer."""
    if reply.ending is Ending.MISSING:
        return Outcome.MISSING
    if reply.ending is Ending.EMPTY:
        return Outcome.EMPTY
    return OUTCOMES.get(reply.ending, Outcome.UNREADABLE)


def _why(reply: Reply) -> str:
    return ENDED.get(reply.ending) or f"the service failed: {reply.error}"


def _faults(found: object) -> bool:
    return isinstance(found, Fault) or (
        isinstance(found, dict) and any(isinstance(one, Fault) for one in found.values())
    )


def _told(found: Any, label: str, outcome: Outcome) -> Any:  # noqa: ANN401  (what was read, faults named by their call)
    if isinstance(found, Fault):
        return Unknown(found.reason, label, outcome)
    if isinstance(found, dict):
        return {name: _told(one, label, outcome) for name, one in found.items()}
    return found
