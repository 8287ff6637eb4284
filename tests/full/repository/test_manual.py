"""README, manual and examples run and lead somewhere; patterns take a time in proportion to the text."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefork import Prefork

import tsgkit
from tsgkit.cli import main, parser_of
from tsgkit.library.cards import load_card
from tsgkit.library.documents.formats import FORMATS
from tsgkit.suites.panels import SampleView, panels_of
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.scorers import judge_reply
from tsgkit.suites.suite import task_of

ROOT = Path(__file__).resolve().parents[3]
GENERATED = ("docs/reference/commands.md", "docs/reference/python.md")
PAGES = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
}
CONSOLES = [console for page in PAGES.values() for console in re.findall(r"```console\n(.*?)```", page, re.DOTALL)]
COMMAND = re.compile(r"^\$ tsgkit (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHOWN = [shown for console in CONSOLES if (shown := COMMAND.findall(console))]
"""The commands of each console with their output; those of one follow each other."""
WRITTEN = [
    command
    for page in PAGES.values()
    for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    for command in block.replace("\\\n", " ").splitlines()
    if command.startswith("tsgkit ")
]
"""Commands that pages show without their output."""
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.py"))
IN_A_KERNEL = ("first_evaluation", "own_task", "cleaning")
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a working folder that sees the repository's tasks and examples and keeps what is written to itself."""
    for name in ("tasks", "eval", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("commands", SHOWN, ids=[shown[0][0] for shown in SHOWN])
def test_commands_print_what_pages_show(
    commands: list[tuple[str, str]], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, output in commands:
        assert main(shlex.split(command)) in (0, 1)
        assert capsys.readouterr().out == output
    for drawn in root.glob("build/*.svg"):
        image = ROOT / "docs/images" / drawn.name
        assert not image.exists() or image.read_bytes() == drawn.read_bytes(), image


def test_every_image_is_made_by_a_command_and_commands_without_output_have_existing_options() -> None:
    commands = [command for shown in SHOWN for command, _ in shown]
    for image in (ROOT / "docs/images").iterdir():
        assert any(f"build/{image.name}" in command for command in commands), image
    for command in WRITTEN:
        words = shlex.split(re.sub(r"--code \S+ ", "", command), comments=True)[1:]
        assert vars(parser_of(words[0]).parse_args(words[1:])), command


@pytest.mark.usefixtures("nothing_else_given")
@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "\n>>> " in text and name not in GENERATED])
def test_python_on_pages_gives_the_results_shown(page: str, root: Path) -> None:
    results = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert results.attempted >= 3
    assert results.failed == 0


