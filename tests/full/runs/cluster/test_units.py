"""Units on a cluster of two nodes, which lose workers and are lost themselves."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
import ray_units
from ray_nodes import MARKS, Nodes, added, each, in_use

from tsgkit.errors import UsageError
from tsgkit.runs.executors import ray_cluster
from tsgkit.runs.executors.ray_cluster import DIED, RayExecutor
from tsgkit.suites.item_errors import ItemError

ray = pytest.importorskip("ray", reason="Ray is an extra: tsgkit[ray]")
pytestmark = MARKS


def test_units_are_done_on_both_nodes_and_come_back_in_order(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.doubled, 2, 8))
    assert [value for value, _ in found] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert len({process for _, process in found}) >= 2
    assert os.getpid() not in {process for _, process in found}
    assert executor.workers == 3, "two processors, and one unit that waits"


def test_what_is_shared_travels_once(executor: RayExecutor) -> None:
    shared = bytes(5_000_000)
    found = asyncio.run(each(executor, ray_units.size_of, shared, 20))
    assert [value for value, _ in found] == [5_000_000 + number for number in range(20)]
    assert len(executor.cluster.shared) == 1


def test_a_unit_that_raises_is_an_error_without_its_words(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.raising, None, 3))
    assert found[0] == 0 and found[2] == 2
    assert isinstance(found[1], ItemError) and str(found[1]) == "ValueError in a worker"


def test_a_unit_that_kills_its_workers_is_given_up_after_three(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.greedy, None, 4))
    assert found[0] == 0 and found[3] == 3
    assert isinstance(found[1], ItemError) and str(found[1]) == "MemoryError in a worker"
    assert isinstance(found[2], ItemError) and str(found[2]) == DIED


def test_a_unit_that_hangs_is_left_when_it_is_cancelled(executor: RayExecutor) -> None:
    async def work() -> float:
        hanging = asyncio.ensure_future(executor.run(ray_units.hanging, None, 1))
        await asyncio.sleep(1)
        began = time.monotonic()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert await executor.run(ray_units.hanging, None, 2) == 2
        return time.monotonic() - began

    assert asyncio.run(work()) < 60


def test_processors_that_others_use_are_waited_for_and_it_is_said(
    executor: RayExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "SLOW", 0.5)
    executor.connect()

    async def units() -> list[Any]:
        with in_use(2):
            begun = asyncio.ensure_future(each(executor, ray_units.doubled, 2, 2))
            while not (why := executor.waits_for()):
                await asyncio.sleep(0.05)
            assert why.endswith("others may use all 2 processors of the cluster")
        found = await begun
        assert executor.waits_for() == ""
        return found

    assert [value for value, _ in asyncio.run(units())] == [0, 2]


def test_the_units_of_a_node_that_is_lost_are_done_again(cluster: Nodes, executor: RayExecutor) -> None:
    lost = added(cluster, num_cpus=1)
    cluster.wait_for_nodes()

    async def work() -> list[Any]:
        units = asyncio.ensure_future(each(executor, ray_units.doubled, 3, 30))
        await asyncio.sleep(2)
        await asyncio.to_thread(cluster.remove_node, lost, allow_graceful=False)
        return await units

    found = asyncio.run(work())
    assert [one[0] for one in found] == [3 * number for number in range(30)]


def test_folders_that_a_machine_has_not_got_are_refused(executor: RayExecutor, tmp_path: Path) -> None:
    executor.connect()
    executor.cluster.check_folders([tmp_path])
    with pytest.raises(UsageError, match="there is no folder"):
        executor.cluster.check_folders([tmp_path, tmp_path / "assets"])
