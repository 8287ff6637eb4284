"""One cluster for all these tests, since starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ray_nodes import Nodes, two_nodes

from tsgkit.runs.executors.ray_cluster import RayExecutor


@pytest.fixture(scope="session")
def cluster() -> Iterator[Nodes]:
    with two_nodes() as made:
        yield made


@pytest.fixture(scope="module")
def joined(cluster: Nodes) -> Iterator[None]:
    """The tests of a file are one driver of the cluster; each that joins has to wait for workers of its own."""
    with RayExecutor() as executor:
        executor.connect()
        yield


@pytest.fixture
def executor(joined: None) -> Iterator[RayExecutor]:
    with RayExecutor() as found:
        yield found
