"""Every regular expression of the package takes a time in proportion to the text, whatever the text is."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import resource
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tsgkit

SIZE, PARTS, MOST_SECONDS = 100_000, 20, 60
"""Characters of a text, in how many parts it is divided, and processor time for all texts."""
RUNS = (*" \na0-_[<", "a ", "a.", "a, ", " \n", "[ ")
METHODS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "split"}
parser, compiler = (importlib.import_module(f"re._{name}") for name in ("parser", "compiler"))


def near_match(tree: Any, repeats: int) -> str:  # noqa: ANN401  (a parsed pattern)
    """Return a text that a pattern matches but for its assertions, with its optional parts or without."""
    text = ""
    for node in tree:
        kind, value = str(node[0]), node[1]
        if kind.endswith("REPEAT"):
            text += near_match(value[2], repeats) * max(value[0], repeats)
        elif kind in ("SUBPATTERN", "ATOMIC_GROUP", "BRANCH"):
            inner = value if kind == "ATOMIC_GROUP" else value[-1]
            text += near_match(inner[repeats - 1] if kind == "BRANCH" else inner, repeats)
        elif kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            one = compiler.compile(parser.SubPattern(tree.state, [node]))
            drawn = map(chr, (value,) if kind == "LITERAL" else (*b" a0_.", *range(33, 0x250), 0x4E00))
            text += next(filter(one.match, drawn), "?")
    return text


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Return beginnings of texts and what is repeated behind them: all prefixes of what the pattern nearly matches."""
    yield from (("", run) for run in RUNS)
    for near in {near_match(parser.parse(pattern.pattern, pattern.flags), repeats) for repeats in (0, 1)}:
        for end in range(1, min(len(near), 24) + 1):
            yield from (("", near[:end]), (near[:end], near[end - 1]), (near[:end], " "))


def patterns() -> dict[re.Pattern[Any], tuple[str, set[str]]]:
    """Return the patterns of all modules and of their tables, and those written out in functions, with their uses."""
    found: dict[re.Pattern[Any], tuple[str, set[str]]] = {}
    for info in pkgutil.walk_packages(tsgkit.__path__, "tsgkit."):
        if info.name.endswith(("__main__", "inspect_tasks")) or "_bundled" in info.name:
            continue
        module = importlib.import_module(info.name)
        used: dict[str, set[str]] = {}
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
            if isinstance(node, ast.Attribute):
                used.setdefault(ast.unparse(node.value).partition("[")[0], set()).add(node.attr)
            elif (
                isinstance(node, ast.Call) and ast.unparse(node)[:3] == "re." and isinstance(node.args[0], ast.Constant)
            ):
                flags = {getattr(re, flag) for flag in re.findall(r"re\.([A-Z]+)", ast.unparse(node))}
                pattern = re.compile(ast.literal_eval(node.args[0]), sum(flags))
                found.setdefault(pattern, (f"{info.name}:{node.lineno}", {ast.unparse(node.func)[3:]}))
        for name, value in vars(module).items():
            table = value if isinstance(value, tuple | list | frozenset) else ()
            for part in (value, *table, *(value.values() if isinstance(value, dict) else ())):
                if isinstance(part, re.Pattern):
                    found.setdefault(part, (f"{info.name}.{name}", set()))[1].update(used.get(name, ()))
    return found


def seconds(pattern: re.Pattern[Any], method: str, text: str, limit: float) -> float:
    """Return the processor time for a text; that of one that is stopped is the limit."""
    arguments = ["", text][method != "sub" :]
    before = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        result = getattr(pattern, method)(*(x.encode() if isinstance(pattern.pattern, bytes) else x for x in arguments))
        deque(result if method == "finditer" else (), 0)
    except TimeoutError:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - before


def stop(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    signal.signal(signal.SIGVTALRM, stop)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    for pattern, (place, methods) in patterns().items():
        for method in methods & METHODS or {"search"}:
            for begun, run in hostile_texts(pattern):
                part = f"{begun}{run * (SIZE // PARTS // len(run))}!"
                limit = seconds(pattern, method, part, MOST_SECONDS) * 3 * PARTS
                whole = f"{begun}{run * (SIZE // len(run))}!" if limit > 0.15 else ""
                if whole and seconds(pattern, method, whole, limit) >= limit:
                    print(f"{place}: {method} takes too long: {whole[:30]!r}...", flush=True)
                    break


def test_every_pattern_is_linear_in_every_text() -> None:
    child = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, check=False)
    assert (child.stdout, child.stderr, child.returncode) == ("", "", 0)
