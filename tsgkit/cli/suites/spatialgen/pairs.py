"""Rewrite prompts so that they are true of the images a run judged, as training data for image models.

For each judged image, a model receives the image, its prompt and what the judge saw, and rewrites the prompt. If the
judge saw everything in the prompt, it is kept and no model is asked. A fact was seen if four of five rounds gave it;
with --votes plurality, as published, if most rounds gave it. Scenes of the group Design are left out, as published,
unless --design is given. DIR will contain the images with metadata.jsonl (file_name, text), which training tools read,
and rewrites.jsonl with both texts and the changes. Rewrites that fail the checks are dropped and listed in
dropped.jsonl.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.agent_work import (
    SHOWN,
    add_model_options,
    agent_calls,
    carried_out,
    digest,
    finish,
    finish_shard,
)
from tsgkit.cli.terminal import complain, count, say
from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.cli.suites.spatialgen.rewrites import Rewriting
    from tsgkit.runs.jobs import Engine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make spatialt2i``."""
    about = "the run that judged the images"
    parser.add_argument("--from", dest="source", required=True, type=Path, metavar="RUN", help=about)
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder to write")
    about = "the model that sees the image and rewrites, or script:FILE"
    parser.add_argument("--model", required=True, metavar="M", help=about)
    parser.add_argument("--subject", metavar="NAME", help="only the images of this subject")
    about = "use the answers in this protocol (default: the first of the run)"
    parser.add_argument("--protocol", metavar="P", help=about)
    about = "the rule for what was seen"
    parser.add_argument("--votes", choices=("decided", "plurality"), default="decided", help=about)
    parser.add_argument("--design", action="store_true", help="include scenes of the group Design")
    about = "only images with at least this share of right questions"
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help=about)
    add_model_options(parser, 2)


def run(arguments: argparse.Namespace) -> int:
    """Make the folder."""
    from tsgkit.cli.suites.spatialgen.rewrites import Choice, jobs_of, rewrite, write_set
    from tsgkit.llm.asker import ask_for
    from tsgkit.suites.spatialgen.maker import template

    if not 0 <= arguments.least <= 1 or arguments.rounds < 0:
        raise UsageError("--least must be from 0 to 1, and --rounds at least 0")
    choice = Choice(arguments.subject, arguments.protocol, arguments.least, arguments.votes, arguments.design)
    jobs = jobs_of(arguments.source, choice)
    what = digest([[job.name, job.image.sha256, job.row.prompt, [list(fact) for fact in job.facts]] for job in jobs])
    asked = {"work": "make spatialt2i", "jobs": what, "rounds": arguments.rounds, "text": template("rewrite").text}
    with agent_calls(arguments, arguments.out.rstrip("/"), asked, folder=True) as calls:

        async def work(engine: Engine) -> Rewriting:
            each = partial(engine.made, workers=min(arguments.concurrency, len(jobs)))
            return await rewrite(jobs, lambda name: ask_for(calls.asker, name, task="make"), arguments.rounds + 1, each)

        rewriting = carried_out(calls, work, arguments, "image")
        if calls.shard is not None:
            return finish_shard(calls, rewriting.stopped, rewriting.failures, arguments)
        write_set(Path(arguments.out), rewriting)
        rewritten = sum(bool(pair.changed) for pair in rewriting.pairs)
        summary = {
            "pairs": len(rewriting.pairs),
            "kept": len(rewriting.pairs) - rewritten,
            "rewritten": rewritten,
            "dropped": len(rewriting.dropped),
            "stopped": rewriting.stopped,
            "failures": rewriting.failures,
        }

        def show() -> None:
            pairs = count(len(rewriting.pairs), "pair")
            say(f"{pairs} of an image and a text: {summary['kept']} unchanged, {rewritten} rewritten")
            say(f"dropped: {count(len(rewriting.dropped), 'image')}, with reasons in dropped.jsonl")
            for name, problems in list(rewriting.dropped.items())[:SHOWN]:
                complain(f"{name}: {'; '.join(problems)}")

        wrong = [] if rewriting.pairs else ["no pairs"]
        return finish(summary, show, calls, arguments, rewriting.calls, written=[arguments.out], wrong=wrong)
