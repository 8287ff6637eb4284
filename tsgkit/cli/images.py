"""Make images of a task's items with an image model, in a folder that the same command resumes.

  tsgkit images --task T --model openai/gpt-image-1 --size 1024x1024 -o images
  tsgkit images --task T --model openai/x --model-arg api_base=http://127.0.0.1:8000/v1 -o images --limit 20
  tsgkit images --task T --model M -o images --condition drawn --layouts layouts.jsonl
  tsgkit images --task T --model M -o images --rewriter openai/gpt-4o

DIR gets one ID.png for each item, and the calls of the model as a run has them (run.json, calls.jsonl). Existing
images are not requested again, nor those that a content filter blocked; errors of the service are. With --rewriter a
text model rewrites each prompt before the image model receives it; its calls are recorded too, and its cost counts.
Needs the extra tsgkit[images].
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.options import add_group, add_mapping, add_options
from tsgkit.cli.terminal import announce_litellm, complain, count, inert, job_watch, say, say_json, say_lines
from tsgkit.errors import GOOD
from tsgkit.interface import options

if TYPE_CHECKING:
    from tsgkit.runs.image_generation import PaintingJob


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit images``."""
    asked = add_group(parser, options.PaintOptions)
    asked.add_argument("--task", required=True, metavar="T", help="a task that has images to make")
    asked.add_argument(
        "--model",
        required=True,
        metavar="M",
        help="an image model, named PROVIDER/NAME, or a function of yours: python:MODULE:NAME, or python:MODULE:NAME() "
        "for what NAME returns (MODULE may be ./FILE.py)",
    )
    asked.add_argument("-o", "--out", required=True, type=Path, metavar="DIR", help="the folder of images")
    add_options(asked, options.PaintOptions)
    add_options(asked, options.ModelOptions)
    add_mapping(asked)
    how = add_group(parser, options.PaintWorkOptions)
    add_options(how, options.PaintWorkOptions)
    add_options(how, options.RequestOptions, concurrency="requests in flight (default 4; 1 for a function of yours)")
    add_options(how, options.TraceOptions)
    how.add_argument("--dry-run", action="store_true", help="say what would be asked for, and send nothing")
    how.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(how, options.QuietOptions)


def run(arguments: argparse.Namespace) -> int:
    """Make the images of one task. Print errors, the reason for stopping, and how to resume."""
    from tsgkit.interface import images
    from tsgkit.llm.settings import secrets_of
    from tsgkit.runs.shards import whole_of

    settings = vars(arguments)
    if arguments.dry_run:
        with tempfile.TemporaryDirectory() as folder:  # for what is drawn only to be counted
            return _dry_run(images.job_of(settings, Path(folder)), arguments)
    job = images.job_of(settings)
    if not arguments.quiet and not job.painter.is_own:
        announce_litellm()
    command, watch = ("tsgkit", *sys.argv[1:]), job_watch(quiet=arguments.quiet)
    painted = replace(job, command=command).carry_out(watch)
    if arguments.json:
        asked = {name: settings[name] for name in ("task", "model", "rewriter")}
        names = ("total", "there", "painted", "blocked", "failed", "unasked", "requests", "cost", "seconds")
        counts = {name: len(painted.failures) if name == "failed" else getattr(painted, name) for name in names}
        reasons = {"failures": dict(painted.failures), "refusals": dict(painted.refusals)}
        say_json({"out": str(painted.folder), **asked, **counts, **reasons, "notices": list(painted.notices)})
    else:
        say_lines(images.painted_lines(painted))
        if (whole := whole_of(painted.folder)) != painted.folder:
            name = inert(str(whole))
            say(f"all shards together: tsgkit runs merge {name}.shard-* -o {name}")
    for line in images.trouble_lines(painted):
        complain(line)
    if not painted.complete:
        how = "raise the limit in" if painted.budget else "go on with"
        again = secrets_of(job.painter.all_settings).redact(shlex.join(command))
        complain(f"nothing is lost; {how}: {again}")
    return painted.exit_code


def _dry_run(job: PaintingJob, arguments: argparse.Namespace) -> int:
    from tsgkit.llm.images import messages_for
    from tsgkit.runs.estimate import prompt_tokens
    from tsgkit.runs.image_folder import ImageCalls
    from tsgkit.runs.image_generation import check_budget, to_paint

    painter = job.painter
    check_budget(painter, job.limits)
    todo = to_paint(job.paintings, painter, job.folder, ImageCalls(job.folder))
    left = len(todo.left)
    prompts = (messages_for(painting.prompt, painting.image)[0]["content"] for painting in todo.left)
    tokens = prompt_tokens(arguments.model, prompts)
    cost = None if painter.price is None else left * painter.price.dollars
    if arguments.json:
        counts = {"total": todo.total, "there": todo.there, "blocked": todo.blocked, "left": left, "requests": left}
        value: dict[str, Any] = counts | {"prompt": [round(tokens.low), round(tokens.high)], "cost": cost}
        say_json(value if painter.rewriter is None else value | {"rewriting": left}, None)
        return GOOD
    say(f"{count(todo.total, 'image')}: nothing is sent")
    say(f"  {todo.there:,} there already, {todo.blocked:,} blocked before, {left:,} to be asked for")
    money = "cost unknown" if cost is None else f"${cost:.4f}"
    say(f"  {count(left, 'request')}, {tokens.low:,.0f} to {tokens.high:,.0f} tokens in, {money}")
    source = "its price is not known" if painter.price is None else f"priced by {painter.price.source}"
    say(f"  {inert(arguments.model)}: {source}")
    if painter.rewriter is not None:
        rewriter = inert(painter.rewriter.model)
        say(f"  and up to {count(left, 'request')} of {rewriter} before, for the prompts: not in these figures")
    return GOOD
