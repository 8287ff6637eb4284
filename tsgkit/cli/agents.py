"""Show the graphs of the agents.

tsgkit agents draw               the refiner and the decomposer as Mermaid
tsgkit agents draw refiner
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import announce_litellm, complain, complain_first, count, inert, job_watch, say, say_json
from tsgkit.defaults import Level
from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, Interrupted, UsageError
from tsgkit.interface.options import ModelOptions, QuietOptions, RequestOptions, TextOptions, TraceOptions
from tsgkit.library.files import refuse_to_overwrite, write_text

if TYPE_CHECKING:
    from tsgkit.graph.repairs import Change
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine, JobWatch
    from tsgkit.runs.shards import Shard
    from tsgkit.runs.subjects import Limits

NAMES = ("refiner", "decomposer")
CONCURRENCY = 8
SHOWN = 5
"""The number of errors and notes that are printed."""
Result = TypeVar("Result")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit agents``."""
    parser.add_argument("verb", choices=("draw",), help="print the graphs as Mermaid")
    parser.add_argument("names", nargs="*", metavar="AGENT", help=f"{' or '.join(NAMES)}; by default both")


def run(arguments: argparse.Namespace) -> int:
    """Print the graphs."""
    from tsgkit.agents.mermaid import mermaid

    for name in arguments.names or NAMES:
        say(f"%% {name}")
        say(mermaid(name).rstrip("\n"))
    return GOOD


def add_effort(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the option of the effort."""
    about = f"how often the model is asked about a sentence: at most once, twice, four times (default {default})"
    parser.add_argument("--effort", choices=get_args(Level), default=default, help=about)


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
        model = arguments.model
        arguments.concurrency = CONCURRENCY if model is None else usual_concurrency(model, CONCURRENCY)
    return replace(limits, concurrency=arguments.concurrency)


def shard_given(arguments: argparse.Namespace) -> Shard | None:
    """Return the shard that --shard names."""
    from tsgkit.runs.shards import shard_of

    text = getattr(arguments, "shard", None)
    return None if text is None else shard_of(text)


@contextmanager
def asking(
    arguments: argparse.Namespace, target: str, asked: Mapping[str, Any], *, folder: bool = False
) -> Iterator[AgentCalls]:
    """Open the calls beside the file, or folder, that is written, and close them at the end."""
    from tsgkit.llm.asker import settings_for
    from tsgkit.runs.agent_calls import open_calls
    from tsgkit.runs.run_setup import asks_a_model

    model, model_arg = arguments.model, arguments.model_arg or ()
    if not arguments.quiet and asks_a_model(model):
        announce_litellm({model: settings_for(model, model_arg)}, arguments.client)
    calls = open_calls(
        Path(target),
        model,
        model_arg,
        dict(asked),
        limits_of(arguments),
        command=("tsgkit", *sys.argv[1:]),
        folder=folder,
        new=arguments.new,
        force=arguments.force,
        shard=shard_given(arguments),
    )
    try:
        for notice in calls.notices:
            complain(notice)
        yield calls
    finally:
        if calls.unsent_spans:
            complain(calls.unsent_spans)
        calls.close()


def carried_out(
    calls: AgentCalls,
    work: Callable[[Engine], Coroutine[Any, Any, Result]],
    arguments: argparse.Namespace,
    noun: str = "item",
    watch: JobWatch | None = None,
) -> Result:
    """Carry out work that asks; ``Interrupted`` where the user stopped it. ``watch`` shows progress, unless quiet."""
    engine = calls.engine(noun, watch if watch and not arguments.quiet else job_watch(quiet=arguments.quiet))
    return calls.carried_out(engine, lambda: work(engine))


def put(text: str, calls: AgentCalls | None, arguments: argparse.Namespace) -> None:
    """Write OUT. Without calls, raise ``FileProblem`` if another file is there."""
    if calls is not None:
        calls.put(text)
        return
    refuse_to_overwrite(arguments.out, force=arguments.force, text=text)
    write_text(arguments.out, text)


def json_lines(rows: Iterable[object]) -> str:
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@contextmanager
def kept_when_interrupted(target: str) -> Iterator[None]:
    """Print how to resume if Ctrl-C comes while no model is asked."""
    try:
        yield
    except KeyboardInterrupt:
        hint = "what was answered and decided is kept; the same command goes on"
        raise Interrupted(f"interrupted: {target} was not written", hint=hint) from None


def say_stopped(stopped: str, failures: Sequence[str]) -> None:
    """Print why the model was not asked to the end, and errors."""
    complain_first(failures, SHOWN, "and {} more like these")
    if stopped:
        complain(f"the result is partial: {inert(stopped)}", "what was answered is kept; the same command goes on")


def finish(
    summary: Mapping[str, Any],
    show: Callable[[], None],
    calls: AgentCalls | None,
    arguments: argparse.Namespace,
    asked: int,
    *,
    shows_usage: bool = True,
    written: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> int:
    """Print the summary of work, as JSON or by ``show``, its usage, what was written, and what stopped it; return the
    exit code.

    ``asked`` is the number of calls for this result; the usage is that of all requests, earlier ones included. The code
    is 4 where a budget was reached, 1 where the service failed or something else is ``wrong`` with the result.
    """
    usage: dict[str, Any] = {"calls": 0, "requests": 0, "tokens": 0, "cost": 0.0}
    if calls is not None:
        used = calls.budget
        unpriced = used.used_requests and not used.used_cost and getattr(calls.asker, "price", None) is None
        usage = {"calls": asked, "requests": used.used_requests, "tokens": used.used_tokens}
        usage["cost"] = None if unpriced else used.used_cost
    if arguments.json:
        say_json({**summary, **usage})
    else:
        show()
        if calls is not None and shows_usage:
            cost = "cost unknown" if usage["cost"] is None else f"${usage['cost']:.4f}"
            times, requests = count(asked, "call"), count(usage["requests"], "request")
            say(f"asked: {times}, {requests}, {usage['tokens']:,} tokens, {cost}")
        complain_first(summary.get("notes", ()), SHOWN, "and {} more like these (--json has them)")
        if written:
            say(f"written: {', '.join(map(inert, written))}")
    stopped, failures = summary["stopped"], summary["failures"]
    say_stopped(stopped, failures)
    if calls is not None and calls.budget.reached:
        return BUDGET_REACHED
    return FINISHED_WITH_ERRORS if stopped or failures or wrong else GOOD


def finish_shard(calls: AgentCalls, stopped: str, failures: Sequence[str], arguments: argparse.Namespace) -> int:
    """Print the progress of a shard and how to merge all of them; return the exit code."""
    from tsgkit.runs.agent_calls import calls_beside
    from tsgkit.runs.shards import whole_of

    number, path = calls.folder.calls.count(), calls.folder.path
    whole = whole_of(calls.product)

    def show() -> None:
        name = inert(str(whole))
        say(f"shard {arguments.shard}: {count(number, 'call')} in {inert(str(path))}")
        say(f"{name} is written when all shards are there, by the same command without --shard, after")
        say(f"  tsgkit runs merge {name}.shard-*.calls -o {inert(str(calls_beside(whole)))}")

    summary = {"shard": arguments.shard, "calls_in": str(path), "stopped": stopped, "failures": list(failures)}
    return finish(summary, show, calls, arguments, number, shows_usage=False)


def changes_text(item: str, changes: Iterable[Change]) -> str:
    """Return the changes of an item as JSON Lines."""
    from tsgkit.agents.graph_values import change_values

    return "".join(json.dumps({"item": item, **value}) + "\n" for value in change_values(changes))


def digest(value: object) -> str:
    """Return the hash of an input."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
