"""Replies collected elsewhere: JSON Lines of ``{"item_id", "reply"}``, perhaps with an ``"outcome"``.

``reply`` is a string, a list with the one string, or null for a reply without content. ``outcome`` names what text
cannot show: truncated, refused, api_error.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.files import read_text
from tsgkit.scoring.outcomes import Outcome


class _ReplyRow(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    item_id: StrictStr | StrictInt
    reply: StrictStr | Annotated[list[StrictStr], Field(min_length=1, max_length=1)] | None
    outcome: Literal["truncated", "refused", "api_error"] | None = None


@dataclass(frozen=True)
class Reply:
    """What a model said to one sample, and how the call ended where the text does not show it."""

    text: str | None
    outcome: Outcome | None = None


def read_replies(path: str | Path, item_ids: Collection[str]) -> dict[str, Reply]:
    """The replies of a file by item id; ``UsageError`` for an unknown or repeated id, or a line that is no reply."""
    replies: dict[str, Reply] = {}
    known = set(item_ids)
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        item_id, reply = _reply(line, f"{path}: line {number}")
        if item_id not in known:
            raise UsageError(f"{path}: line {number}: the data have no item {item_id}", hint=_like(item_id, item_ids))
        if item_id in replies:
            raise UsageError(f"{path}: line {number}: a second reply to item {item_id}", hint="keep one of the two")
        replies[item_id] = reply
    return replies


def _reply(line: str, place: str) -> tuple[str, Reply]:
    try:
        row = _ReplyRow.model_validate(load(line))
    except NotationError as error:
        raise UsageError(f"{place}: {error.message}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        hint = 'a line reads {"item_id": "...", "reply": "..."}'
        raise UsageError(f"{place}: not a reply: {field}: {first['msg']}", hint=hint) from None
    text = row.reply[0] if isinstance(row.reply, list) else row.reply
    return str(row.item_id), Reply(text, Outcome(row.outcome) if row.outcome else None)


def _like(item_id: str, item_ids: Collection[str]) -> str:
    from tsgkit.lexicon import nearest

    near = nearest(item_id, tuple(item_ids)[:10_000], limit=1, least=0.75)
    return f"{near[0].name}?" if near else f"its items begin with {', '.join(list(item_ids)[:3])}"
