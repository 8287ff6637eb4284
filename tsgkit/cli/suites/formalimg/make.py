"""Make items of formalimg: formulas are sampled, proven satisfiable, and verbalised by rules or by a model.

  tsgkit make formalimg --k 6 --n 20 -o items.jsonl
  tsgkit make formalimg --k 1 --k 2 --k 3 --n 10 -o thirty.jsonl
  tsgkit make formalimg --k 3 --n 10 --scenario natural --seed 7 -o items.jsonl
  tsgkit make formalimg --k 2 --objects 10 --n 20 -o items.jsonl
  tsgkit make formalimg --k 6 --n 20 --model openai/gpt-4o -o items.jsonl

An id holds K, the seed and a number, so that files of several calls can be put together.
A model never makes the formula. A second call, which sees only the words, translates them back into a formula. They
are kept only if no layout distinguishes the two formulas; otherwise that layout is the reason for the rejection, and
the model is shown it when it tries again.
Needs the extra logic: pip install "tsgkit[logic]".
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tsgkit.cli import agents
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import UsageError
from tsgkit.report.progress import Countdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.formalimg.maker import Composed, Rejected

MOST_K = 10
MOST_OBJECTS = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this maker."""
    option = parser.add_argument
    about = f"objects that depend on each other, 1 to {MOST_K}; repeatable"
    option("--k", type=int, required=True, action="append", metavar="K", help=about)
    option("--objects", type=int, metavar="N", help="total number of objects, in unrelated groups of K (default: K)")
    option("--n", type=int, default=10, metavar="N", help="number of items of each K (default 10)")
    option("--scenario", choices=("knolling", "natural"), default="knolling")
    option("--seed", type=int, default=0, metavar="N", help="seed of the items (default 0)")
    option("--model", metavar="M", help="model that verbalises the formulas (default: rules)")
    option("-o", "--out", required=True, metavar="FILE", help="the rows to write, as JSON Lines")
    agents.add_model_options(parser, rounds=2)


def run(arguments: argparse.Namespace) -> int:
    """Make, check and write items, and report the rejected ones."""
    for k in arguments.k:
        if not 1 <= k <= MOST_K or arguments.k.count(k) > 1:
            raise UsageError(f"--k {k}: from 1 to {MOST_K}, each once")
        if arguments.objects is not None and not k <= arguments.objects <= MOST_OBJECTS:
            raise UsageError(f"--objects {arguments.objects}: from K ({k}) to {MOST_OBJECTS}")
    if arguments.n < 1:
        raise UsageError(f"--n {arguments.n}: at least 1 is needed")
    agents.limits_of(arguments)
    items = {name: item for k in arguments.k for name, item in _composed(k, arguments)}
    if arguments.model is None:
        return _finish(items, None, arguments)
    from tsgkit.llm.asker import ask_for
    from tsgkit.llm.failures import NotFinished
    from tsgkit.suites.formalimg.maker import templates_text, written

    rows = [item.row for item in items.values()]
    job = {"work": "make formalimg", "items": agents.digest(rows), "texts": agents.digest(templates_text())}
    with agents.asking(arguments, arguments.out, job | {"rounds": arguments.rounds}) as calls:

        async def work(engine: Engine) -> dict[str, Composed | Rejected | str]:
            async def worded(name: str) -> Composed | Rejected | str:
                try:
                    return await written(items[name], ask_for(calls.asker, name, task="make"), arguments.rounds)
                except NotFinished as error:
                    return error.message

            names = {name: name for name in items}
            return await engine.made(names, worded, workers=min(arguments.concurrency, len(names)))

        return _finish(agents.carried_out(calls, work, arguments), calls, arguments)


def _composed(k: int, arguments: argparse.Namespace) -> Iterator[tuple[str, Composed]]:
    """Yield so many sound items of one K with their ids, skipping sampled formulas that are not sound."""
    from tsgkit.suites.formalimg.maker import composed, faults

    sound: dict[str, Composed] = {}
    show = Countdown(f"items of K {k}")
    for tried in range(20 * arguments.n + 20):
        if len(sound) == arguments.n:
            break
        item = composed(k, arguments.scenario, arguments.seed * 100_000 + tried, arguments.objects)
        if not faults(item.formula, arguments.scenario, k):
            sound.setdefault(item.row["dsl"], item)
            if not arguments.quiet and not arguments.json:
                show(len(sound), arguments.n)
    size = "" if arguments.objects is None else f"of{arguments.objects}"
    yield from ((f"k{k}{size}-s{arguments.seed}-{number}", item) for number, item in enumerate(sound.values()))


def _finish(
    results: Mapping[str, Composed | Rejected | str], calls: AgentCalls | None, arguments: argparse.Namespace
) -> int:
    """Write the sound items, and report the rejected ones and why asking was stopped, if it was."""
    from tsgkit.suites.formalimg.maker import Composed, Rejected

    kept = {name: item for name, item in results.items() if isinstance(item, Composed)}
    rejected = [item for item in results.values() if isinstance(item, Rejected)]
    reasons, failures = ([item.reason for item in rejected if item.is_failure is is_one] for is_one in (False, True))
    stopped = next((item for item in results.values() if isinstance(item, str)), "")
    if calls is not None and calls.shard is not None:
        return agents.finish_shard(calls, stopped, failures, arguments)
    if kept:
        agents.put(agents.json_lines({"id": name, **item.row} for name, item in kept.items()), calls, arguments)
    summary = {"items": len(kept), "rejected": reasons, "failures": failures, "stopped": stopped}
    wanted = arguments.n * len(arguments.k)
    lacking = f"only {len(kept)} of {wanted} different sound items were found with this seed"
    is_short = calls is None and len(kept) != wanted

    def show() -> None:
        objects = "" if arguments.objects is None else f" with {arguments.objects} objects"
        kinds = ", ".join(map(str, arguments.k))
        items = f"{count(len(kept), 'item')} of K {kinds}{objects}, {arguments.scenario}"
        say(f"{items}: vocabulary, K and satisfiability proved")
        if is_short:
            complain(lacking)
        for reason in reasons[: agents.SHOWN]:
            say(f"rejected: {inert(reason)}")
        if (more := len(reasons) - agents.SHOWN) > 0:
            say(f"rejected: and {more} more")

    asked, written = 0 if calls is None else calls.budget.used_requests, [arguments.out] if kept else []
    return agents.finish(summary, show, calls, arguments, asked, written=written, wrong=[lacking] if is_short else [])
