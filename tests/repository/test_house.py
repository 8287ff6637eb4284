"""The house keeps its order: imports run downwards, declarations hold no code, and the English is plain."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import networkx
import pytest

import tsgkit
from tsgkit.report.exports.columns import TABLES
from tsgkit.suites.suite import OURS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tsgkit"
LEVELS = (
    *("defaults errors registry version", "lexicon", "replies", "browser graph logic geometry", "user_folders"),
    *("scoring library", "llm", "suites", "agents", "runs", "report", "interface", "serve", "cli"),
)
LEVEL = {room: height for height, rooms in enumerate(LEVELS) for room in rooms.split()}
HOMES = {
    "nltk": {"lexicon", "scoring"},
    "rapidfuzz": {"lexicon"},
    "langgraph": {"agents"},
    "ortools": {"logic"},
    "trimesh": {"geometry"},
    "matplotlib": {"report"},
    "inspect_ai": {"interface", "report", "suites"},
    "pyarrow": {"library", "report"},
    "ray": {"runs"},
    "xllamacpp": {"llm"},
    **{key: {"llm"} for key in ("litellm", "aiohttp", "opentelemetry")},
    **{key: {"library"} for key in ("yaml", "huggingface_hub")},
    **{key: {"serve"} for key in ("starlette", "uvicorn", "anywidget", "traitlets")},
    **{key: set(LEVEL) for key in ("networkx", "langchain_core")},
}
PLUGINS = {"tsgkit/interface/inspect_tasks.py": "inspect_ai"}
"""Modules that only the library loads which they plug into, by an entry point."""
PURE = ("lexicon", "replies", "graph", "logic", "geometry", "scoring")
OUTSIDE = {"os", "socket", "time", "subprocess", "urllib", "http", "tempfile", "shutil", "datetime", "asyncio"}
CODE = sorted(
    path
    for folder in ("tsgkit", "tests", "eval/bench", "examples")
    for path in (ROOT / folder).rglob("*.py")
    if "_bundled" not in path.parts
)
PAGES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "tasks/**/*.md", "tasks/**/*.yaml", "prompts/**/*.md")
    for path in sorted(ROOT.glob(pattern))
]
OPENING = re.compile(r"\W*(?:what|which|whether|how|that|those|who|whose|where|when|why)\b", re.IGNORECASE)
OPENING_SHARE = 0.02
AVOIDED = re.compile(r"\b(?:is told|are told|comes? home|nobody|to be had)\b", re.IGNORECASE)
FIELD_NOUNS = {
    *("drawing", "reading"),  # the packages of drawings, and of readers of graphs
    "grounding",  # of formulas, in logic
    "knolling",  # the arrangement of objects, and the task called after it
    *("matching", "folding"),  # of names
    *("pooling", "scoring"),  # of systems, samples and scores, in statistics
    "reasoning",  # of a model, beside its answer
    "rendering",  # of surfaces
    # of LangGraph, by LangSmith
}
"""Module names in -ing that are nouns of their field."""
SENT_TO_MODELS = {" is told by nothing and goes."}
"""Texts in worked examples for models: part of a run's identity, so they stay as they are."""
PARTICIPLE = re.compile(r"(?:^|_)\w+(?:ing|ed)$")
HINTED_SHARE = 0.75
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_bundled" not in path.parts)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


class Source(NamedTuple):
    """The parts of a module that its place in the house is told by."""

    imports: list[tuple[ast.stmt, str]]
    at_once: set[int]
    """The lines on which something is imported with the module."""
    strings: list[ast.Constant]
    calls: list[tuple[ast.Call, str]]
    docstrings: list[tuple[int, str]]


