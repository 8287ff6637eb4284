"""Replies as readers receive them: from models, or from a file.

A file holds JSON Lines of ``{"item_id", "reply"}``, optionally with an ``"outcome"`` that text cannot show: truncated,
refused, api_error. ``reply`` is a string, a list with one string, or null for a reply without content; a suite may
accept other values. For several calls, ``reply`` is a list of strings in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.library.files import read_text
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.pooling import Outcome

OUTCOMES = {
    Ending.TRUNCATED: Outcome.TRUNCATED,
    Ending.REFUSED: Outcome.REFUSED,
    Ending.API_ERROR: Outcome.API_ERROR,
}
Found = TypeVar("Found")
TextOf = Callable[[Any], str | None]
"""A function from a ``reply`` field to its text; ``NotationError`` says what was expected."""


class _ReplyRow(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    item_id: StrictStr | StrictInt
    reply: Any
    outcome: Literal["truncated", "refused", "api_error"] | None = None


@dataclass(frozen=True)
class CollectedReply:
    """A reply to one sample, and an ending that its text does not show."""

    text: str | None
    outcome: Outcome | None = None

    @property
    def is_empty(self) -> bool:
        """True if it has no content."""
        return not (self.text or "").strip()


def read_as(reply: Reply) -> CollectedReply | None:
    """Return a model's reply as readers take it; None where there was none."""
    if reply.ending is Ending.MISSING:
        return None
    return CollectedReply(reply.text, OUTCOMES.get(reply.ending))


def one_text(value: object) -> str | None:
    """Return the text of a reply that is a string, a list with the one string, or null.

    >>> one_text("[A]"), one_text(["[A]"]), one_text(None)
    ('[A]', '[A]', None)
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
        if value is None:
            raise NotationError("not a reply: reply: expected a string in the list, found null")
    if value is not None and not isinstance(value, str):
        kind = kind_of(value)
        raise NotationError(f"not a reply: reply: expected a string, a list with one string, or null, found {kind}")
    return value


@dataclass(frozen=True)
class Replies:
    """All replies to the calls of one sample, in order; a text is None if a reply has no content."""

    texts: tuple[str | None, ...]
    outcome: Outcome | None = None


def several_texts(value: object) -> tuple[str | None, ...]:
    """Return the texts of a reply to several calls; one string is a list of one, null and ``[]`` one without content.

    >>> several_texts(["[A]", None]), several_texts("[A]"), several_texts([])
    (('[A]', None), ('[A]',), (None,))
    """
    texts = value if isinstance(value, list) else [value]
    if wrong := [text for text in texts if text is not None and not isinstance(text, str)]:
        kind = kind_of(wrong[0]) + (" in the list" if isinstance(value, list) else "")
        raise NotationError(f"not a reply: reply: expected a string, a list of strings, or null, found {kind}")
    return tuple(texts) or (None,)


def read_replies(path: str | Path, item_ids: Collection[str], text_of: TextOf = one_text) -> dict[str, CollectedReply]:
    """Return the replies of a file by item id; ``UsageError`` for an unknown or repeated id, or a line that is no
    reply.
    """
    return _read(read_text(path), str(path), item_ids, lambda value, outcome: CollectedReply(text_of(value), outcome))


def read_reply_lists(text: str, file: str, item_ids: Collection[str]) -> dict[str, Replies]:
    """Return the replies in the text of a file whose samples have several calls each, by item id."""
    return _read(text, file, item_ids, lambda value, outcome: Replies(several_texts(value), outcome))


def _read(
    text: str, file: str, item_ids: Collection[str], read: Callable[[Any, Outcome | None], Found]
) -> dict[str, Found]:
    replies: dict[str, Found] = {}
    known = set(item_ids)
    hint = 'a line reads {"item_id": "...", "reply": "..."}'
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{file}: line {number}"
        try:
            row = _ReplyRow.model_validate(_object(load(line)))
            reply = read(row.reply, Outcome(row.outcome) if row.outcome else None)
        except NotationError as error:
            raise UsageError(f"{where}: {error.message}", hint=hint) from None
        except ValidationError as error:
            raise UsageError(f"{where}: not a reply: {first_fault(error)}", hint=hint) from None
        item_id = str(row.item_id)
        if item_id not in known:
            raise unknown_item(where, item_id, item_ids)
        if item_id in replies:
            raise UsageError(f"{where}: a second reply to item {item_id}", hint="keep one of the two")
        replies[item_id] = reply
    return replies


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotationError(f"not a reply: expected an object, found {kind_of(value)}")
    return value


def unknown_item(where: str, item_id: str, item_ids: Collection[str]) -> UsageError:
    """Return the error for a reply to an item that the data do not have."""
    from tsgkit.lexicon import nearest

    near = nearest(item_id, tuple(item_ids)[:10_000], limit=1, least=0.75)
    hint = f"{near[0].name}?" if near else f"its items begin with {', '.join(list(item_ids)[:3])}"
    return UsageError(f"{where}: the data have no item {item_id}", hint=hint)
