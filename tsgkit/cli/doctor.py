"""Test a model and its server with a dozen small requests: what works, what does not, and which options to set.

  tsgkit doctor openai/gpt-4o
  tsgkit doctor openai/NAME --model-arg api_base=http://127.0.0.1:8000/v1
  tsgkit doctor openai/gpt-4o --save doctor.jsonl      a transcript without keys, to be attached to a report
  tsgkit doctor --replay doctor.jsonl                  the same findings from it; no model is asked

It checks name and address, plain text, a system message, a JSON schema, reasoning, an image, a long prompt, stop
reasons, eight concurrent requests, rate limits and the price, with some 20,000 tokens in all.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import complain, inert, say, say_json, say_lines
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.interface.options import DoctorOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help="the model, as --model names it")
    add_options(parser, DoctorOptions)
    parser.add_argument("--save", metavar="FILE", help="write what was sent and replied, without keys (JSON Lines)")
    parser.add_argument("--replay", metavar="FILE", help="judge such a file again instead of asking")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Examine a model."""
    from tsgkit.interface.doctor import check_line, closing_lines
    from tsgkit.library.files import write_report
    from tsgkit.llm.event_loop import run_in_background
    from tsgkit.runs.doctor import ServerCheck, examined, transcript_in, transcript_text

    model: str = arguments.model
    transcript: tuple[dict[str, Any], ...] = ()
    if (model is None) == (arguments.replay is None):
        raise UsageError("a model to ask, or --replay FILE", hint="as in tsgkit doctor openai/gpt-4o")
    if not arguments.timeout > 0:
        raise UsageError(f"--timeout {arguments.timeout:g}: it must be more than 0")
    if arguments.replay is not None:
        transcript = transcript_in(arguments.replay)
        model = transcript[0]["model"]

    heading = [inert(f"{model}:")]

    def show(check: ServerCheck) -> None:
        if not arguments.json:
            say_lines([*heading, check_line(check)])
            heading.clear()
            sys.stdout.flush()

    how = {"timeout": arguments.timeout, "price": arguments.price, "client": arguments.client}
    examination = run_in_background(
        partial(examined, model, arguments.model_arg or (), report=show, transcript=transcript, **how)
    )
    if arguments.save is not None:
        write_report(arguments.save, transcript_text(examination))
    if arguments.json:
        say_json(examination.value, ensure_ascii=False)
    else:
        say_lines(closing_lines(examination))
        if arguments.save is not None:
            say(f"saved: {inert(arguments.save)}")
    if examination.cause:
        complain(f"{model} never answered: {examination.cause}", examination.advice)
        return FINISHED_WITH_ERRORS
    return GOOD
