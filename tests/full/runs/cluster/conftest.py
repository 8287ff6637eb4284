"""One cluster for all these tests, and one driver that joins it, since starting them takes longer than most tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ray_nodes import Nodes, two_nodes

from tsgkit.runs.executors.ray_cluster import Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Nodes]:
    with two_nodes() as made:
        yield made


@pytest.fixture(scope="session")
def joined(cluster: Nodes) -> Iterator[None]:
    with Cluster() as executor:
        executor.connect()
        yield


@pytest.fixture
def executor(joined: None) -> Iterator[Cluster]:
    with Cluster() as found:
        found.connect()
        yield found