@cache
def source_of(path: Path) -> Source:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    source = Source([], {node.lineno for node in tree.body}, [], [], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            source.imports.extend((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import on line {node.lineno}"
            source.imports.append((node, node.module or ""))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            source.strings.append(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            source.calls.append((node, node.func.id))
        elif isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            source.docstrings.append((getattr(node, "lineno", 1), text))
    return source


def test_imports_run_downwards_and_siblings_never_import_each_other() -> None:
    """Imports inside functions count, and so do modules named in a string."""
    assert {room_of(path) for path in modules()} - {"__init__", "__main__"} <= set(LEVEL)
    upwards = [
        (name_of(path), name)
        for path in modules()
        if (room := room_of(path)) in LEVEL
        for name in modules_named(path)
        if (other := name.split(".")[1]) in LEVEL and other != room and LEVEL[other] >= LEVEL[room]
    ]
    assert upwards == []
    importers = {room_of(path) for path in modules() for _, name in source_of(path).imports if name == "tsgkit"}
    assert importers == {"__init__"}, "the public names of tsgkit are for its users"


def modules_named(path: Path) -> set[str]:
    """Return the dotted names in tsgkit that a module imports, or has in a string that is no group of entry points."""
    source = source_of(path)
    groups = [word.value for call, name in source.calls if name == "entry_points" for word in call.keywords]
    texts = [str(text.value) for text in source.strings if text not in groups]
    named = {one for node, name in source.imports for one in names_of(node, name) if one.startswith("tsgkit.")}
    return named.union(*(re.findall(r"\btsgkit(?:\.\w+)+", text) for text in texts))


def names_of(node: ast.stmt, name: str) -> list[str]:
    """Return what one import statement brings from a module, as dotted names."""
    return [f"{name}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else [name]


def test_only_a_suites_folder_and_its_commands_name_the_suite() -> None:
    def suite_of(name: str) -> str:
        package = ".".join(name.replace("tsgkit.cli.suites.", "tsgkit.suites.").split(".")[:3])
        return package if package in OURS else ""

    for path in modules():
        foreign = {suite_of(name) for name in modules_named(path)} - {"", suite_of(name_of(path))}
        assert foreign == (set(OURS) if name_of(path) in ("tsgkit.suites.suite", "tsgkit.cli.suites") else set()), path


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions and those for types alone count: a circle is no order, whenever it closes."""
    names = {name_of(path): path for path in modules()}
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for name, path in names.items():
        for node, module in source_of(path).imports:
            graph.add_edges_from((name, one if one in names else module) for one in names_of(node, module))
    circles = [sorted(found) for found in networkx.strongly_connected_components(graph) if len(found) > 1]
    assert circles == []
    assert list(networkx.selfloop_edges(graph)) == []


def test_heavy_libraries_live_in_their_rooms_and_load_when_used_and_pure_rooms_reach_nothing_outside() -> None:
    for path in modules():
        is_plugin_of = PLUGINS.get(path.relative_to(ROOT).as_posix())
        for node, name in source_of(path).imports:
            if (library := name.split(".")[0]) in HOMES:
                assert room_of(path) in HOMES[library], f"{path}: {library} in {room_of(path)}"
                early = node.lineno in source_of(path).at_once and library != is_plugin_of
                assert not early, f"{path}:{node.lineno}: {library} is imported before it is used"
        if room_of(path) in PURE:
            assert not {name.split(".")[0] for _, name in source_of(path).imports} & OUTSIDE, path
            assert not {name for _, name in source_of(path).calls} & {"open", "print", "input", "eval", "exec"}, path


def test_declarations_hold_no_code() -> None:
    for folder in ("tasks", "prompts", "eval/plans", "eval/reference"):
        assert (ROOT / folder).is_dir() and not list((ROOT / folder).rglob("*.py")), folder
    assert not (ROOT / "eval" / "__init__.py").exists()


def test_public_names_are_what_all_says_and_importing_tsgkit_imports_none_of_its_rooms() -> None:
    shown = {name for name in dir(tsgkit) if not name.startswith("_")}
    assert shown == set(tsgkit.__all__)
    assert all(getattr(tsgkit, name) is not None for name in tsgkit.__all__)
    declared = re.findall(r"^    from tsgkit\.\S+ import (\w+) as \1$", (PACKAGE / "__init__.py").read_text(), re.M)
    assert sorted(declared) == sorted(tsgkit.__all__)
    with pytest.raises(AttributeError, match="tsgkit has no 'nothing'"):
        _ = tsgkit.nothing
    code = "import sys, tsgkit; print([m for m in sys.modules if m.startswith('tsgkit.')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "['tsgkit.registry']\n", "the table in which it registers parts, and nothing else"


def test_dependencies_and_extras_have_one_wording_are_pinned_and_say_why_they_are_there() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{tsgkit.__version__}"\n' in project
    assert f"## {tsgkit.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    for line in pinned.splitlines():
        assert re.fullmatch(r"[a-z0-9._-]+==[a-z0-9.]+", line), line
    lines = [line for line in project.splitlines() if re.match(r'    "[a-z-]+(?:[>=].*)?",', line)]
    assert len(lines) >= 10
    for line in lines:
        assert re.search(r" # \w.{15,}", line), line
        assert f"{re.split('[^a-z-]', line.strip().strip(chr(34)))[0]}==" in pinned, line
    own = {path.name for path in modules() if 'pip install "tsgkit[' in path.read_text(encoding="utf-8")}
    assert own <= {"errors.py", "make.py"}, "others raise ExtraMissing (make.py tells of its extra in its help)"
    for path in PLUGINS:
        module = path.removesuffix(".py").replace("/", ".")
        assert f'= "{module}"' in project
        assert not [one for one in modules() for _, name in source_of(one).imports if name.startswith(module)]


def test_the_manual_lists_every_column_of_exported_tables() -> None:
    documented: dict[str, list[tuple[str, ...]]] = {}
    for section in (ROOT / "docs/exporting.md").read_text(encoding="utf-8").split("\n### ")[1:]:
        rows = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.+) \|$", section, re.MULTILINE)
        documented[section.split("\n")[0].lower()] = rows
    for table, columns in TABLES.items():
        meant = [(one.name, str(one.kind), one.meaning) for one in columns]
        assert [*documented["every table"], *documented[table]] == meant


def test_docstrings_hardly_open_with_question_words_names_are_nouns_and_no_text_is_a_riddle() -> None:
    texts = [(path, line, text) for path in CODE for line, text in source_of(path).docstrings]
    opened = [f"{path}:{line}: {text[:60]}" for path, line, text in texts if OPENING.match(text)]
    assert len(texts) > 1000
    assert len(opened) <= OPENING_SHARE * len(texts), "\n".join(opened)
    names = {name for path in modules() for name in (path.stem, path.parent.name)}
    assert {name for name in names if PARTICIPLE.search(name)} <= FIELD_NOUNS
    assert names >= FIELD_NOUNS, "an exception that is not needed"
    found = [
        f"{path}:{node.lineno}: {text[:80]}"
        for path in modules()
        for node in source_of(path).strings
        if AVOIDED.search(text := str(node.value)) and text not in SENT_TO_MODELS
    ]
    for path in PAGES:
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        found += [f"{path}:{number}: {line}" for number, line in lines if AVOIDED.search(line)]
    assert not found, "\n".join(found)


def test_error_messages_do_not_shout_and_usage_errors_name_the_next_step() -> None:
    """A hint may be missing where the message names what is allowed; most errors have one."""
    hinted = []
    for path in modules():
        for call, name in source_of(path).calls:
            if name.endswith(("Error", "Problem")):
                texts = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant)]
                assert not any(isinstance(text, str) and re.search(r"\w!", text) for text in texts), (path, texts)
            if name == "UsageError":
                hinted.append(any(keyword.arg == "hint" for keyword in call.keywords))
    assert sum(hinted) >= HINTED_SHARE * len(hinted)
