"""Every regular expression of the package takes a time in proportion to the text, whatever the text is."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import time
import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tsgkit

SCANNING = ("finditer", "findall", "sub", "split", "search")
SIZE, PARTS, MOST_SECONDS = 100_000, 100, 60
"""Characters of a text, in how many parts it is divided, and processor time for all texts."""
RUNS = (*" \na0-_[<", "a ", "a.", "a, ", " \n", "[ ")
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
            if isinstance(node, ast.Attribute) and node.attr in (*SCANNING, "match", "fullmatch"):
                used.setdefault(ast.unparse(node.value).partition("[")[0], set()).add(node.attr)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and isinstance(node.args[0], ast.Constant)
            ):
                flags = {getattr(re, flag) for flag in re.findall(r"re\.([A-Z]+)", ast.unparse(node))}
                pattern = re.compile(ast.literal_eval(node.args[0]), sum(flags))
                found.setdefault(pattern, (f"{info.name}:{node.lineno}", {node.func.attr}))
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


def differing(methods: set[str]) -> list[str]:
    """Return one method that scans a whole text, as the others of these do or shorter, and those that do not scan."""
    scanning = [method for method in SCANNING if method in methods][:1]
    return [*scanning, *sorted(methods & {"match", "fullmatch"})] or ["search"]


def test_every_pattern_is_linear_in_every_text() -> None:
    with warnings.catch_warnings(action="ignore"):
        found = patterns()
    began, previous, slow = time.process_time(), signal.signal(signal.SIGVTALRM, stop), list[str]()
    for pattern, (place, methods) in found.items():
        for method in differing(methods):
            for begun, run in hostile_texts(pattern):
                left = MOST_SECONDS - (time.process_time() - began)
                assert left > 0, f"all texts take too long: {slow}"
                part = f"{begun}{run * (SIZE // PARTS // len(run))}!"
                limit = min(seconds(pattern, method, part, left) * 3 * PARTS, left)
                whole = f"{begun}{run * (SIZE // len(run))}!" if limit > 0.1 else ""
                if whole and seconds(pattern, method, whole, limit) >= limit:
                    slow.append(f"{place}: {method} takes too long: {whole[:30]!r}...")
                    break
    signal.signal(signal.SIGVTALRM, previous)
    assert slow == []
