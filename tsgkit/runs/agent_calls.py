"""Stored calls of an agent, in a folder like a run's, so that interrupted work resumes without asking again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from tsgkit.agents.prompts import fingerprint
from tsgkit.errors import Interrupted, UsageError
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import read_bytes, refuse_to_fill, refuse_to_overwrite, write_text
from tsgkit.llm.asker import MemoryRecorder, door_of, settings_for
from tsgkit.llm.door import Door, canonical
from tsgkit.llm.reply import CallBudget
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.spans import Tracing, Value
from tsgkit.runs.folder import FORMAT, HEADER, SHARD, RunFolder, put_aside, read_header, same_run
from tsgkit.runs.jobs import Engine, JobWatch
from tsgkit.runs.plan import BASELINE
from tsgkit.runs.run_setup import asks_a_model
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits, prices_of, recorded_of
from tsgkit.version import __version__

Result = TypeVar("Result")
GO_ON = "the same command goes on from there; with --new it begins afresh"


@dataclass
class AgentCalls:
    """An open folder of calls with the model that is asked."""

    folder: RunFolder
    asker: Door | RecordedModel
    budget: CallBudget
    product: Path
    model: str
    notices: tuple[str, ...]
    shard: Shard | None
    tracing: Tracing

    @property
    def unsent_spans(self) -> str:
        """The reason why spans could not be sent, with their number; empty if all were."""
        return self.tracing.trouble

    def engine(self, noun: str, watch: JobWatch | None = None) -> Engine:
        """Return the engine for the work; ``noun`` names its units in messages."""
        how: dict[str, Any] = {"noun": noun, "title": self.model, "shard": self.shard, "tracing": self.tracing}
        return Engine((self.asker,), watch or JobWatch(), **how)

    def carried_out(self, engine: Engine, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Carry out work that asks; ``Interrupted`` where the user stopped it."""
        result = engine.carry_out(work)
        if result is None or engine.interrupted:
            recorded = self.folder.calls.count()
            kept = f"{recorded:,} call{'s are' if recorded != 1 else ' is'} kept in {self.folder.path}"
            waited = "".join(f", while waiting for {why}" for why in engine.trouble)
            raise Interrupted(f"interrupted: {kept}; {self.product} was not written{waited}", hint=GO_ON)
        return result

    def put(self, text: str) -> None:
        """Write the output, and record that."""
        write_text(self.product, text)
        self.record_output()

    def record_output(self) -> None:
        """Record the checksum of the output that was written, so that the same work may replace it later."""
        self.folder.update_header(written=checksum_of_bytes(read_bytes(self.product)))

    def close(self) -> None:
        """Let go of the folder."""
        self.folder.close()


def open_calls(
    product: Path,
    model: str,
    arguments: Sequence[str],
    asked: dict[str, Any],
    limits: Limits,
    *,
    command: Sequence[str] = (),
    folder: bool = False,
    new: bool = False,
    force: bool = False,
    shard: Shard | None = None,
) -> AgentCalls:
    """Open or create the calls beside an output. Raise ``UsageError`` if other work or another file is there.

    ``asked`` is everything that can change an answer besides the model and the prompts; ``folder``: the output is a
    folder. The calls of a ``shard`` are stored beside the shard's output name. ``new`` moves earlier work aside;
    ``force`` replaces an existing output.
    """
    product = product if shard is None else shard.beside(product)
    budget = CallBudget(limits.max_requests, limits.max_tokens, limits.max_cost)
    asker = asker_of(model, arguments, limits, budget)
    door = asker if isinstance(asker, Door) else None
    how = {} if door is None else {"name": door.name, "endpoint": door.endpoint, "parameters": door.parameters}
    identity = {"model": {"name": model, **how}, "prompts": fingerprint(), **asked}
    header, path = header_of(identity, secrets_in(asker), command, shard), calls_beside(product)
    if isinstance(asker, Door) and (new or force):
        asker.provider.prepare()  # what it refuses puts nothing aside
    notices = _make_way(product, header, folder=folder, new=new, force=force)
    if isinstance(asker, Door) and not path.exists():
        asker.provider.prepare()  # nor leaves a folder
    opened = RunFolder(path, header)
    budget.add(opened.requests, opened.spent)
    asker.recorder = opened
    attributes: dict[str, Value] = {"tsgkit.version": __version__, "tsgkit.run.identity": str(header["identity"])}
    name = f"tsgkit {asked.get('work', 'agent')}"
    tracing = Tracing(limits.traces, secrets_in(asker), name, lambda: attributes | {"tsgkit.models": [model]})
    return AgentCalls(opened, asker, budget, product, model, notices, shard, tracing)


