"""The option --review-in of commands with a review."""

from __future__ import annotations

import argparse
import sys

from tsgkit.errors import UsageError

TERMINAL, BROWSER = "terminal", "browser"


def add_review_place(parser: argparse.ArgumentParser) -> None:
    """Add the option --review-in."""
    parser.add_argument(
        "--review-in",
        choices=(TERMINAL, BROWSER),
        help="review here, or on a page in the browser, which needs tsgkit[view]; implies --review (default: terminal)",
    )


def resolve_review_place(arguments: argparse.Namespace) -> None:
    """Set --review where --review-in is given, and the place where it is not.

    Raise ``ExtraMissing`` if the page cannot be served, which is found before a model is asked.
    """
    arguments.review = arguments.review or arguments.review_in is not None
    arguments.review_in = arguments.review_in or TERMINAL
    if arguments.review_in == BROWSER:
        from tsgkit.serve.local_server import require_server

        require_server()


def require_terminal() -> None:
    """Raise ``UsageError`` if standard input is not a terminal."""
    if not sys.stdin.isatty():
        hint = "run it in a terminal, use --review-in browser, or omit --review to write all items without errors"
        raise UsageError("--review needs a terminal, and standard input is not one", hint=hint)
