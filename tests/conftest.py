"""Shared settings of all tests: property tests have no time limit and print how to reproduce a failure."""

from __future__ import annotations

import gc
import re
import signal
from collections.abc import Generator, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from prefork import Prefork, prefork
from shipped import DATA

gc.set_threshold(10_000, 20, 20)  # at Python's own pace the looking for garbage takes a good tenth of all time

# A shell's background job is started with these ignored, and its children would be: the tests interrupt theirs.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

ROOT = Path(__file__).resolve().parents[1]
# What `make test-all` installs for; the modules beside it serve its tests alone.
ONLY_FULL = ["full", "collector.py", "in_chromium.py"]
# A program that imports Inspect, which takes seconds.
collect_ignore = ["full/interface/inspected.py"] if find_spec("playwright") and find_spec("ray") else ONLY_FULL

# Tests that load LiteLLM, which takes four seconds.
WITH_LITELLM = re.compile(
    "llm/test_(clients|images)|cli/test_images|test_image_gen|::test_(eval_refuses_slips|server_that_never|images_of_sh)"
)


def pytest_configure() -> None:
    """Say in one line what the environment lacks, and set property tests up."""
    needed = ("hypothesis", "ortools", "PIL", "starlette", "trimesh", "uvicorn")
    if missing := [name for name in needed if not find_spec(name)]:
        raise pytest.UsageError(f"the tests need {', '.join(missing)}: run `make test`, or install the extra `test`")
    from hypothesis import HealthCheck, settings

    settings.register_profile("tsgkit", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("tsgkit")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no doctests here: there are none, and to go through all names for them takes long."""
    return [node for node in (yield) if type(node) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that load LiteLLM or fork commands, so that one worker has them and loads what they need."""
    forking = {item for item in items if "commands" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (not WITH_LITELLM.search(item.nodeid), item not in forking))
    gc.freeze()  # modules and collected tests live to the end: looking through them again finds nothing


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Ask the rows of the tests where none are named, but not where the documents are tested."""
    if "repository" in item.path.relative_to(ROOT).parts:
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSGKIT_DATASET", str(DATA))
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def cache_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps replies and notes of tests out of the cache of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prefork]:
    """Starts ``tsgkit`` in processes of its own, at once."""
    with prefork(tmp_path_factory.mktemp("commands")) as parent:
        yield parent


@pytest.fixture
def nothing_else_given() -> Iterator[None]:
    """Begin without tasks, solvers, metrics and styles that other tests gave, and forget those that this one gives."""
    from tsgkit.library import cards
    from tsgkit.llm import user_code
    from tsgkit.suites import styles, suite
    from tsgkit.suites.solvers import factories

    registries: list[dict[str, Any]] = [cards._GIVEN, factories._GIVEN, styles._GIVEN, suite._GIVEN, suite._METRICS]
    registries.append(user_code.LOADED_FILES)
    before = [dict(one) for one in registries]

    def put(values: Iterable[dict[str, Any]]) -> None:
        for one, value in zip(registries, values, strict=True):
            one.clear()
            one.update(value)
        factories.factory_of.cache_clear()
        user_code._of_file.cache_clear()

    put({} for _ in registries)
    yield
    put(before)
