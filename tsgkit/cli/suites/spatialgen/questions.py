"""Generate dense prompts of scenes, with ten questions each about the image, in the published form.

A model writes texts for every scene and ten questions about each. Rules check for length, repetition, leaks between
questions, stems that refer to a text, answers that are not in the text, and answers of different lengths. Drafts that
fail are requested again with the reasons, and finally dropped (OUT.dropped.jsonl). Keys are spread evenly over letters.
Review the output: only people can decide if the wrong answers are really untrue.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from tsgkit.cli import agents
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.spatialgen.maker import QuestionItems


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make spatialgen``."""
    option = parser.add_argument
    option("-o", "--out", required=True, metavar="OUT", help="the file of rows to write")
    option("--model", required=True, metavar="M", help="the model that is asked, or script:FILE")
    option("--scene", action="append", default=[], metavar="S", help="only this scene; repeatable")
    option("--count", type=int, default=1, metavar="N", help="texts for each scene (default 1)")
    option("--seed", type=int, default=0, metavar="N", help="the seed of the positions of keys (default 0)")
    agents.add_model_options(parser, 2)


def run(arguments: argparse.Namespace) -> int:
    """Make rows."""
    from tsgkit.library.cards import load_card
    from tsgkit.library.files import write_text
    from tsgkit.llm.asker import ask_for
    from tsgkit.suites.spatialgen.maker import FIELDS, QuestionMaker, chosen_scenes, template
    from tsgkit.suites.spatialgen.rows import rows_of, written
    from tsgkit.suites.suite import task_of

    if arguments.count < 1 or arguments.rounds < 0:
        raise UsageError("--count must be at least 1, and --rounds at least 0")
    scenes, out = chosen_scenes(arguments.scene), arguments.out
    job = {"work": "make spatialgen", "scenes": scenes, "count": arguments.count, "rounds": arguments.rounds}
    with agents.asking(arguments, out, job | {"texts": {name: template(name).text for name in FIELDS}}) as calls:

        async def work(engine: Engine) -> QuestionItems:
            bundled = task_of(load_card("spatialgen/questions")).dataset(None)
            ask, known = partial(ask_for, calls.asker, task="make"), tuple(row.prompt for row in rows_of(bundled))
            maker = QuestionMaker(ask, arguments.count, arguments.rounds + 1, arguments.seed, known)
            return await maker.make(scenes, partial(engine.made, workers=min(arguments.concurrency, len(scenes))))

        making = agents.carried_out(calls, work, arguments, "scene")
        if calls.shard is not None:
            return agents.finish_shard(calls, making.stopped, making.failures, arguments)
        calls.put("".join(written(row) + "\n" for row in making.rows))
        write_text(f"{out}.dropped.jsonl", agents.json_lines(text._asdict() for text in making.dropped))
        summary: dict[str, Any] = {
            "rows": len(making.rows),
            "scenes": len({row.scene for row in making.rows}),
            "keys": dict(sorted(Counter(key for row in making.rows for key in row.answers).items())),
            "dropped": len(making.dropped),
            "findings": Counter(finding.code for finding in making.findings),
            "stopped": making.stopped,
            "failures": making.failures,
        }

        def show() -> None:
            keys = ", ".join(f"{letter} {times}" for letter, times in summary["keys"].items())
            say(f"{count(summary['rows'], 'row')} of {count(summary['scenes'], 'scene')}; keys: {keys or 'none'}")
            say(f"dropped: {count(summary['dropped'], 'text')}, with reasons in {inert(out)}.dropped.jsonl")
            for text in making.dropped[: agents.SHOWN]:
                complain(f"{text.scene}: {'; '.join(text.problems[:2])}")
            for code, times in summary["findings"].items():
                complain(f"{code} ({times}): tsgkit audit {out} lists them")

        wrong = [] if making.rows else ["no rows"]
        return agents.finish(summary, show, calls, arguments, making.calls, written=[out], wrong=wrong)
