"""Explain one item of a run: prompt, reply, reading, scores and reasons.

  tsgkit explain runs/NAME-IDENTITY --item wound/3
  tsgkit explain runs/NAME-IDENTITY --item wound/3 --task ma-sgg --style cot -o wound.html

If several rows of the run have the item, each is shown briefly; --task, --subject, --style, --solver, --shots,
--prompts, --seed and --repeat select one. Long texts are cut; --all shows them. Without --item the samples that are not
right are listed, as by tsgkit samples RUN --wrong. No model is called.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tsgkit.cli.terminal import inert, say, say_lines, wants_colour
from tsgkit.errors import GOOD, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--item", metavar="ID", help="the item to explain; without it what went wrong is listed")
    parser.add_argument(
        "--all", action="store_true", help="whole prompts, replies and calls, not what fits two screens"
    )
    parser.add_argument("--task", metavar="T", help="only in this task (tsg/sgqa, or sgqa)")
    parser.add_argument("--subject", metavar="S", help="only of this subject, as --model named it")
    parser.add_argument("--style", metavar="S", help="only in this style")
    parser.add_argument("--solver", metavar="S", help="only by this solver")
    parser.add_argument("--repeat", type=int, metavar="N", help="only in this repeat, from 0")
    parser.add_argument("--shots", type=int, metavar="K", help="only with so many examples")
    parser.add_argument("--prompts", metavar="NAME", help="only with these prompts, as tables name them")
    parser.add_argument("--seed", type=int, metavar="N", help="only with this seed")
    parser.add_argument("--data", metavar="D", help="where the data of the run lie now, if elsewhere")
    parser.add_argument("--html", "-o", metavar="FILE", help="write a page with images of the graphs instead")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Explain one item."""
    if arguments.item is None:
        return _list_wrong(arguments)
    from tsgkit.report.explanation import explain, explanation_value

    if arguments.html and arguments.json:
        raise UsageError("--html and --json are two forms of the same", hint="give one of them")
    explanation = explain(
        arguments.run,
        arguments.item,
        task=arguments.task,
        subject=arguments.subject,
        style=arguments.style,
        solver=arguments.solver,
        repeat=arguments.repeat,
        shots=arguments.shots,
        prompts=arguments.prompts,
        seed=arguments.seed,
        data=arguments.data,
    )
    if arguments.json:
        say(json.dumps(explanation_value(explanation), indent=2))
    elif arguments.html:
        from tsgkit.library.files import write_text
        from tsgkit.library.overwrites import refuse_to_replace_data
        from tsgkit.report.explanation_page import write_explanation

        _refuse_to_spoil(arguments.run, arguments.html)
        page = write_explanation(explanation)
        refuse_to_replace_data(arguments.html, page)
        write_text(arguments.html, page)
        say(f"explained: {inert(arguments.html)}")
    else:
        from tsgkit.report.explanation_text import explanation_lines

        say_lines(explanation_lines(explanation, in_colour=wants_colour(), whole=arguments.all))
    return GOOD


def _list_wrong(arguments: argparse.Namespace) -> int:
    from tsgkit.cli import samples

    if arguments.html:
        raise UsageError("--html is of one item", hint="name it with --item")
    words = ["--wrong", *(["--json"] if arguments.json else [])]
    for name in ("task", "subject", "style", "solver", "data"):
        words += [f"--{name}", given] if (given := getattr(arguments, name)) else []
    parser = argparse.ArgumentParser()
    samples.add_arguments(parser)
    return samples.run(parser.parse_args([str(arguments.run), *words]))


def _refuse_to_spoil(run: Path, target: str) -> None:
    """A page never takes the place of a record."""
    if Path(target).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{target}: a page is HTML", hint="give it a name that ends in .html")
    if Path(target).is_dir():
        raise UsageError(f"{target}: this is a folder", hint=f"name a file, as {run.name}.html")
