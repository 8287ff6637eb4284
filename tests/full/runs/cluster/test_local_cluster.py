"""Ray on this machine alone: the addresses a local cluster listens on, what it knows and leaves, and no cluster."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import ray
import ray_units
from ray._private import worker
from ray_nodes import MARKS, PATHS

from tsgkit.errors import TsgkitError
from tsgkit.runs.executors import ray_cluster
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.folder import locked

pytestmark = MARKS


def of_session(session: str) -> dict[int, str]:
    """Return the processes of a cluster and their command lines: those that name its folder, and what they started."""
    found: dict[int, str] = {}
    others: dict[int, tuple[int, str]] = {}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                parent = int((process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            except (OSError, UnicodeDecodeError):
                continue
            if session in words:
                found[int(process.name)] = words
            else:
                others[int(process.name)] = parent, words
    return found | {number: words for number, (parent, words) in others.items() if parent in found}


def listening(process: int) -> set[str]:
    """Return the addresses that a process listens on, in hexadecimal as the system tells them."""
    try:
        links = [str(one.readlink()) for one in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return set()
    mine = {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:[")}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in mine:
                found.add(fields[1].partition(":")[0])
    return found


REFUSED = """
import os, sys
from tsgkit.errors import UsageError
from tsgkit.runs.executors.ray_cluster import check_address, prove_by

os.environ["HOME"] = sys.argv[2]
for mode, token in ((None, ""), ("token", "0" * 64), ("token", "")):
    prove_by(None)
    os.environ.pop("RAY_AUTH_TOKEN", None)
    if token:
        os.environ["RAY_AUTH_TOKEN"] = token
    prove_by(mode)
    try:
        check_address(sys.argv[1])
    except UsageError as error:
        print(str(error).partition(": ")[2])
"""
TOKENS = [
    "the cluster wants a token",
    "the cluster wants another token than this machine's",
    "there is no token on this machine",
]


def refusals(address: str, home: Path) -> list[str]:
    """Return why programs without token, with a wrong one, and with none that is found, cannot join a cluster."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    command = [sys.executable, "-c", REFUSED, address, str(home)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_local_cluster_keeps_to_itself_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("PYTHONPATH", PATHS)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    before = set(Path(tempfile.gettempdir()).glob("tsgkit-ray-*"))
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with Cluster() as alone:
        names = asyncio.run(alone.run(ray_units.environment, None, 0))
        assert "OPENAI_API_KEY" not in names and "PYTHONPATH" in names
        assert os.environ["OPENAI_API_KEY"] == "sk-0123456789abcdef"
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
        [session] = set(Path(tempfile.gettempdir()).glob("tsgkit-ray-*")) - before
        processes = of_session(str(session))
        heard = {address: words for process, words in processes.items() for address in listening(process)}
        assert processes and heard
        open_to_others = [words for address, words in heard.items() if address not in LOOPBACK]
        assert not open_to_others, open_to_others
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert refusals(ray.get_runtime_context().gcs_address, tmp_path) == TOKENS
    assert set(Path(tempfile.gettempdir()).glob("tsgkit-ray-*")) <= before
    assert "RAY_AUTH_MODE" not in os.environ


def test_an_interrupt_while_a_cluster_starts_ends_it_by_no_handler_of_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)

    def connected(**_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # in Ray's place, which prints and aborts
        signal.raise_signal(signal.SIGTERM)  # to this thread: those of an earlier cluster may be alive

    before = set(Path(tempfile.gettempdir()).glob("tsgkit-ray-*"))
    monkeypatch.setattr(worker, "connect", connected)
    monkeypatch.setattr(ray, "init", lambda **_: worker.connect())
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        Cluster().connect()
    assert signal.getsignal(signal.SIGTERM) == handler and worker.connect is connected
    assert set(Path(tempfile.gettempdir()).glob("tsgkit-ray-*")) <= before


LOOPBACK = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")


def test_a_cluster_that_does_not_start_is_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(**_: object) -> None:
        raise Exception("The current node timed out during startup.\nSee elsewhere.")  # noqa: TRY002 - as Ray does

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ray, "init", busy)
    with pytest.raises(TsgkitError, match=r"did not start .* timed out during startup\.$") as problem:
        Cluster().connect()
    assert "without --executor ray" in problem.value.hint
    assert not list(tmp_path.iterdir())


def test_folders_of_commands_that_were_killed_are_removed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used, fresh, another = (tmp_path / name for name in ("tsgkit-ray-1", "tsgkit-ray-2", "tsgkit-ray-3", "mine"))
    (tmp_path / "tsgkit-ray-link").symlink_to(another)
    for folder in (left, used, fresh, another):
        folder.mkdir()
        (folder / "file").touch()
        if folder != fresh:
            os.utime(folder, (0, 0))
    with locked(used):
        os.utime(used, (0, 0))
        ray_cluster.remove_left_behind()
    assert not left.exists()
    assert all((folder / "file").exists() for folder in (used, fresh, another))
