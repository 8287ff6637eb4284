"""``tsgkit`` typed in the process of the tests: its exit code, what it prints, and what it refuses."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from model_server import Running, model_server

from tsgkit.cli import main


@dataclass(frozen=True)
class Ended:
    """The output of a command that has ended."""

    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  (as JSON has it)
        return json.loads(self.out)


@dataclass(frozen=True)
class CommandLine:
    """Runs commands, each written as in a shell."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, words: str, *more: object, code: int = 0) -> Ended:
        """Return the output of a command that is to end with this exit code."""
        self.capsys.readouterr()
        command = [*shlex.split(words), *map(str, more)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["tsgkit", *command])  # which hints repeat
            ended = main(command)
        out, err = self.capsys.readouterr()
        assert ended == code, f"{words}: {ended}\n{out}{err}"
        assert "Traceback" not in err, words
        return Ended(out, err)

    def refuses(self, messages: Mapping[str, str], prefix: str = "") -> None:
        """Check that each command ends with 2 and its message, prints no result, and leaves all files as they are."""
        before = files()
        for words, message in messages.items():
            ended = self(f"{prefix} {words}", code=2)
            assert message in ended.err, f"{words}: {ended.err}"
            assert ended.out == "", words
            assert files() == before, words


def files() -> dict[str, bytes]:
    """Return the content of every file below the working folder."""
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def write_lines(path: str | Path, *values: object) -> str:
    """Write one line of JSON for each value, and return the path."""
    Path(path).write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


@pytest.fixture
def tsgkit(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capsys)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, without anybody's keys, cache and data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path.parent / f"{tmp_path.name}.cache"))
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path.parent / f"{tmp_path.name}.data"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
