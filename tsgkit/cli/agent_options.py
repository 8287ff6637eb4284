"""Options of commands in which an agent asks a model, and the values made from them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, Interrupted, UsageError
from tsgkit.interface.options import ModelOptions, QuietOptions, RequestOptions, TextOptions, TraceOptions
from tsgkit.library.files import write_text
from tsgkit.library.overwrites import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine, Watch
    from tsgkit.runs.shards import Shard
    from tsgkit.runs.subjects import Limits

CONCURRENCY = 8
EFFORTS = ("low", "medium", "high")
Result = TypeVar("Result")


def add_effort(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the option of the effort."""
    about = f"how often the model is asked about a sentence: at most once, twice, four times (default {default})"
    parser.add_argument("--effort", choices=EFFORTS, default=default, help=about)


def add_model_options(parser: argparse.ArgumentParser, rounds: int | None = None, *, shards: bool = True) -> None:
    """Add the options about the model and its limits; ``shards``: the work has several units."""
    add_options(parser, ModelOptions)
    if rounds is not None:
        about = f"revisions at most (default {rounds})"
        parser.add_argument("--rounds", type=int, default=rounds, metavar="N", help=about)
    about = f"requests in flight (default {CONCURRENCY}; 1 for a plain function of yours)"
    add_options(parser, RequestOptions, ("rpm",), concurrency=about)
    add_options(parser, TextOptions, ("tpm",))
    add_options(parser, TraceOptions)
    if shards:
        parser.add_argument("--shard", metavar="I/N", help="ask only about this part of the items, as in 3/16")
    parser.add_argument("--new", action="store_true", help="begin afresh: put earlier work aside, ask everything again")
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    add_options(parser, QuietOptions)


