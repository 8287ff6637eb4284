"""The command line: a thin layer over functions that a notebook can call.

A command is a module with ``add_arguments(parser)`` and ``run(arguments)``, which returns the exit code: here, in
``suites`` for our suites, or in a package that adds a suite. Only the chosen command's module is imported, so that
``tsgkit --help`` is instant.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from tsgkit.cli import terminal
from tsgkit.cli.parser import Parser
from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import GOOD, INTERRUPTED, OUR_BUG, WRONG_USAGE, Lacking, TsgkitError
from tsgkit.report.plain_text import CODE_FILES
from tsgkit.version import __version__

GROUPS = {
    "evaluate": {
        "eval": "evaluate models on tasks; the same command goes on with an unfinished run",
        "doctor": "try a model and its server: what works, which options to set",
        "images": "paint the images of a task's items with an image model",
        "score": "score replies you collected elsewhere, in two profiles",
        "rescore": "score the stored replies of a run again; no model is called",
        "audit": "find what a benchmark gives away without understanding, and its defects",
        "agree": "measure how far a judge agrees with people or another judge, or two annotators",
    },
    "look": {
        "view": "runs, samples, graphs, images and scenes in the browser, or as one file",
        "report": "tables and figures of runs, by groups, in many formats",
        "compare": "compare runs, or the rows of one, item by item, with tests",
        "samples": "list samples, a line each: what went wrong, where two disagree",
        "explain": "one item of a run: what was sent, read and scored, and why",
        "runs": "list, show and merge runs",
        "export": "a run for other tools: Inspect, Parquet, CSV, JSON lines like lm-eval's",
        "draw": "draw a graph, a narrative or a difference as SVG",
    },
    "clean and make": {
        "check": "lint graphs and datasets: the schema, L, the hands, broken lines",
        "refine": "clean scene graphs, and say why for every change",
        "generate": "turn a story into scene graphs with a model",
        "convert": "write graphs in another format, and say what it cannot carry",
        "make": "new items and training sets, checked by code",
        "agents": "show the graphs of the agents",
    },
    "data": {
        "tasks": "list the tasks: what each asks and needs",
        "prompts": "list the prompts and styles, show the exact prompt of an item",
        "data": "list the published datasets, get them, import a copy",
        "init": "make a project of your own that runs at once",
        "cache": "the replies kept across runs: how many, where; forget them",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
ELSEWHERE = {
    "list": "tsgkit tasks, tsgkit runs list or tsgkit data list",
    "ls": "tsgkit tasks, tsgkit runs list or tsgkit data list",
    "run": "tsgkit eval evaluates a model; tsgkit runs list lists what was run",
    "evaluate": "tsgkit eval",
    "bench": "tsgkit eval",
    "benchmark": "tsgkit eval",
    "test": "tsgkit eval",
    "show": "tsgkit report RUN, tsgkit samples RUN, or tsgkit explain RUN --item ID for one item",
    "leaderboard": "tsgkit report RUN RUN ..., or tsgkit compare RUN RUN",
    "results": "tsgkit report RUN",
    "diff": "tsgkit compare RUN RUN; tsgkit draw A --against B for graphs",
    "logs": "tsgkit runs list",
    "log": "tsgkit runs list",
    "models": "any name of LiteLLM is a model; tsgkit doctor PROVIDER/NAME tries it",
    "lint": "tsgkit check FILE",
    "validate": "tsgkit check FILE",
    "clean": "tsgkit refine FILE -o OUT",
    "download": "tsgkit data get NAME",
    "new": "tsgkit init DIR",
    "create": "tsgkit init DIR",
    "resume": "tsgkit eval with the same words goes on with a run",
    "retry": "tsgkit eval with the same words asks again what failed",
    "version": "tsgkit --version",
}
"""Verbs of other tools, and the commands that replace them."""
START = """\
tsgkit {version}: scene graphs from any model, read, checked and compared

evaluate                 tsgkit eval
  a model                tsgkit eval --model openai/gpt-4o --limit 20
  several ways of asking tsgkit eval --model openai/gpt-4o --style cot,few-shot
see what went wrong      tsgkit view, or tsgkit samples RUN --wrong
clean scene graphs       tsgkit refine graphs.jsonl -o clean.jsonl
turn a story into graphs tsgkit generate story.txt --model openai/gpt-4o -o FILE
begin a project          tsgkit init my-project

