"""The command line: a thin skin over functions that a notebook can call.

A command is a module, here or in the ``commands`` of a suite, with ``add_arguments(parser)`` and ``run(arguments)``,
which returns the exit code. Only the chosen command's module is imported, so that ``tsgkit --help`` is instant.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tsgkit.cli.terminal import complain, fill_closed_streams, flush, let_go_of_stdout, say
from tsgkit.errors import GOOD, INTERRUPTED, OUR_BUG, WRONG_USAGE, TsgkitError
from tsgkit.version import __version__

COMMANDS = {
    "check": "lint graphs and datasets: the schema, L, the hands, broken lines",
    "convert": "write graphs in another format, and say what it cannot carry",
    "score": "score replies you collected elsewhere, in two profiles",
    "eval": "evaluate models on tasks; the same command goes on with an unfinished run",
    "audit": "how much of a benchmark can be answered without understanding, and what is wrong with it",
    "agree": "how far a judge agrees with people, with another judge, with itself",
    "report": "tables of runs, by groups, beside the published ones, in many formats",
    "refine": "clean scene graphs: exact repairs, and a model for what is left; says why for every change",
    "generate": "turn a story into scene graphs with a model",
    "agents": "show the graphs of the agents",
    "make": "new items and training sets, checked by code; goes on where it was stopped",
    "images": "pictures of a task's items from an image model; goes on where it was stopped",
    "rescore": "judge the stored replies of a run again; no model is called",
    "runs": "list the runs there are, show one",
    "compare": "compare runs, or the rows of one, item by item: differences, how sure, a grid of styles",
    "cache": "the replies kept across runs: how many, where; forget them",
    "init": "make a project of your own that runs at once",
    "explain": "one item of a run: what was sent, read and scored, and why",
    "prompts": "list the tasks and styles, show the exact prompt of an item",
    "data": "the published datasets: list them, get them, import a copy",
    "draw": "draw a graph, a narrative or a difference as SVG",
}
CODE = "--code"
MORE = (
    "tsgkit COMMAND --help says more about each.",
    "--code FILE, with any command: load tasks, solvers, metrics and styles of yours from a Python file",
)
EXIT_CODES = """exit codes: 0 good; 1 finished, but errors were found; 2 wrong usage or an unreadable file;
3 a gate was missed; 4 a budget was reached; 70 a bug in tsgkit; 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is its exit code."""
    if sys.stdout is None or sys.stderr is None:
        fill_closed_streams()
        complain("standard output or standard error is closed", "redirect it: >/dev/null, 2>/dev/null")
        return WRONG_USAGE
    _trace_nothing()
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        flush()
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away, as in `tsgkit check ... | head`
        let_go_of_stdout()
        return GOOD
    except TsgkitError as error:
        complain(str(error), error.hint)
        return error.exit_code
    except OSError as error:  # the system refuses something: a name too long, a folder that is gone
        if os.environ.get("TSGKIT_DEBUG"):
            raise
        named = f"{error.filename}: " if error.filename else "" if _is_somewhere() else "the working folder is gone: "
        complain(f"{named}{error.strerror or type(error).__name__}")
        return WRONG_USAGE
    except Exception as error:
        if os.environ.get("TSGKIT_DEBUG"):
            raise
        complain(f"a bug in tsgkit: {type(error).__name__}: {error}", "set TSGKIT_DEBUG=1 to see where, and report it")
        return OUR_BUG
    return code


def _trace_nothing() -> None:
    """Switch off what would have LangChain's libraries post graphs and prompts to a service."""
    for name in os.environ:
        if name.startswith(("LANGCHAIN_", "LANGSMITH_")) and ("TRACING" in name or "OTEL" in name):
            os.environ[name] = "false"


def _is_somewhere() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _run(words: list[str]) -> int:
    words = _with_code(words)
    if not words or words == ["help"]:
        _parser().print_help()
        return GOOD
    try:
        command = module_of(words[0] if words[0] in COMMANDS else _chosen(words[0]))
        own = _Parser(
            prog=f"tsgkit {words[0]}",
            description=command.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=EXIT_CODES,
        )
        command.add_arguments(own)
        chosen = own.parse_args(words[1:])
    except SystemExit as stop:  # argparse has said what is wrong, or shown the help
        return int(stop.code or 0)
    code: int = command.run(chosen)
    return code


def _with_code(words: list[str]) -> list[str]:
    """Load the files that ``--code FILE`` names, wherever it stands, and return the other words."""
    if not any(word == CODE or word.startswith(f"{CODE}=") for word in words):
        return words
    from tsgkit.llm.own_code import load_file

    left: list[str] = []
    places = iter(words)
    for word in places:
        if word == CODE:
            load_file(next(places, ""))
        elif word.startswith(f"{CODE}="):
            load_file(word.partition("=")[2])
        else:
            left.append(word)
    return left


def _chosen(word: str) -> str:
    """The command that a word names; argparse says what is wrong with any other, and shows the help."""
    parser = _parser()
    arguments, rest = parser.parse_known_args([word])
    if arguments.command is None or rest:
        parser.error(f"no such option: {word}")
    command: str = arguments.command
    return command


class _Parser(argparse.ArgumentParser):
    """A parser whose help is output like any other: it is an error where that cannot be written."""

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401  (a stream, or none)
        if file is sys.stdout and message:
            say(message.removesuffix("\n"))
        else:
            super()._print_message(message, file)


def commands() -> dict[str, str]:
    """Return what each command does, those of suites at the end."""
    from tsgkit.suites.suite import suites

    return COMMANDS | {name: one.summary for suite in suites() for name, one in suite.commands.items()}


def module_of(command: str) -> Any:  # noqa: ANN401  (a module)
    """Return the module of a command; one of ours is never replaced by a suite's."""
    if command in COMMANDS:
        return import_module(f"tsgkit.cli.{command}")
    from tsgkit.suites.suite import suites

    return next(import_module(suite.commands[command].module) for suite in suites() if command in suite.commands)


def _parser() -> argparse.ArgumentParser:
    known = commands()
    width = max(map(len, known))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in known.items()]
    parser = _Parser(
        prog="tsgkit",
        usage="tsgkit COMMAND ... | --help | --version",
        description="Scene graphs from any model: read, checked and compared.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["commands:", *lines, "", *MORE, EXIT_CODES]),
    )
    parser.add_argument("--version", action="version", version=f"tsgkit {__version__}")
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="one of the commands below", type=_command)
    return parser


def _command(name: str) -> str:
    if name in COMMANDS or name in (known := commands()):
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    raise argparse.ArgumentTypeError(f"no such command: {name}" + (f"; {near[0]}?" if near else ""))
