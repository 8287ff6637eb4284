"""Options shared by several commands: the patience with a service that is down, and a file of L."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.model import Vocabulary
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.notation.narratives import EXAMPLE, vocabulary_from
from tsgkit.library.files import read_text

if TYPE_CHECKING:
    pass


def add_max_outage(parser: argparse._ActionsContainer) -> None:
    """Add the options of every command that asks a service."""
    about = "minutes a service that is down is waited for (30; 0: not at all)"
    parser.add_argument("--max-outage", type=float, metavar="MIN", help=about)
    about = "seconds a server that never answered is waited for (15; 0: not at all)"
    parser.add_argument("--wait-for-server", type=float, metavar="S", help=about)


def add_client(parser: argparse._ActionsContainer) -> None:
    """Add the option of every command that asks a text model."""
    about = "direct or litellm (default: direct for a server of your own that speaks OpenAI's protocol)"
    parser.add_argument("--client", choices=("direct", "litellm"), metavar="C", help=about)


def add_otel(parser: argparse._ActionsContainer) -> None:
    """Add the options of every command whose calls can be traced."""
    parser.add_argument("--otel", action="store_true", help="send spans by OpenTelemetry (OTEL_* variables; no texts)")
    parser.add_argument("--otel-content", action="store_true", help="with prompts and replies in them")


def add_mapping(parser: argparse._ActionsContainer) -> None:
    """Add the option of every command that asks or reads rows that are named for the first time."""
    parser.add_argument(
        "--mapping", metavar="FILE", help="how columns become fields (YAML), for rows in Parquet, CSV or other fields"
    )


def name_mapping(arguments: argparse.Namespace) -> None:
    """Put a named mapping behind the data that it is for, as in ``rows.parquet#mapping.yaml``."""
    from tsgkit.library.row_sources import with_mapping

    mapping = getattr(arguments, "mapping", None)
    if mapping is None:
        return
    if hasattr(arguments, "files"):
        arguments.files = [with_mapping(file, mapping) for file in arguments.files]
    elif arguments.data is None:
        raise UsageError(f"--mapping {mapping}: no data are named that it is for", hint="name a file, or hf://...")
    else:
        arguments.data = with_mapping(arguments.data, mapping)


def add_vocabulary(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command."""
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="L for items that bring none: JSON with the lists object, relationship and verb",
    )


def read_vocabulary(path: str | None) -> Vocabulary | None:
    """Return the vocabulary of a file; None where no file is named."""
    if path is None:
        return None
    try:
        value = load(read_text(path) or "null")
        if isinstance(value, dict):
            value = value.get("mandatory_space", value.get("vocabulary", value))
        return vocabulary_from(value)
    except NotationError as error:
        raise FileProblem(f"{path}: {error}", hint=error.hint or f"L looks like this: {EXAMPLE}") from None
