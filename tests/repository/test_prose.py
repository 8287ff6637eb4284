"""The measurable part of plain English: openings of docstrings, words to avoid, module names, error messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = sorted(
    path
    for folder in ("tsgkit", "tests", "eval/bench", "examples")
    for path in (ROOT / folder).rglob("*.py")
    if "_bundled" not in path.parts
)
PACKAGE = [path for path in CODE if path.is_relative_to(ROOT / "tsgkit")]
PAGES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "tasks/**/*.md", "tasks/**/*.yaml", "prompts/**/*.md")
    for path in sorted(ROOT.glob(pattern))
]
OPENING = re.compile(r"\W*(?:what|which|whether|how|that|those|who|whose|where|when|why)\b", re.IGNORECASE)
OPENING_SHARE = 0.02
AVOIDED = re.compile(r"\b(?:is told|are told|comes? home|nobody|to be had)\b", re.IGNORECASE)
FIELD_NOUNS = {
    "drawing",  # the package of drawings
    "grounding",  # of formulas, in logic
    "knolling",  # the arrangement of objects, and the task called after it
    "lifting",  # of formulas, in logic
    "matching",  # of names
    "pairing",  # of two systems on the same items
    "pooling",  # of samples into a corpus value
    "reading",  # the package of readers of graphs; "read" is the word for text to answer
    "reasoning",  # of a model, beside its answer
    "rendering",  # of surfaces
    "resampling",  # in statistics
    "folding",  # of names, as of letter case
    "sampling",  # of points
    "shading",  # of surfaces
    "scoring",
    "spelling",
    "tracing",  # of LangGraph, by LangSmith
}
"""Module names in -ing that are nouns of their field."""
SENT_TO_MODELS = {" is told by nothing and goes."}
"""Texts in worked examples for models: part of a run's identity, so they stay as they are."""
PARTICIPLE = re.compile(r"(?:^|_)\w+(?:ing|ed)$")
HINTED_SHARE = 0.75
BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module, without looking into expressions."""
    left: list[ast.AST] = [tree_of(path)]
    while left:
        node = left.pop()
        left += [one for one in ast.iter_child_nodes(node) if isinstance(one, BLOCKS)]
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "lineno", 1), text


def test_docstrings_hardly_open_with_question_words() -> None:
    texts = [(path, line, text) for path in CODE for line, text in docstrings(path)]
    opened = [f"{path}:{line}: {text[:60]}" for path, line, text in texts if OPENING.match(text)]
    assert len(texts) > 1000
    assert len(opened) <= OPENING_SHARE * len(texts), "\n".join(opened)


def test_messages_docstrings_pages_and_cards_avoid_riddles() -> None:
    found = [
        f"{path}:{node.lineno}: {node.value[:80]}"
        for path in PACKAGE
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and AVOIDED.search(node.value)
        if node.value not in SENT_TO_MODELS
    ]
    for path in PAGES:
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        found += [f"{path}:{number}: {line}" for number, line in lines if AVOIDED.search(line)]
    assert not found, "\n".join(found)


def test_module_names_are_nouns() -> None:
    names = {path.stem for path in PACKAGE} | {path.parent.name for path in PACKAGE}
    assert {name for name in names if PARTICIPLE.search(name)} <= FIELD_NOUNS
    assert names >= FIELD_NOUNS, "an exception that is not needed"


def test_error_messages_do_not_shout_and_usage_errors_name_the_next_step() -> None:
    """A hint may be missing where the message names what is allowed; most errors have one."""
    hinted = []
    for path in PACKAGE:
        for call in ast.walk(tree_of(path)):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if call.func.id.endswith(("Error", "Problem")):
                texts = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant)]
                assert not any(isinstance(text, str) and re.search(r"\w!", text) for text in texts), (path, texts)
            if call.func.id == "UsageError":
                hinted.append(any(keyword.arg == "hint" for keyword in call.keywords))
    assert sum(hinted) >= HINTED_SHARE * len(hinted)
