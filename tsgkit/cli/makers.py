"""New benchmark items from Python: the makers of ``tsgkit make``, with their options as arguments.

>>> import tempfile
>>> made = make("formalimg", Path(tempfile.mkdtemp()) / "items.jsonl", k=2, n=3)
>>> made.complete, made.summary["items"], made.path.read_text().count("\\n")
(True, 3, 3)
"""

from __future__ import annotations

import argparse
import io
import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tsgkit.cli.suites import makers
from tsgkit.errors import GOOD, UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.user_models import registered_name
from tsgkit.report.plain_text import OUTPUT


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
    said = io.StringIO()

    def work() -> None:
        try:
            OUTPUT.set(said)
            done.set_result(module.run(arguments))
        except BaseException as error:  # noqa: BLE001  (raised by whoever waits)
            done.set_exception(error)

    threading.Thread(target=work, daemon=True, name="tsgkit-make").start()  # free of a running event loop
    code = done.result()
    return MadeItems(Path(output), json.loads(said.getvalue() or "{}") if "--json" in flags else {}, code)


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
            told = [f"{key}={one}" for key, one in value.items()] if isinstance(value, Mapping) else value
            for one in told if isinstance(told, (list, tuple)) else [told]:
                yield from (*option, registered_name(one) if name == "model" and not isinstance(one, str) else str(one))
