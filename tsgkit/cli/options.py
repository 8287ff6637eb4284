"""Options of commands: those that are declared for Python too, the mapping of columns, and a file of L."""

from __future__ import annotations

import argparse
from collections.abc import Container
from typing import TYPE_CHECKING, Any, get_args

from tsgkit.cli.parser import RepeatedOption
from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.interface.options import options_in

if TYPE_CHECKING:
    from tsgkit.graph.model import Vocabulary

MANY: dict[str, dict[str, Any]] = {
    "": {},
    "again": {"action": "append"},
    "commas": {"action": RepeatedOption},
    "words": {"nargs": "+"},
}
"""The settings of parsers for options that take several values."""


def add_options(
    parser: argparse._ActionsContainer,
    group: type,
    leave_out: Container[str] = (),
    *,
    after: str = "",
    until: str = "",
    **about: str,
) -> None:
    """Add the options of a group, or those after one and until one; ``about`` says of some what they are about here."""
    names = list(options_in(group))
    start = names.index(after) + 1 if after else 0
    for name in names[start : names.index(until) + 1 if until else None]:
        if name in leave_out:
            continue
        option = options_in(group)[name]
        flags = option.flags or (f"--{name.replace('_', '-')}",)
        meaning = about.get(name, option.about)
        if option.kind is bool:
            action = "store_false" if option.default else "store_true"
            parser.add_argument(*flags, dest=name, action=action, help=meaning)
            continue
        settings: dict[str, Any] = {"default": option.default, "help": meaning} | MANY[option.many]
        settings |= {"choices": option.choices} if option.choices else {}
        settings |= {"metavar": option.metavar} if option.metavar else {}
        number = next((kind for kind in (int, float) if kind in (option.kind, *get_args(option.kind))), str)
        parser.add_argument(*flags, dest=name, type=number, **settings)


def add_group(parser: argparse.ArgumentParser, group: type) -> argparse._ArgumentGroup:
    """Add a group of help texts under the group's own title."""
    title = str(group.__doc__).rstrip(".")
    return parser.add_argument_group(title[0].lower() + title[1:])


def add_mapping(parser: argparse._ActionsContainer) -> None:
    """Add the option of every command that asks or reads rows that are named for the first time."""
    about = "how columns become fields (YAML), for rows in Parquet, CSV or other fields"
    parser.add_argument("--mapping", metavar="FILE", help=about)


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
    about = "L for items that bring none: JSON with the lists object, relationship and verb"
    parser.add_argument("--vocabulary", metavar="FILE", help=about)


def read_vocabulary(path: str | None) -> Vocabulary | None:
    """Return the vocabulary of a file; None where no file is named."""
    from tsgkit.graph.notation.json_triplets import load
    from tsgkit.graph.notation.narratives import EXAMPLE, vocabulary_from
    from tsgkit.library.files import read_text

    if path is None:
        return None
    try:
        value = load(read_text(path) or "null")
        if isinstance(value, dict):
            value = value.get("mandatory_space", value.get("vocabulary", value))
        return vocabulary_from(value)
    except NotationError as error:
        raise FileProblem(f"{path}: {error}", hint=error.hint or f"L looks like this: {EXAMPLE}") from None
