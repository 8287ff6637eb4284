"""A real Ray cluster on this machine, whose nodes tests start and lose."""

from __future__ import annotations

import asyncio
import functools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import ray_units

from tsgkit.runs.executors import ray_cluster
from tsgkit.runs.executors.executor import Work
from tsgkit.runs.executors.ray_cluster import Cluster

Nodes = Any
"""Ray's cluster for tests, which has no types."""
TESTS = Path(__file__).parent
PATHS = os.pathsep.join([str(TESTS.parent), str(TESTS)])
"""Where workers find the package and the work that tests give them."""
LONGEST = 120.0
"""Seconds after which what is waited for does not happen any more."""
SOON = {"RAY_health_check_period_ms": "1000", "RAY_health_check_initial_delay_ms": "1000"}
"""Settings by which a lost node is missed sooner than after half a minute."""
MARKS = [
    # Ray's own: what it opens for its processes it leaves to the collector, and its fork of a test's process warns.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def started(start: Callable[[], Nodes]) -> Nodes:
    """Return a node or a cluster. On a busy machine one may take longer to start than Ray waits."""
    for left in (2, 1, 0):
        try:
            return start()
        except Exception as error:
            if not left or "timed out during startup" not in str(error):
                raise
    raise AssertionError


def added(cluster: Nodes, **node: int) -> Nodes:
    """Return another node."""
    return started(functools.partial(cluster.add_node, **node))


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """A cluster of two nodes with one processor each, which ``RAY_ADDRESS`` names while the block lasts."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (dict.fromkeys(ray_cluster.QUIET, "0") | SOON).items():
            patch.setenv(name, value)
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("PYTHONPATH", PATHS)
        head = {"num_cpus": 1, "include_dashboard": False}
        made = started(functools.partial(Cluster, initialize_head=True, head_node_args=head))
        try:
            added(made, num_cpus=1)
            patch.setenv("RAY_ADDRESS", made.address)
            yield made
        finally:
            made.shutdown()


async def each(executor: Cluster, work: Work, shared: object, count: int) -> list[Any]:
    """Return what the work makes of so many numbers, failures included."""
    units = (executor.run(work, shared, number) for number in range(count))
    return list(await asyncio.gather(*units, return_exceptions=True))


async def until(happened: Callable[[], bool | str]) -> None:
    """Wait for what a cluster does sooner or later, but not for ever."""
    last = time.monotonic() + LONGEST
    while not happened():
        assert time.monotonic() < last, f"did not happen within {LONGEST} s"
        await asyncio.sleep(0.05)


@contextmanager
def in_use(place: Path) -> Iterator[list[Any]]:
    """Let others use both processors of the cluster while the block lasts, or until they are cancelled.

    That the cluster counts none as free is not enough: it counts those as well that it has only promised to units that
    are over, and the next unit may be one of ours.
    """
    import ray

    others = [ray.remote(ray_units.held).remote(str(place), number) for number in range(2)]
    last = time.monotonic() + LONGEST
    while len(list(place.iterdir())) < 2:
        assert time.monotonic() < last, f"no processor was free within {LONGEST} s"
        time.sleep(0.05)
    try:
        yield others
    finally:
        for one in others:
            ray.cancel(one, force=True)
