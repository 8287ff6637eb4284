"""Prompts that are true of the pictures a run judged, to train image models with.

For every picture that was judged, the text it was made from and what the judge saw go to a model that looks at the
picture and writes the text anew; where the judge saw all that was wanted, the text stays and nobody is asked. What
was seen is what four of five rounds said; with --votes plurality, as published, what most rounds said. Scenes of the
group Design are left out, as published, unless --design is given. DIR
becomes a folder of pictures with metadata.jsonl (file_name, text), which training tools read, and rewrites.jsonl with
both texts and what was changed. What does not pass the checks is left out and written to dropped.jsonl.
"""

from __future__ import annotations

import argparse
import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.agent_options import (
    add_model_options,
    calls_of,
    carried_out,
    digest,
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
    from tsgkit.suites.spatialgen.commands.rewrites import Job, Rewriting

SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit make spatialt2i``."""
    parser.add_argument("--from", dest="source", required=True, type=Path, metavar="RUN", help="the run that judged")
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder to make")
    parser.add_argument("--model", required=True, metavar="M", help="the model that looks and writes, or script:FILE")
    parser.add_argument("--subject", metavar="NAME", help="only the pictures of this subject")
    parser.add_argument(
        "--protocol", metavar="P", help="what was seen in this protocol (default: the first of the run)"
    )
    parser.add_argument(
        "--votes", choices=("decided", "plurality"), default="decided", help="how votes decide what was seen"
    )
    parser.add_argument("--design", action="store_true", help="take scenes of the group Design too")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="only pictures right in this share")
    add_model_options(parser, 2)


def run(arguments: argparse.Namespace) -> int:
    """Make the folder."""
    from tsgkit.suites.spatialgen.commands.rewrites import Choice, jobs_of
    from tsgkit.suites.spatialgen.maker import template

    if not 0 <= arguments.least <= 1 or arguments.rounds < 0:
        raise UsageError("--least is a share from 0 to 1, and --rounds at least 0")
    choice = Choice(arguments.subject, arguments.protocol, arguments.least, arguments.votes, arguments.design)
    jobs = jobs_of(arguments.source, choice)
    what = digest([[job.name, job.picture.sha256, job.row.prompt, [list(fact) for fact in job.facts]] for job in jobs])
    asked = {"work": "make spatialt2i", "jobs": what, "rounds": arguments.rounds, "text": template("rewrite").text}
    calls = calls_of(arguments, arguments.out.rstrip("/"), asked, folder=True)
    try:
        work = functools.partial(_rewrite, jobs, calls, arguments)
        return _finish(carried_out(calls, work, arguments, "picture"), calls, arguments)
    finally:
        calls.close()


async def _rewrite(jobs: list[Job], calls: AgentCalls, arguments: argparse.Namespace, engine: Engine) -> Rewriting:
    from tsgkit.agents.asker import ask_for
    from tsgkit.suites.spatialgen.commands.rewrites import rewrite

    each = functools.partial(engine.made, workers=min(arguments.concurrency, len(jobs)))
    return await rewrite(jobs, lambda name: ask_for(calls.asker, name, task="make"), arguments.rounds + 1, each)


def _finish(made: Rewriting, calls: AgentCalls, arguments: argparse.Namespace) -> int:
    from tsgkit.suites.spatialgen.commands.rewrites import write_set

    if calls.shard is not None:
        return shard_done(calls, made.stopped, made.failures, arguments)
    write_set(Path(arguments.out), made)
    summary: dict[str, Any] = {
        "pairs": len(made.pairs),
        "kept": sum(not pair.changed for pair in made.pairs),
        "rewritten": sum(bool(pair.changed) for pair in made.pairs),
        "dropped": len(made.dropped),
        "stopped": made.stopped,
        "failures": made.failures,
    } | usage_value(calls, made.calls)
    if arguments.json:
        say(json.dumps(summary, indent=2))
    else:
        kept, anew = summary["kept"], summary["rewritten"]
        say(f"{count(len(made.pairs), 'pair')} of a picture and a text: {kept} as they were, {anew} rewritten")
        say(f"left out: {count(len(made.dropped), 'picture')}, with reasons in dropped.jsonl")
        for name, problems in list(made.dropped.items())[:SHOWN]:
            complain(f"{name}: {'; '.join(problems)}")
        say_usage(summary)
        say(f"written: {inert(arguments.out)}")
    say_stopped(made.stopped, made.failures)
    return exit_code(calls, made.stopped, made.failures or ([] if made.pairs else ["no pairs"]))
