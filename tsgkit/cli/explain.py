"""Explain one item of a run: prompt, reply, reading, scores and reasons.

  tsgkit explain runs/NAME-IDENTITY --item wound/3
  tsgkit explain runs/NAME-IDENTITY --item wound/3 --task ma-sgg --style cot -o wound.html

If several rows of the run have the item, each is shown briefly; --task, --subject, --style, --solver, --shots,
--prompts, --seed and --repeat select one. Long texts are cut; --all shows them. Without --item the samples that are not
right are listed, as by tsgkit samples RUN --wrong. No model is called.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli import samples
from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import inert, say, say_json, say_lines, wants_colour
from tsgkit.errors import GOOD, UsageError
from tsgkit.interface.options import ExplainOptions, options_in
from tsgkit.library.files import write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--item", metavar="ID", help="the item to explain; without it what went wrong is listed")
    about = "whole prompts, replies and calls, not what fits two screens"
    parser.add_argument("--all", action="store_true", help=about)
    add_options(parser, ExplainOptions)
    parser.add_argument("--html", "-o", metavar="FILE", help="write a page with images of the graphs instead")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Explain one item."""
    from tsgkit.report.explanation import explain, explanation_value
    from tsgkit.report.explanation_page import write_explanation
    from tsgkit.report.sample_text import explanation_lines

    if arguments.item is None and arguments.html:
        raise UsageError("--html is of one item", hint="name it with --item")
    if arguments.item is None:
        words = ["--wrong", *(["--json"] if arguments.json else [])]
        for name in ("task", "subject", "style", "solver", "data"):
            words += [f"--{name}", value] if (value := getattr(arguments, name)) else []
        parser = argparse.ArgumentParser()
        samples.add_arguments(parser)
        return samples.run(parser.parse_args([str(arguments.run), *words]))
    if arguments.html and arguments.json:
        raise UsageError("--html and --json are two forms of the same", hint="give one of them")
    narrowing = {name: getattr(arguments, name) for name in options_in(ExplainOptions)}
    explanation = explain(arguments.run, arguments.item, **narrowing)
    if arguments.json:
        say_json(explanation_value(explanation))
    elif target := arguments.html:
        if Path(target).suffix.lower() not in (".html", ".htm"):  # a page never takes the place of a record
            raise UsageError(f"{target}: a page is HTML", hint="give it a name that ends in .html")
        if Path(target).is_dir():
            raise UsageError(f"{target}: this is a folder", hint=f"name a file, as {arguments.run.name}.html")
        write_report(target, write_explanation(explanation))
        say(f"explained: {inert(target)}")
    else:
        say_lines(explanation_lines(explanation, in_colour=wants_colour(), whole=arguments.all))
    return GOOD