The first needs no key and no network. tsgkit tasks lists what can be asked,
tsgkit --help all commands."""
CODE = "--code"
MORE = (
    "tsgkit COMMAND --help says more about each.",
    "--code FILE, with any command, loads tasks, solvers, metrics and styles of yours.",
)
EXIT_CODES = """exit codes: 0 good; 1 finished, but errors were found; 2 wrong usage or an unreadable file;
3 a gate was missed; 4 a budget was reached; 5 a batch is pending; 70 a bug in tsgkit; 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is its exit code."""
    if sys.stdout is None or sys.stderr is None:
        terminal.fill_closed_streams()
        complain("standard output or standard error is closed", "redirect it: >/dev/null, 2>/dev/null")
        return WRONG_USAGE
    for name in os.environ:  # LangChain's libraries would post graphs and prompts to a service
        if name.startswith(("LANGCHAIN_", "LANGSMITH_")) and ("TRACING" in name or "OTEL" in name):
            os.environ[name] = "false"
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else it reads what every installed package declares
    usual, notes = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:  # noqa: ANN401
        # What a saved run lacks here is printed as a note, once, instead of as Python's warning.
        if not issubclass(category, Lacking):
            usual(message, category, *where, **more)
        elif str(message) not in notes:
            notes.add(str(message))
            complain(f"note: {inert(str(message))}")

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", Lacking)
            warnings.showwarning = show
            code = _run(sys.argv[1:] if argv is None else list(argv))
        terminal.flush()
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away, as in `tsgkit check ... | head`
        terminal.let_go_of_stdout()
        return GOOD
    except TsgkitError as error:
        complain(str(error), error.hint)
        return error.exit_code
    except OSError as error:  # the system refuses something: a name too long, a folder that is gone
        if os.environ.get("TSGKIT_DEBUG"):
            raise
        place = f"{error.filename}: " if error.filename else ""
        try:
            Path.cwd()
        except OSError:
            place = place or "the working folder is gone: "
        complain(f"{place}{error.strerror or type(error).__name__}")
        return WRONG_USAGE
    except Exception as error:
        if os.environ.get("TSGKIT_DEBUG"):
            raise
        complain(f"a bug in tsgkit: {type(error).__name__}: {error}", "set TSGKIT_DEBUG=1 to see where, and report it")
        return OUR_BUG
    return code


def _run(words: list[str]) -> int:
    files, arguments = list[str](), iter(words)
    words = []
    for word in arguments:  # --code FILE may stand anywhere
        if word == CODE:
            files.append(next(arguments, ""))
        elif word.startswith(f"{CODE}="):
            files.append(word.partition("=")[2])
        else:
            words.append(word)
    CODE_FILES.set(())
    if files:
        from tsgkit.llm.user_code import load_file

        for file in files:
            load_file(file)
        CODE_FILES.set(tuple(files))
    if not words:
        say(START.format(version=__version__))
        return GOOD
    if words[0] == "help":
        words = [*words[1:2], "--help"]
    try:
        name = words[0] if words[0] in COMMANDS else _chosen(words[0])
        chosen = parser_of(name).parse_args(words[1:])
    except SystemExit as stop:  # argparse has said what is wrong, or shown the help
        return int(stop.code or 0)
    if getattr(chosen, "mapping", None):
        from tsgkit.cli.options import name_mapping

        name_mapping(chosen)
    from tsgkit.library.downloads import Watch, watched

    progress = terminal.DownloadProgress()
    with watched(Watch(complain, progress)):
        try:
            code: int = module_of(name).run(chosen)
        finally:
            progress.end()
    return code


def parser_of(command: str) -> Parser:
    """Return the parser of a command, its verbs included."""
    module = module_of(command)
    parser = Parser(
        prog=f"tsgkit {command}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXIT_CODES,
    )
    module.add_arguments(parser)
    return parser


def _chosen(word: str) -> str:
    """Return the command that a word names. For any other word print an error with a suggestion, or the help."""
    known = commands()
    if word in known:
        return word
    if not word.startswith("-"):
        from tsgkit.lexicon import nearest

        near = "" if word in ELSEWHERE else next((command.name for command in nearest(word, known, limit=1)), "")
        hint = ELSEWHERE.get(word) or (f"{near}?" if near else "tsgkit --help lists the commands")
        complain(f"there is no command {word}", hint)
        raise SystemExit(WRONG_USAGE)
    width = max(map(len, known))
    of_suites = {name: summary for name, summary in known.items() if name not in COMMANDS}
    lines: list[str] = []
    for title, group in (GROUPS | {"suites": of_suites}).items():
        lines += [f"{title}:", *(f"  {name:<{width}}  {summary}" for name, summary in group.items()), ""]
    parser = Parser(
        prog="tsgkit",
        usage="tsgkit COMMAND ... | --help | --version",
        description="Scene graphs from any model: read, checked and compared.",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=terminal.columns() - 2),
        epilog="\n".join([*lines, *MORE, EXIT_CODES]),
    )
    parser.add_argument("--version", action="version", version=f"tsgkit {__version__}")
    parser.parse_args([word])
    raise SystemExit(WRONG_USAGE)


def commands() -> dict[str, str]:
    """Return what each command does, those of suites at the end."""
    from tsgkit.cli import suites

    return COMMANDS | {name: command.summary for name, command in suites.commands().items()} | COMMANDS


def module_of(command: str) -> Any:  # noqa: ANN401  (a module)
    """Return the module of a command; a suite cannot replace one of ours."""
    if command in COMMANDS:
        return import_module(f"tsgkit.cli.{command}")
    from tsgkit.cli import suites

    return import_module(suites.commands()[command].module)
