"""The calls of an agent, kept in a folder like a run's, so that interrupted work goes on without asking again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tsgkit import __version__
from tsgkit.agents.asking import Asker, door_of
from tsgkit.agents.wording import fingerprint
from tsgkit.errors import UsageError
from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import canonical
from tsgkit.llm.door import Door
from tsgkit.llm.scripted import Asked
from tsgkit.llm.secrets import Secrets
from tsgkit.runs.folder import FORMAT, HEADER, RunFolder, put_aside
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.prepared import asks_a_model
from tsgkit.runs.subjects import Limits, prices_of, recorded_of


@dataclass
class AgentCalls:
    """An open folder of calls, and who is asked."""

    folder: RunFolder
    asker: Asker
    budget: Budget

    async def leave(self) -> None:
        """Close the connections."""
        if isinstance(self.asker, Door):
            await self.asker.provider.close()

    def close(self) -> None:
        """Let go of the folder."""
        self.folder.close()


def open_calls(
    path: Path,
    model: str,
    arguments: Sequence[str],
    asked: dict[str, Any],
    limits: Limits,
    *,
    command: Sequence[str] = (),
    new: bool = False,
) -> AgentCalls:
    """The folder of calls at a path, begun or gone on with; ``UsageError`` where other work lies there.

    ``asked`` is all that can change an answer beside the model and the prompts.
    """
    if model.startswith(BASELINE):
        raise UsageError(f"{model} is no model to ask", hint="name PROVIDER/NAME, script:FILE or replay:RUN")
    budget = Budget(limits.max_requests, limits.max_tokens, limits.max_cost)
    price = prices_of((model,), limits.prices)[model] if asks_a_model(model) else None
    if limits.max_cost is not None and asks_a_model(model) and price is None:
        hint = "give --price IN,OUT (dollars per million tokens), or a limit of tokens or requests"
        raise UsageError(f"the price of {model} is not known, so --max-cost cannot be kept", hint=hint)
    door = (
        door_of(
            model,
            arguments,
            budget=budget,
            price=price,
            patience=limits.patience,
            concurrency=limits.concurrency,
        )
        if asks_a_model(model)
        else None
    )
    source = None if door else recorded_of(model)[0]
    if door is not None and not path.exists():
        door.provider.prepare()  # what it refuses leaves no folder
    if new and (path / HEADER).is_file():
        put_aside(path)
    folder = RunFolder(path, _header(model, door, asked, command))
    budget.add(folder.requests, folder.spent)
    if source is not None:
        return AgentCalls(folder, Asked(source, folder), budget)
    assert door is not None  # noqa: S101  (one of the two is there)
    door.recorder = folder
    return AgentCalls(folder, door, budget)


def _header(model: str, door: Door | None, asked: dict[str, Any], command: Sequence[str]) -> dict[str, Any]:
    how = {} if door is None else {"endpoint": door.endpoint, "parameters": door.parameters}
    everything = {"model": {"name": model, **how}, "prompts": fingerprint(), **asked}
    value = {
        "format": FORMAT,
        "tsgkit": __version__,
        "identity": hashlib.sha256(canonical(everything).encode()).hexdigest()[:16],
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "asked": everything,
    }
    secrets = Secrets() if door is None else door.secrets
    clean = secrets.redact_value(value)
    assert isinstance(clean, dict)  # noqa: S101  (redaction keeps the shape)
    return clean
