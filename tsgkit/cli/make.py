"""Make new benchmark items, checked by code; items that cannot be proved sound are rejected with the reason.

  tsgkit make formalimg --k 6 --n 20 -o items.jsonl                  sampled, worded by rules: no model
  tsgkit make formalimg --k 6 --n 20 --model openai/gpt-4o -o items.jsonl
  tsgkit make spatialgen --scene Kitchen --count 5 --model openai/gpt-4o -o mine.jsonl
  tsgkit make spatialt2i --from runs/mine --model openai/gpt-4o -o pairs
  tsgkit make tsg stories.jsonl -o mine                                a benchmark from graphs of stories
  tsgkit make repairs --from runs/mine -o repairs.jsonl              the wrong graphs of a run: no model
  tsgkit make sceneeval --items 12 -o annotations.csv                sentence patterns: no model
  tsgkit make sceneeval --items 12 --model openai/gpt-4o --review -o annotations.csv

tsgkit make MAKER --help says more about each. With a model, its calls are kept beside the file, and the same command
goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import io
import json
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from tsgkit.cli.agents import add_force, json_lines, put
from tsgkit.cli.suites import makers
from tsgkit.cli.terminal import complain, count, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.user_code import registered_name
from tsgkit.report.plain_text import OUTPUT

MOST = 100_000
TRIES = 20
"""So many draws for each row that is wanted."""
REPEATED = "drawn before"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One verb for each maker."""
    verbs = parser.add_subparsers(dest="maker", required=True, metavar="MAKER")
    for name, command in makers().items():
        try:
            maker = import_module(command.module)
        except Exception as error:  # noqa: BLE001 - a package fails in every way there is
            problem = f"the maker {name} cannot be loaded from {command.module}: {type(error).__name__}: {error}"
            warnings.warn(problem, RuntimeWarning, stacklevel=2)
            continue
        verb = verbs.add_parser(
            name, help=command.summary, description=maker.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        maker.add_arguments(verb)


def run(arguments: argparse.Namespace) -> int:
    """Let the chosen maker do it."""
    code: int = import_module(makers()[arguments.maker].module).run(arguments)
    return code


@dataclass(frozen=True)
class MadeItems:
    """The output of a maker, and its summary."""

    path: Path
    summary: dict[str, Any]
    code: int

    @property
    def complete(self) -> bool:
        """True if everything was made; else the same call resumes."""
        return self.code == GOOD


def make(maker: str, output: str | Path, **options: Any) -> MadeItems:  # noqa: ANN401  (as the maker has them)
    """Make new benchmark items; ``help(tsgkit.make)`` names no options: ``tsgkit make MAKER --help`` does.

    ``model`` may be a function of messages or a chat model of LangChain.

    >>> import tempfile
    >>> made = make("formalimg", Path(tempfile.mkdtemp()) / "items.jsonl", k=2, n=3)
    >>> made.complete, made.summary["items"], made.path.read_text().count("\\n")
    (True, 3, 3)
    """
    known = makers()
    if maker not in known:
        raise UsageError(f"there is no maker {maker}", hint=meant(maker, sorted(known)))
    module = import_module(known[maker].module)
    parser = argparse.ArgumentParser(exit_on_error=False)
    module.add_arguments(parser)
    flags = [flag for flag in ("--json", "--quiet") if flag in parser._option_string_actions]
    words = ["-o", str(output), *flags, *_words(options, parser)]
    try:
        arguments = parser.parse_args(words)
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from None
    done: Future[int] = Future()
    printed = io.StringIO()

    def work() -> None:
        try:
            OUTPUT.set(printed)
            done.set_result(module.run(arguments))
        except BaseException as error:  # noqa: BLE001  (raised by whoever waits)
            done.set_exception(error)

    threading.Thread(target=work, daemon=True, name="tsgkit-make").start()  # free of a running event loop
    code = done.result()
    return MadeItems(Path(output), json.loads(printed.getvalue() or "{}") if "--json" in flags else {}, code)


def _words(options: Mapping[str, Any], parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield options as they are typed. Raise ``UsageError`` for an unknown one."""
    names = {action.dest: (action.option_strings or [""])[-1] for action in parser._actions}
    for name, value in sorted(options.items(), key=lambda pair: names.get(pair[0], "") != ""):
        if name not in names:
            hint = meant(name, sorted(set(names) - {"help", "json", "quiet"}))
            raise UsageError(f"there is no option {name}", hint=hint)
        option = [names[name]] if names[name] else []
        if value is True:
            yield from option
        elif value not in (None, False):
            values = [f"{key}={text}" for key, text in value.items()] if isinstance(value, Mapping) else value
            for word in values if isinstance(values, (list, tuple)) else [values]:
                is_function = name == "model" and not isinstance(word, str)
                yield from (*option, registered_name(word) if is_function else str(word))


def add_row_options(parser: argparse.ArgumentParser) -> None:
    """The options of a maker that asks no model: with :func:`write_rows` all that its module needs."""
    parser.add_argument("--n", type=int, default=10, metavar="N", help="how many items (default 10)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes other items (default 0)")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="the rows to write, as JSON Lines")
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")


def write_rows(draw: Callable[[Random], Mapping[str, Any] | str], arguments: argparse.Namespace) -> int:
    """Draw rows until there are enough distinct ones, write them with ids, and print what was rejected and why.

    ``draw`` returns one row, or the reason why the draw is invalid.
    """
    if not 1 <= arguments.n <= MOST:
        raise UsageError(f"--n {arguments.n}: from 1 to {MOST:,}")
    chance, refused = Random(arguments.seed), Counter[str]()
    rows: dict[str, Mapping[str, Any]] = {}
    for _ in range(TRIES * arguments.n + TRIES):
        if len(rows) == arguments.n:
            break
        row = draw(chance)
        if isinstance(row, str):
            refused[row] += 1
        elif (text := json.dumps(row)) in rows:
            refused[REPEATED] += 1
        else:
            rows[text] = row
    if rows:
        items = ({"item_id": f"made-{arguments.seed}-{number}", **row} for number, row in enumerate(rows.values()))
        put(json_lines(items), None, arguments)
    if arguments.json:
        say_json({"items": len(rows), "refused": dict(refused)}, ensure_ascii=False)
    else:
        say(f"{count(len(rows), 'item')} made by rules, no model was asked")
        for reason, number in refused.most_common():
            say(f"refused: {inert(reason)} ({number:,})")
        if rows:
            say(f"written: {inert(arguments.out)}")
    if len(rows) == arguments.n:
        return GOOD
    complain(f"only {len(rows):,} of {arguments.n:,} different sound items were found with this seed")
    return FINISHED_WITH_ERRORS
