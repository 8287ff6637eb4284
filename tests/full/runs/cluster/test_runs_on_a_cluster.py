"""Runs on a cluster: what they record, what they need of it, and drivers that are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from ray_nodes import MARKS, PATHS, Nodes
from run_files import lines
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.executors import ray_cluster
from tsgkit.runs.executors.ray_cluster import RayExecutor
from tsgkit.runs.plan import Plan

ray = pytest.importorskip("ray", reason="Ray is an extra: tsgkit[ray]")
pytestmark = MARKS


def test_records_equal_those_that_were_made_here(cluster: Nodes, tmp_path: Path) -> None:
    proved = ("formalimg/layout",) if find_spec("ortools") else ()  # formulas are an extra: tsgkit[logic]
    plan = Plan(tasks=("tsg/sgqa", *proved), models=("baseline/random",), limit=6)
    for name in ("here", "ray"):
        evaluate(plan, Options(out=tmp_path / name, executor=name))
    assert (tmp_path / "here/samples.jsonl").read_bytes() == (tmp_path / "ray/samples.jsonl").read_bytes()


@pytest.mark.parametrize("spread", [False, True])
def test_rooms_travel_to_machines_that_do_not_have_them(
    spread: bool, cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcl", reason="rooms are measured by the extra tsgkit[scenes]")
    shutil.copytree(TASKS / "sceneeval/data/rooms/good", tmp_path / "rooms")
    (tmp_path / "rooms/scene_1.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ray_cluster.Cluster, "is_spread", property(lambda _: spread))
    plan = Plan(tasks=("sceneeval/plausibility",), scenes=("mine=rooms",), ids=("0", "1", "2"))
    for name in ("here", "ray"):
        evaluate(plan, Options(out=tmp_path / name, executor=name))
    assert (tmp_path / "here/samples.jsonl").read_bytes() == (tmp_path / "ray/samples.jsonl").read_bytes()
    records = (tmp_path / "ray/samples.jsonl").read_bytes()
    assert b'"outcome":"unreadable"' in records and b"tsgkit-unit-" not in records


def test_another_version_on_a_node_is_refused(cluster: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "__version__", "9.9.9")
    with pytest.raises(UsageError, match=r"node .*: tsgkit .* instead of 9\.9\.9"), RayExecutor() as found:
        found.connect()
    assert not ray.is_initialized()


def test_a_driver_that_hears_no_node_without_a_token_is_refused(cluster: Nodes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", "eval", "--task", "sgqa", "--model", "baseline/random", "--limit", "1"]
    command += ["--executor", "ray", "--out", str(tmp_path / "run"), "--quiet"]
    proof = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}
    ended = subprocess.run(
        command, env={**os.environ, **proof}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert "what lies on this machine cannot be fetched there" in ended.stderr and "RAY_AUTH_MODE" in ended.stderr


def test_a_driver_that_is_killed_goes_on_and_records_everything_once(cluster: Nodes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", "eval", "--task", "sgqa,sgds,sa-sgg", "--model", "baseline/random"]
    command += ["--seed", "1", "--executor", "ray", "--out", str(tmp_path / "run"), "--quiet"]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)
    recorded, deadline = tmp_path / "run/samples.jsonl", time.monotonic() + 90
    while time.monotonic() < deadline and not (recorded.is_file() and recorded.stat().st_size > 20_000):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = recorded.read_bytes().count(b"\n")
    assert before > 0
    assert subprocess.run(command, env=environment, cwd=tmp_path, check=False).returncode == 0
    plan = Plan(tasks=("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"), models=("baseline/random",), seed=1)
    evaluate(plan, Options(out=tmp_path / "here", executor="here"))
    found = [(one["task"], one["item_id"], one["answer"]) for one in lines(recorded)]
    assert found == [(one["task"], one["item_id"], one["answer"]) for one in lines(tmp_path / "here/samples.jsonl")]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "no cluster answers"),
        ("nowhere", "not HOST:PORT"),
        ("ray://127.0.0.1:10001", "Ray's client is not used"),
    ],
)
def test_an_address_without_a_cluster_is_told_in_seconds(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)
    began = time.monotonic()
    words = ["eval", "--task", "sgqa", "--limit", "2", "--executor", "ray", "--out", str(tmp_path / "run"), "--quiet"]
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert time.monotonic() - began < 30


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="which is not installed") as problem:
        ray_cluster.check()
    assert "tsgkit[ray]" in problem.value.hint
