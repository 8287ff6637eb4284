"""Make images of a task's items with an image model, in a folder that the same command resumes.

  tsgkit images --task T --model openai/gpt-image-1 --size 1024x1024 -o images
  tsgkit images --task T --model openai/x --model-arg api_base=http://127.0.0.1:8000/v1 -o images --limit 20
  tsgkit images --task T --model M -o images --condition drawn --layouts layouts.jsonl
  tsgkit images --task T --model M -o images --rewriter openai/gpt-4o

DIR gets one ID.png for each item, and paintings.jsonl, the log of all requests. Existing images are not requested
again, nor those that a content filter blocked; errors of the service are. With --rewriter a text model rewrites each
prompt before the image model receives it; its calls are stored (DIR/rewriting.calls), and its cost counts. Needs the
extra tsgkit[images].
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.options import add_group, add_mapping, add_options
from tsgkit.cli.terminal import complain, count, inert, say, say_lines
from tsgkit.errors import GOOD
from tsgkit.interface.options import (
    ModelOptions,
    PaintOptions,
    PaintWorkOptions,
    QuietOptions,
    RequestOptions,
    TraceOptions,
)

if TYPE_CHECKING:
    from tsgkit.interface.images import PaintingJob
    from tsgkit.runs.image_generation import Painter, PaintingOutcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit images``."""
    asked = add_group(parser, PaintOptions)
    asked.add_argument("--task", required=True, metavar="T", help="a task that has images to make")
    asked.add_argument(
        "--model",
        required=True,
        metavar="M",
        help="an image model, named PROVIDER/NAME, or a function of yours: python:MODULE:NAME, or python:MODULE:NAME() "
        "for what NAME returns (MODULE may be ./FILE.py)",
    )
    asked.add_argument("-o", "--out", required=True, type=Path, metavar="DIR", help="the folder of images")
    add_options(asked, PaintOptions)
    add_options(asked, ModelOptions)
    add_mapping(asked)
    how = add_group(parser, PaintWorkOptions)
    add_options(how, PaintWorkOptions)
    add_options(how, RequestOptions, concurrency="requests in flight (default 4; 1 for a function of yours)")
    add_options(how, TraceOptions)
    how.add_argument("--dry-run", action="store_true", help="say what would be asked for, and send nothing")
    how.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(how, QuietOptions)


def run(arguments: argparse.Namespace) -> int:
    """Make the images of one task."""
    from tsgkit.interface import images
    from tsgkit.runs.image_generation import paint_all

    options = vars(arguments)
    if arguments.dry_run:
        with tempfile.TemporaryDirectory() as place:  # for what is drawn only to be counted
            return _dry_run(images.job_of(options, Path(place)), arguments)
    job = images.job_of(options)
    if not arguments.quiet and not job.painter.is_own:
        print("loading LiteLLM, a few seconds ...", file=sys.stderr, flush=True)
    painted = paint_all(job.paintings, job.painter, job.folder, job.limits, _watch(arguments))
    if arguments.json:
        say(json.dumps(value_of(painted, arguments), indent=2))
    else:
        _print(painted)
    _say_what_is_left(painted, job.painter)
    return painted.exit_code


def _watch(arguments: argparse.Namespace) -> Any:  # noqa: ANN401  (its module would be loaded for every command)
    from tsgkit.runs.jobs import Watch

    if arguments.quiet:
        return Watch()
    from tsgkit.report.progress import Progress

    return Progress().watch


def _dry_run(job: PaintingJob, arguments: argparse.Namespace) -> int:
    from tsgkit.runs.estimate import prompt_tokens
    from tsgkit.runs.image_folder import PaintingLog
    from tsgkit.runs.image_generation import check_budget, messages_of, to_paint

    painter = job.painter
    check_budget(painter, job.limits)
    todo = to_paint(job.paintings, painter, job.folder, PaintingLog.of(job.folder))
    tokens = prompt_tokens(arguments.model, (message["content"] for one in todo.left for message in messages_of(one)))
    cost = None if painter.price is None else len(todo.left) * painter.price.dollars
    if arguments.json:
        value = {"total": todo.total, "there": todo.there, "blocked": todo.blocked, "left": len(todo.left)}
        spread = [round(tokens.low), round(tokens.high)]
        more = {} if painter.rewriter is None else {"rewriting": len(todo.left)}
        say(json.dumps(value | {"requests": len(todo.left), "prompt": spread, "cost": cost} | more))
        return GOOD
    say(f"{count(todo.total, 'image')}: nothing is sent")
    say(f"  {todo.there:,} there already, {todo.blocked:,} blocked before, {len(todo.left):,} to be asked for")
    money = "cost unknown" if cost is None else f"${cost:.4f}"
    say(f"  {count(len(todo.left), 'request')}, {tokens.low:,.0f} to {tokens.high:,.0f} tokens in, {money}")
    source = "its price is not known" if painter.price is None else f"priced by {painter.price.source}"
    say(f"  {inert(arguments.model)}: {source}")
    if painter.rewriter is not None:
        rewriting = count(len(todo.left), "request")
        say(f"  and up to {rewriting} of {inert(painter.rewriter.model)} before, for the prompts: not in these figures")
    return GOOD


def value_of(painted: PaintingOutcome, arguments: argparse.Namespace) -> dict[str, object]:
    """Return what ``--json`` prints."""
    return {
        "out": str(painted.folder),
        "task": arguments.task,
        "model": arguments.model,
        "rewriter": arguments.rewriter,
        "total": painted.total,
        "there": painted.there,
        "painted": painted.painted,
        "blocked": painted.blocked,
        "failed": len(painted.failures),
        "unasked": painted.unasked,
        "requests": painted.requests,
        "cost": painted.cost,
        "seconds": painted.seconds,
        "failures": dict(painted.failures),
        "refusals": dict(painted.refusals),
        "notices": list(painted.notices),
    }


def _print(painted: PaintingOutcome) -> None:
    from tsgkit.report.image_text import painted_lines
    from tsgkit.runs.shards import whole_of

    say_lines(painted_lines(painted))
    if (whole := whole_of(painted.folder)) != painted.folder:
        name = inert(str(whole))
        say(f"all shards together: tsgkit runs merge {name}.shard-* -o {name}")


def _say_what_is_left(painted: PaintingOutcome, painter: Painter) -> None:
    """Print errors, the reason for stopping, and how to resume."""
    from tsgkit.report.image_text import trouble_lines

    for line in trouble_lines(painted):
        complain(line)
    if not painted.complete:
        how = "raise the limit in" if painted.budget else "go on with"
        complain(f"nothing is lost; {how}: {_redacted(shlex.join(('tsgkit', *sys.argv[1:])), painter)}")


def _redacted(command: str, painter: Painter) -> str:
    from tsgkit.llm.settings import secrets_of

    return secrets_of(painter.all_settings).redact(command)
