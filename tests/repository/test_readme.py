"""What the README and the pages in docs show is what happens: their commands are run, their Python is executed, the
README's folders exist."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from tsgkit.cli import main
from tsgkit.library.documents.formats import FORMATS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))}
CONSOLES = [console for page in PAGES.values() for console in re.findall(r"```console\n(.*?)```", page, re.DOTALL)]
COMMAND = re.compile(r"^\$ tsgkit (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHOWN = [shown for console in CONSOLES if (shown := COMMAND.findall(console))]
"""The commands of each console with their output; those of one follow each other."""


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A working folder that sees the repository's tasks and keeps what is written to itself."""
    (tmp_path / "tasks").symlink_to(ROOT / "tasks")
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_commands_to_run() -> None:
    assert sum(map(len, SHOWN)) >= 6


@pytest.mark.parametrize("commands", SHOWN, ids=[shown[0][0] for shown in SHOWN])
def test_commands_print_what_pages_show(
    commands: list[tuple[str, str]], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, output in commands:
        assert main(shlex.split(command)) in (0, 1)
        assert capsys.readouterr().out == output


@pytest.mark.usefixtures("nothing_else_given")
@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "\n>>> " in text])
def test_the_python_shown_gives_the_results_shown(page: str, root: Path) -> None:
    [path] = [path for path in (ROOT / page, ROOT / "docs" / page) if path.is_file()]
    results = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert results.attempted >= 8
    assert results.failed == 0


def test_the_folders_named_exist() -> None:
    folders = re.findall(r"^\| `([\w/]+?)/?` \|", README, re.MULTILINE)
    named = [folder for folder in folders if folder not in FORMATS]
    assert len(named) >= 9
    assert all((ROOT / folder).is_dir() for folder in named)


def test_every_format_is_in_the_table() -> None:
    for format in FORMATS.values():
        ways = f"{'yes' if format.reads else ''} | {'yes' if format.writes else ''}"
        assert f"| `{format.name}` | {ways} | {format.meaning} |" in README


def test_make_help_lists_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test", "test-all", "check", "fix", "fuzz", "bench"):
        assert re.search(rf"^{target}:.*## \S", makefile, re.MULTILINE), target