def add_force(parser: argparse.ArgumentParser) -> None:
    """The option of every command that writes rows, graphs or layouts."""
    parser.add_argument("--force", action="store_true", help="replace what lies in the place of OUT")


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return what may be used; ``UsageError`` where it cannot be kept."""
    from tsgkit.llm.user_models import usual_concurrency
    from tsgkit.runs import subjects

    if shard_given(arguments) is not None and arguments.model is None:
        raise UsageError("--shard parts what a model is asked, and none is named", hint="add --model PROVIDER/NAME")
    if arguments.otel and arguments.model is None:
        raise UsageError("--otel traces what a model is asked, and none is named", hint="add --model PROVIDER/NAME")

    limits = subjects.limits_of(vars(arguments))
    if limits.concurrency is None:
        arguments.concurrency = (
            CONCURRENCY if arguments.model is None else usual_concurrency(arguments.model, CONCURRENCY)
        )
    found: Limits = replace(limits, concurrency=arguments.concurrency)
    return found


def shard_given(arguments: argparse.Namespace) -> Shard | None:
    """Return the shard that --shard names."""
    from tsgkit.runs.shards import shard_of

    text = getattr(arguments, "shard", None)
    return None if text is None else shard_of(text)


def calls_of(arguments: argparse.Namespace, target: str, asked: dict[str, Any], *, folder: bool = False) -> AgentCalls:
    """Return the calls beside the file, or folder, that is written."""
    from tsgkit.llm.asker import settings_for
    from tsgkit.llm.providers import needs_litellm
    from tsgkit.runs.agent_calls import open_calls
    from tsgkit.runs.run_setup import asks_a_model

    model = arguments.model
    asked_by_name = {model: settings_for(model, arguments.model_arg or ())} if asks_a_model(model) else {}
    if not arguments.quiet and needs_litellm(asked_by_name, arguments.client):
        print("loading LiteLLM, a few seconds ...", file=sys.stderr, flush=True)
    calls = open_calls(
        Path(target),
        arguments.model,
        arguments.model_arg or (),
        asked,
        limits_of(arguments),
        command=("tsgkit", *sys.argv[1:]),
        folder=folder,
        new=arguments.new,
        force=arguments.force,
        shard=shard_given(arguments),
    )
    for notice in calls.notices:
        complain(notice)
    return calls


def carried_out(
    calls: AgentCalls,
    work: Callable[[Engine], Coroutine[Any, Any, Result]],
    arguments: argparse.Namespace,
    noun: str = "item",
    watch: Watch | None = None,
) -> Result:
    """Carry out work that asks; ``Interrupted`` where the user stopped it. ``watch`` shows progress, unless quiet."""
    from tsgkit.report.progress import Progress
    from tsgkit.runs.jobs import Watch

    engine = calls.engine(noun, Watch() if arguments.quiet else watch or Progress().watch)
    try:
        return calls.carried_out(engine, lambda: work(engine))
    finally:
        if calls.unsent_spans:
            complain(calls.unsent_spans)


def shard_done(calls: AgentCalls, stopped: str, failures: Sequence[str], arguments: argparse.Namespace) -> int:
    """Print the progress of a shard and how to merge all of them; return the exit code."""
    from tsgkit.runs.agent_calls import calls_beside
    from tsgkit.runs.shards import whole_of

    whole = whole_of(calls.product)
    shown = {name: inert(str(path)) for name, path in (("shard", calls.folder.path), ("whole", whole))}
    if arguments.json:
        used = usage_value(calls, calls.folder.calls.count())
        said = {"shard": arguments.shard, "calls_in": str(calls.folder.path), "stopped": stopped}
        say(json.dumps(said | {"failures": list(failures)} | used, indent=2))
    else:
        say(f"shard {arguments.shard}: {count(calls.folder.calls.count(), 'call')} in {shown['shard']}")
        say(f"{shown['whole']} is written when all shards are there, by the same command without --shard, after")
        say(f"  tsgkit runs merge {shown['whole']}.shard-*.calls -o {inert(str(calls_beside(whole)))}")
    say_stopped(stopped, list(failures))
    return exit_code(calls, stopped, list(failures))


def put(text: str, calls: AgentCalls | None, arguments: argparse.Namespace) -> None:
    """Write OUT. Without calls, raise ``FileProblem`` if another file is there."""
    if calls is not None:
        calls.put(text)
        return
    refuse_to_overwrite(arguments.out, force=arguments.force, text=text)
    write_text(arguments.out, text)


@contextmanager
def kept_when_interrupted(target: str) -> Iterator[None]:
    """Print how to resume if Ctrl-C comes while no model is asked."""
    try:
        yield
    except KeyboardInterrupt:
        hint = "what was answered and decided is kept; the same command goes on"
        raise Interrupted(f"interrupted: {target} was not written", hint=hint) from None


def usage_value(calls: AgentCalls | None, asked: int) -> dict[str, object]:
    """Return the number of items asked and the usage of all requests, earlier ones included; an unknown cost is
    None."""
    if calls is None:
        return {"calls": 0, "requests": 0, "tokens": 0, "cost": 0.0}
    used = calls.budget
    unpriced = used.used_requests and not used.used_cost and getattr(calls.asker, "price", None) is None
    cost = None if unpriced else used.used_cost
    return {"calls": asked, "requests": used.used_requests, "tokens": used.used_tokens, "cost": cost}


def say_usage(usage: dict[str, object]) -> None:
    """The same in words."""
    cost = "cost unknown" if usage["cost"] is None else f"${usage['cost']:.4f}"
    calls, requests = (int(str(usage[name])) for name in ("calls", "requests"))
    say(f"asked: {count(calls, 'call')}, {count(requests, 'request')}, {usage['tokens']:,} tokens, {cost}")


def say_stopped(stopped: str, failures: list[str]) -> None:
    """Print why the model was not asked to the end, and errors."""
    for failure in failures[:5]:
        complain(failure)
    if len(failures) > 5:
        complain(f"and {len(failures) - 5} more like these")
    if stopped:
        complain(f"the result is partial: {inert(stopped)}", "what was answered is kept; the same command goes on")


def say_notes(notes: Sequence[str]) -> None:
    """Print notes about problems that did not stop the work."""
    for note in notes[:5]:
        complain(note)
    if len(notes) > 5:
        complain(f"and {len(notes) - 5} more like these (--json has them)")


def exit_code(calls: AgentCalls | None, stopped: str, failures: list[str]) -> int:
    """4 where a budget was reached, 1 where the service failed."""
    if calls is not None and calls.budget.reached:
        return BUDGET_REACHED
    return FINISHED_WITH_ERRORS if stopped or failures else GOOD


def change_line(item: str, change: Any) -> str:  # noqa: ANN401  (its module would be loaded for every command)
    """Return a change as a line of JSON."""
    value = {
        "item": item,
        "graph": change.graph,
        "before": None if change.before is None else list(change.before),
        "after": None if change.after is None else list(change.after),
        "code": change.code,
        "reason": change.reason,
        "by": change.by,
        "round": change.round,
        "sure": change.sure,
    }
    return json.dumps(value) + "\n"


def digest(value: object) -> str:
    """Return the hash of an input."""
    import hashlib

    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