def check_model(model: str, arguments: Sequence[str], limits: Limits) -> None:
    """Raise ``UsageError`` if a model cannot be asked."""
    asker = asker_of(model, arguments, limits, CallBudget())
    if isinstance(asker, Door):
        asker.provider.prepare()


def asker_of(
    model: str, arguments: Sequence[str], limits: Limits, budget: CallBudget, *, option: str = "--price"
) -> Door | RecordedModel:
    """Return who is asked. Raise ``UsageError`` where a limit of money could not be kept; ``option`` gives a price."""
    if model.startswith(BASELINE):
        raise UsageError(f"{model} is no model to ask", hint="name PROVIDER/NAME, script:FILE or replay:RUN")
    if not asks_a_model(model):
        return RecordedModel(recorded_of(model)[0], MemoryRecorder())
    price = prices_of((model,), limits.prices, {model: settings_for(model, arguments)})[model]
    if limits.max_cost is not None and price is None:
        hint = f"give {option} IN,OUT (dollars per million tokens), or a limit of tokens or requests"
        raise UsageError(f"the price of {model} is not known, so --max-cost cannot be kept", hint=hint)
    return door_of(
        model,
        arguments,
        budget=budget,
        price=price,
        patience=limits.patience,
        concurrency=limits.concurrency,
        client=limits.client,
    )


def calls_beside(product: str | Path) -> Path:
    """Return the folder of the calls that a file or folder is made of."""
    return Path(f"{product}.calls")


def _make_way(product: Path, header: dict[str, Any], *, folder: bool, new: bool, force: bool) -> tuple[str, ...]:
    """Move earlier work aside if wanted, and return where to. Refuse to overwrite files that this work did not
    write."""
    calls = calls_beside(product)
    earlier = read_header(calls) if (calls / HEADER).is_file() else None
    is_other = earlier is not None and earlier["identity"] != header["identity"]
    if earlier is not None and (new or (force and is_other)):
        return tuple(map(_aside, filter(Path.exists, [calls, *([product] if new or folder else [])])))
    existing = same_run(calls, header)
    if existing is not None and (folder or existing["written"] == _written(product)):
        return ()
    if not folder:
        refuse_to_overwrite(product, force=force)
        return ()
    refuse_to_fill(product, force=force)
    return (_aside(product),) if product.is_dir() and any(product.iterdir()) else ()


def _aside(path: Path) -> str:
    return f"earlier work now lies in {put_aside(path)}"


def _written(product: Path) -> str:
    """Return the checksum of the existing output; empty if there is none."""
    return checksum_of_bytes(read_bytes(product)) if product.is_file() else ""


def secrets_in(asker: Door | RecordedModel) -> Secrets:
    """Return the keys of whoever is asked, to be redacted."""
    return asker.secrets if isinstance(asker, Door) else Secrets()


def header_of(
    asked: dict[str, Any], secrets: Secrets, command: Sequence[str], shard: Shard | None = None
) -> dict[str, Any]:
    """Return the header of a folder of calls; ``asked`` is everything that can change an answer."""
    value = {
        "format": FORMAT,
        "tsgkit": __version__,
        "identity": hashlib.sha256(canonical(asked).encode()).hexdigest()[:16],
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "asked": asked,
        "written": "",
        **({} if shard is None else {SHARD: str(shard)}),
    }
    clean = secrets.redact_value(value)
    assert isinstance(clean, dict)  # noqa: S101  (redaction keeps the shape)
    return clean