def test_the_suite_on_the_page_about_own_tasks_works_as_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGES["docs/own-task.md"]
    files = re.findall(r"^\*\*`([\w./]+)`\*\*[^`]+```\w+\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert sum(text.count("\n") for _, text in files) <= 120
    for path, text in files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    [[name, place]] = project["entry-points"]["tsgkit.suites"].items()
    (info / "entry_points.txt").write_text(f"[tsgkit.suites]\n{name} = {place}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "--task", name, "--model", "baseline/rules", "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert {one: value["value"] for one, value in result["profiles"]["strict"].items()} == {"accuracy": 1, "axis": 1}
    task = task_of(load_card(f"{name}/opposite"))
    judged = judge_reply(task, task.dataset(None).sample(0), CollectedReply("It is on the **left**."), "zero-shot")
    assert {one: score.value for one, score in judged.scores["strict"].items()} == {"accuracy": 0, "axis": 1}
    [panel] = panels_of(SampleView(task, judged.sample, judged, None, None))
    assert panel.value["rows"] == [["right", "left"]]
    assert main(["audit", "--task", name]) == 0


def test_links_lead_to_files_and_headings_and_index_and_tables_name_everything() -> None:
    links = [(page, link) for page, text in PAGES.items() for link in LINK.findall(text)]
    for page, link in links:
        if re.match(r"https?:", link):
            continue
        place, _, heading = link.partition("#")
        target = ((ROOT / page).parent / place).resolve() if place else ROOT / page
        assert target.exists(), f"{page}: {link}"
        if heading:
            assert heading in anchors_of(target.read_text(encoding="utf-8")), f"{page}: {link}"
    linked = {link.partition("#")[0] for link in LINK.findall(PAGES["docs/index.md"])}
    assert {name.removeprefix("docs/") for name in PAGES if name.startswith("docs/")} - linked == {"index.md"}
    for format in FORMATS.values():
        ways = f"{'yes' if format.reads else ''} | {'yes' if format.writes else ''}"
        assert f"| `{format.name}` | {ways} | {format.meaning} |" in PAGES["docs/file-formats.md"]


def anchors_of(text: str) -> set[str]:
    """Return the anchors that headings get: lower case, without punctuation, hyphens for spaces."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", title.strip().lower())) for title in titles}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions of Python format help texts differently")
def test_reference_pages_are_up_to_date(tmp_path: Path) -> None:
    code = "import generate, json; print(json.dumps({name: page() for name, page in generate.PAGES.items()}))"
    path = os.pathsep.join([str(ROOT / "docs"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    pages = {f"docs/reference/{name}": page for name, page in json.loads(made.stdout).items()}
    for name in GENERATED:
        assert pages[name] == PAGES[name], f"{name} is out of date: make reference"


def test_the_readme_is_short_and_folders_and_targets_that_are_named_exist() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 160
    folders = re.findall(r"^\| `([\w/]+?)/?` \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(folders) >= 9
    assert all((ROOT / folder).is_dir() for folder in folders)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test", "test-all", "check", "fix", "fuzz", "bench"):
        assert re.search(rf"^{target}:.*## \S", makefile, re.MULTILINE), target


@pytest.mark.parametrize("path", [one for one in NOTEBOOKS if one.stem not in IN_A_KERNEL], ids=lambda path: path.stem)
def test_a_notebook_runs_as_a_script(path: Path, tmp_path: Path, commands: Prefork) -> None:
    ran = commands.run(program=str(path), warnings="error", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "") and ran.out


def test_notebooks_run_in_a_kernel_and_show_tables_and_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbclient  # both take seconds to import
    import nbformat

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    sources = list[str]()
    for name in IN_A_KERNEL:
        script = (ROOT / f"examples/notebooks/{name}.py").read_text(encoding="utf-8")
        sources += ["%reset -f", *filter(str.strip, re.split(r"^# %%.*$", script, flags=re.MULTILINE))]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        "".join(kind for one in cell.outputs for kind in one.get("data", ())) or cell.source for cell in notebook.cells
    ]
    for kinds in " ".join(shown).split("%reset -f")[1:]:
        assert "text/html" in kinds or "image/svg+xml" in kinds
    assert not [one for cell in notebook.cells for one in cell.outputs if one.output_type == "error"]


def test_the_run_lines_of_the_dockerfile_install_and_try_what_there_is() -> None:
    """The lines are not run: the check of the wheel installs it in an empty environment and evaluates the rules."""
    docker = (ROOT / "examples/Dockerfile").read_text(encoding="utf-8")
    environment, install, trial = re.findall(r"^RUN (.+)$", docker, re.MULTILINE)
    assert environment == "python -m venv /opt/tsgkit"
    begin, extras = re.fullmatch(r"(.+) '\.\[([\w,]+)\]'", install).groups()  # type: ignore[union-attr]
    assert begin == "/opt/tsgkit/bin/python -m pip install --no-cache-dir --constraint constraints.txt"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert trial.split()[0] == "/opt/tsgkit/bin/tsgkit"
    assert parser_of("eval").parse_args(trial.split()[2:]).limit == 2


SCANNING = ("finditer", "findall", "sub", "split", "search")
SIZE, PARTS, MOST_SECONDS = 100_000, 100, 60
"""Characters of a text, its parts, and processor time for all; a tenth in 12 times a part's is surely in proportion."""
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
                texts = (f"{begun}{run * (size // len(run))}!" for size in (SIZE // PARTS, SIZE // 10, SIZE))
                limit = min(seconds(pattern, method, next(texts), left) * 3 * PARTS, left)
                if limit > 0.1 and all(seconds(pattern, method, next(texts), limit) >= x for x in (limit / 25, limit)):
                    slow.append(f"{place}: {method} takes too long: {(begun + run * 30)[:30]!r}...")
                    break
    signal.signal(signal.SIGVTALRM, previous)
    assert slow == []
