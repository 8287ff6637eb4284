"""Argument parser of every command, with one-line errors and suggestions.

>>> parser = Parser(prog="tsgkit sing")
>>> _ = parser.add_argument("--task", action=RepeatedOption, metavar="T")
>>> parser.parse_args(["--task", "sgqa,sgds", "--task", "ma-sgg"]).task
['sgqa', 'sgds', 'ma-sgg']
>>> mistake("unrecognized arguments: --tasks x", parser)
('there is no option --tasks', '--task?')
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from tsgkit.cli.terminal import complain, say
from tsgkit.errors import WRONG_USAGE, UsageError

UNKNOWN = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)
REQUIRED = re.compile(r"the following arguments are required: (.*)")
CHOICE = re.compile(r"argument ([^:]+): invalid choice: (?>('.*'|\".*\") \(choose from )(.*)\)", re.DOTALL)
OPTION = re.compile(r"argument ([^:]+): (.*)", re.DOTALL)
VALUE = re.compile(r"invalid (int|float) value: (.*)", re.DOTALL)
NUMBERS = {"int": "whole number", "float": "number"}
LACKS = {"expected one argument": "a value is missing", "expected at least one argument": "a value is missing"}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors name the mistake and the most likely intention."""

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401  (a stream, or none)
        if file is sys.stdout and message:
            say(message.removesuffix("\n"))
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Print the mistake, and exit."""
        wrong, hint = mistake(message, self)
        complain(wrong, hint or f"{self.prog} --help shows what there is")
        self.exit(WRONG_USAGE)


class RepeatedOption(argparse.Action):
    """An option that may be repeated and takes several values separated by commas."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401  (the text behind the option)
        option_string: str | None = None,
    ) -> None:
        """Add the values to those that are there."""
        names = [part.strip() for part in str(values).split(",")]
        if not all(names):
            raise argparse.ArgumentError(self, f"{values!r}: a name is missing beside a comma")
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *names])


def refuse_options(arguments: argparse.Namespace, names: Iterable[str], problem: str, hint: str) -> None:
    """Raise ``UsageError`` for the first of these options that is given; both texts may have a place for its name."""
    for name in names:
        if getattr(arguments, name) not in (None, False, (), []):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(problem.format(option), hint=hint.format(option))


def mistake(message: str, parser: argparse.ArgumentParser) -> tuple[str, str]:
    """Return an argparse error in plain words, with a suggestion (empty: none)."""
    from tsgkit.lexicon import meant

    if match := UNKNOWN.fullmatch(message):
        words = match[1].split()
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if option is None:
            return f"unexpected: {' '.join(words)}", ""
        known = {name for verb in _parsers(parser) for name in verb._option_string_actions if len(name) > 2}
        near = meant(option, sorted(known))
        return f"there is no option {option}", near if near.endswith("?") else ""
    if match := REQUIRED.fullmatch(message):
        verbs = next((action for action in parser._actions if isinstance(action, argparse._SubParsersAction)), None)
        return f"missing: {match[1]}", f"choose from {', '.join(verbs.choices)}" if verbs and verbs.required else ""
    if match := CHOICE.fullmatch(message):
        choice, choices = match[2][1:-1], [word.strip().strip("'\"") for word in match[3].split(",")]
        lacking = f"{match[1]}: there is no" if match[1].startswith("-") else f"there is no {match[1].lower()}"
        return f"{lacking} {choice}", meant(choice, choices)
    if match := OPTION.fullmatch(message):
        value = VALUE.fullmatch(match[2])
        problem = LACKS.get(match[2], match[2]) if value is None else f"{value[2]} is no {NUMBERS[value[1]]}"
        return f"{match[1]}: {problem}", ""
    return message, ""


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of its verbs."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from _parsers(verb)
