"""Generate dense prompts of scenes, with ten questions each about the image, in the published form.

A model writes texts for every scene and ten questions about each. Rules check for length, repetition, leaks between
questions, stems that refer to a text, answers that are not in the text, and answers of different lengths. Drafts that
fail are requested again with the reasons, and finally dropped (OUT.dropped.jsonl). Keys are spread evenly over letters.
Review the output: only people can decide if the wrong answers are really untrue.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tsgkit.cli.agent_options import (
    add_model_options,
    calls_of,
    carried_out,
    exit_code,
    say_stopped,
    say_usage,
    shard_done,
    usage_value,
)
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.spatialgen.maker import Making

SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make spatialgen``."""
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="the file of rows to write")
    parser.add_argument("--model", required=True, metavar="M", help="the model that is asked, or script:FILE")
    parser.add_argument("--scene", action="append", default=[], metavar="S", help="only this scene; repeatable")
    parser.add_argument("--count", type=int, default=1, metavar="N", help="texts for each scene (default 1)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of the positions of keys (default 0)"
    )
    add_model_options(parser, 2)


def run(arguments: argparse.Namespace) -> int:
    """Make rows."""
    from tsgkit.suites.spatialgen.maker import FIELDS, chosen_scenes, template

    if arguments.count < 1 or arguments.rounds < 0:
        raise UsageError("--count must be at least 1, and --rounds at least 0")
    scenes = chosen_scenes(arguments.scene)
    asked = {"work": "make spatialgen", "scenes": scenes, "count": arguments.count, "rounds": arguments.rounds}
    texts = {name: template(name).text for name in FIELDS}
    calls = calls_of(arguments, arguments.out, asked | {"texts": texts})
    try:
        work = functools.partial(_make, scenes, calls, arguments)
        return _finish(carried_out(calls, work, arguments, "scene"), calls, arguments)
    finally:
        calls.close()


async def _make(scenes: tuple[str, ...], calls: AgentCalls, arguments: argparse.Namespace, engine: Engine) -> Making:
    from tsgkit.library.cards import load_card
    from tsgkit.llm.asker import ask_for
    from tsgkit.suites.spatialgen.maker import Maker
    from tsgkit.suites.spatialgen.questions import SpatialGenTask

    bundled = SpatialGenTask(load_card("spatialgen/questions")).dataset(None)
    maker = Maker(
        lambda name: ask_for(calls.asker, name, task="make"),
        arguments.count,
        arguments.rounds + 1,
        arguments.seed,
        tuple(row.prompt for row in bundled.rows),
    )
    return await maker.make(scenes, functools.partial(engine.made, workers=min(arguments.concurrency, len(scenes))))


def _finish(made: Making, calls: AgentCalls, arguments: argparse.Namespace) -> int:
    from tsgkit.library.files import write_text
    from tsgkit.suites.spatialgen.maker import dropped_line
    from tsgkit.suites.spatialgen.rows import written

    if calls.shard is not None:
        return shard_done(calls, made.stopped, made.failures, arguments)
    calls.put("".join(written(row) + "\n" for row in made.rows))
    write_text(f"{arguments.out}.dropped.jsonl", "".join(map(dropped_line, made.dropped)))
    summary: dict[str, Any] = {
        "rows": len(made.rows),
        "scenes": len({row.scene for row in made.rows}),
        "keys": dict(sorted(Counter(key for row in made.rows for key in row.answers).items())),
        "dropped": len(made.dropped),
        "findings": dict(Counter(one.code for one in made.findings)),
        "stopped": made.stopped,
        "failures": made.failures,
    } | usage_value(calls, made.calls)
    if arguments.json:
        say(json.dumps(summary, indent=2))
    else:
        _print(summary, made, arguments.out)
    say_stopped(made.stopped, made.failures)
    return exit_code(calls, made.stopped, made.failures or ([] if made.rows else ["no rows"]))


def _print(summary: dict[str, Any], made: Making, out: str) -> None:
    keys = ", ".join(f"{letter} {times}" for letter, times in summary["keys"].items())
    say(f"{count(summary['rows'], 'row')} of {count(summary['scenes'], 'scene')}; keys: {keys or 'none'}")
    say(f"dropped: {count(summary['dropped'], 'text')}, with reasons in {inert(out)}.dropped.jsonl")
    for one in made.dropped[:SHOWN]:
        complain(f"{one.scene}: {'; '.join(one.problems[:2])}")
    for code, times in summary["findings"].items():
        complain(f"{code} ({times}): tsgkit audit {out} lists them")
    say_usage(summary)
    say(f"written: {inert(out)}")
