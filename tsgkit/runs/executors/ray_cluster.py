"""Work on a Ray cluster: a local one, or that of ``RAY_ADDRESS`` (extra ``ray``).

    RAY_ADDRESS=10.0.0.1:6379 tsgkit eval --task sceneeval/fidelity --scenes mine=rooms --executor ray

The driver hands out units and takes results; it alone writes. Shared data are put into the cluster once, and each node
fetches them once. Modules that were loaded from files of yours travel with them. Versions of tsgkit and Python must be
the same everywhere. A local cluster listens on this machine only; whoever reaches the ports of any other cluster can
run code on it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from tsgkit.errors import ExtraMissing, TsgkitError, UsageError
from tsgkit.llm.secrets import secret_names
from tsgkit.llm.user_code import own_modules
from tsgkit.runs.executors.executor import LONGEST_UNIT, TRIES, Closing, Work, died, refuse_to_send, timed
from tsgkit.runs.executors.processes import processors
from tsgkit.runs.executors.ray_address import ADDRESS, AUTH, check_address, prove_by
from tsgkit.runs.folder import locked
from tsgkit.runs.jobs import SIGNALS, handling
from tsgkit.suites.item_errors import ItemError
from tsgkit.version import __version__

DIED = died("workers")
LOST_NODES = 10
"""A unit is begun again so many times because its node was lost."""
STARTING = 120.0
"""Seconds for a first worker on each node."""
SLOW = 10.0
"""Seconds after which a unit that has not begun is worth a word."""
LOOPBACK = "127.0.0.1"
FOLDERS = "tsgkit-ray-"
"""The beginning of the names of local clusters' folders, among temporary files."""
JUST_MADE = 60.0
"""A folder of fewer seconds may not be locked yet."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "1",
}
"""No statistics are sent to Ray's makers, and no question is asked on the terminal."""


def check() -> None:
    """Raise an error where Ray is not installed, or ``RAY_ADDRESS`` is an address that is not taken."""
    if find_spec("ray") is None:
        raise ExtraMissing("work is spread over machines", "Ray", "ray")
    address = os.environ.get(ADDRESS, "")
    if address.startswith("ray://"):
        hint = f"{ADDRESS}=HOST:6379, the address that ray start --head prints"
        raise UsageError(f"{ADDRESS}={address}: Ray's client is not used", hint=hint)


@dataclass
class Cluster:
    """A connection to a cluster; one that the program had before is used, and left open."""

    needs_keys: bool = False
    """True if workers of this machine ask services themselves, as models of the user's may; others see no key."""
    shared: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """References to shared objects by the objects' ids, with the objects, so that no id is used again."""
    _is_ours: bool = False
    _session: str = ""
    """The folder of a local cluster's own files."""
    _lock: IO[str] | None = None
    """The lock on that folder."""
    _auth: str | None = None
    """How this program proved itself to clusters before; Ray makes it give a token to one of this machine."""

    def connect(self) -> None:
        """Connect to the cluster of ``RAY_ADDRESS``, or start one on this machine; refuse other versions than here.

        Nothing is in work yet, so that the first interrupt ends it with ``KeyboardInterrupt``.
        """
        check()
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        with handling(SIGNALS, _interrupt):
            import ray  # which takes seconds

            self._connect(ray.is_initialized())

    def _connect(self, is_connected: bool) -> None:
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            if not is_connected:
                address = os.environ.get(ADDRESS, "")
                self._auth, self._is_ours = os.environ.get(AUTH), True
                with _without_handlers_of_ray():
                    if address and address != "local":
                        self._join(address)
                    else:
                        self._start()
                _let_print(is_wanted=False)
            self._check_versions()
        except BaseException:
            self.close()
            raise

    @property
    def cpus(self) -> int:
        """The processors of the cluster."""
        return max(int(self._resources.get("CPU", 1)), 1)

    @property
    def gpus(self) -> int:
        """The GPUs of the cluster."""
        return int(self._resources.get("GPU", 0))

    @property
    def is_spread(self) -> bool:
        """True if nodes of other machines are in it."""
        return len({node["NodeManagerHostname"] for node in _nodes() if node["Alive"]} | {socket.gethostname()}) > 1

    def has(self, kind: str) -> bool:
        """Return whether a node has a ``GPU`` or a ``CPU``, busy or not."""
        return self._resources.get(kind, 0) >= 1

    @property
    def _resources(self) -> dict[str, float]:
        import ray

        found: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        return found

    def on_node(self, node: dict[str, Any], work: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401
        """Return a reference to what a function returns on one node; it needs no processor that is free."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as OnNode

        options: Any = {"num_cpus": 0, "max_retries": 0, "scheduling_strategy": OnNode(node["NodeID"], soft=False)}
        remote: Any = ray.remote(**options)
        return remote(work).remote(*given)

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Raise ``UsageError`` if a folder does not lie on every node under its path."""
        import ray

        for node in (node for node in _nodes() if node["Alive"]):
            for folder in ray.get(self.on_node(node, _lacking, [str(one.resolve()) for one in folders])):
                hint = "share it, or copy it to the same path on every machine"
                raise UsageError(f"{_place(node)}: there is no folder {folder}", hint=hint)

    def put(self, value: Any) -> Any:  # noqa: ANN401
        """Return a reference to an object that many units share; it is put into the cluster once."""
        import ray

        if id(value) not in self.shared:
            self.shared[id(value)] = (ray.put(_portable(value)), value)
        return self.shared[id(value)][0]

    def close(self) -> None:
        """Leave the cluster; one on this machine ends with that."""
        import ray

        self.shared.clear()
        if self._is_ours:
            ray.shutdown()
            prove_by(self._auth)
            _let_print(is_wanted=True)
            self._is_ours = False
        if self._lock is not None:
            shutil.rmtree(self._session, ignore_errors=True)
            self._lock.close()
            self._lock = None

    def _start(self) -> None:
        import ray

        _remove_left_behind()
        self._session = tempfile.mkdtemp(prefix=FOLDERS)
        self._lock = locked(Path(self._session), "this cluster")
        try:
            with _on_loopback(), nullcontext() if self.needs_keys else _keys_hidden():
                ray.init(
                    address="local",
                    num_cpus=processors(),
                    include_dashboard=False,
                    log_to_driver=False,
                    configure_logging=False,
                    _node_ip_address=LOOPBACK,
                    _temp_dir=self._session,
                )
        except Exception as error:  # noqa: BLE001 - Ray raises bare exceptions where a process of its own does not start
            hint = "a very busy machine takes longer than Ray waits: try again, or work without --executor ray"
            raise TsgkitError(f"Ray did not start on this machine: {_first_line(error)}", hint=hint) from None

    def _join(self, address: str) -> None:
        import ray

        if address != "auto":
            check_address(address)
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise UsageError(
                f"{ADDRESS}={address}: no cluster can be joined: {_first_line(error)}",
                hint="ray status shows the cluster; versions of Ray and Python must be the same on all nodes",
            ) from None

    def _check_versions(self) -> None:
        """Raise ``UsageError`` if a node has another tsgkit or Python, or none, or cannot fetch what lies here."""
        import ray

        nodes = [node for node in _nodes() if node["Alive"]]
        lies_here = ray.put(b"")
        asked = [(node, self.on_node(node, _versions, lies_here)) for node in nodes]
        ours = _versions()
        for node, reference in asked:
            place = _place(node)
            try:
                theirs = ray.get(reference, timeout=STARTING)
            except ray.exceptions.ObjectLostError:
                hint = f"nodes have to reach this machine; {AUTH} has to be the same everywhere, token or disabled"
                raise UsageError(f"{place}: what lies on this machine cannot be fetched there", hint=hint) from None
            except Exception as error:  # noqa: BLE001 - what is missing there fails in every way there is
                if was_lost(node["NodeID"]):
                    continue
                first = type(getattr(error, "cause", None) or error).__name__
                hint = f"install tsgkit {__version__} there, in the environment that ray start was called in"
                raise UsageError(f"{place}: tsgkit cannot be used there: {first}", hint=hint) from None
            if theirs != ours:
                other = (
                    f"{name} {theirs[name]} instead of {ours[name]}" for name in ours if theirs[name] != ours[name]
                )
                raise UsageError(f"{place}: {', '.join(other)}", hint="the same versions are needed on all nodes")


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def _remove_left_behind() -> None:
    """Remove the folders of local clusters whose command was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        with suppress(OSError, TsgkitError):  # of another user, gone meanwhile, or in use
            if folder.is_symlink() or time.time() - folder.stat().st_mtime < JUST_MADE:
                continue
            with locked(folder):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _without_handlers_of_ray() -> Iterator[None]:
    """Keep the handlers of signals while Ray connects. Its own print and abort.

    It has one in Python, and another in C from where it makes this process a worker on; signals wait meanwhile.
    """
    from ray._private import utils, worker

    usual, usual_handler = worker.connect, utils.set_sigterm_handler

    def connect(*given: Any, **options: Any) -> Any:  # noqa: ANN401
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            return usual(*given, **options)
        finally:
            for number, handler in handlers.items():
                if handler is not None and threading.current_thread() is threading.main_thread():
                    signal.signal(number, handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    worker.connect, utils.set_sigterm_handler = connect, lambda _: None
    try:
        yield
    finally:
        worker.connect, utils.set_sigterm_handler = usual, usual_handler


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _keys_hidden() -> Iterator[None]:
    """Take keys out of the environment while processes are started that need none."""
    hidden = {name: os.environ.pop(name) for name in secret_names(os.environ)}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let a cluster of this machine listen on the loopback address, for which Ray takes that of the network."""
    from ray._private import services

    usual = services.resolve_ip_for_localhost
    services.resolve_ip_for_localhost = lambda host: host
    try:
        yield
    finally:
        services.resolve_ip_for_localhost = usual


def _let_print(*, is_wanted: bool) -> None:
    """Choose whether Ray prints what happens on its nodes to the standard output, which is that of results."""
    from ray._private import worker

    worker._worker_logs_enabled = is_wanted


def _nodes() -> list[dict[str, Any]]:
    import ray

    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return found


def was_lost(node: str) -> bool:
    """Return whether a node that was in the cluster, by its id, is not any more."""
    return not any(one["Alive"] and one["NodeID"] == node for one in _nodes())


def _place(node: dict[str, Any]) -> str:
    return f"node {node.get('NodeManagerHostname') or node.get('NodeManagerAddress')}"


def _lacking(folders: Sequence[str]) -> list[str]:
    return [folder for folder in folders if not Path(folder).is_dir()]


def _versions(_fetched: bytes = b"") -> dict[str, str]:
    return {"tsgkit": __version__, "Python": platform.python_version()}


def _portable(value: Any) -> Any:  # noqa: ANN401
    """Return an object with the modules that only this process has, such as files of ``--code``, made to travel."""
    from ray import cloudpickle

    for module in own_modules():
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return value


class RayExecutor(Closing):
    """Work on the processors of a cluster; connected on first use."""

    name = "ray"
    grace: float | None = 2.0
    """Schedulers of clusters send SIGTERM, and kill soon after."""

    def __init__(self, most: int | None = None, longest: float = LONGEST_UNIT) -> None:
        self._most, self._longest = most, longest
        self.cluster = Cluster()
        self._is_connected = self._carries = False
        self._first: Any = None
        self._asked_at = 0.0
        self._has_begun = False

    @property
    def carries(self) -> bool:  # type: ignore[override]
        """True if the cluster has other machines than this one."""
        self.connect()
        return self._carries

    @property
    def workers(self) -> int:
        """The units in the cluster at a time: one for each processor, and some that wait for the next one."""
        self.connect()
        cpus = self.cluster.cpus
        waiting = cpus + max(cpus // 4, 1)
        return min(waiting, self._most or waiting)

    def connect(self) -> None:
        """Join the cluster, once."""
        if not self._is_connected:
            self.cluster.connect()
            self._is_connected, self._carries = True, self.cluster.is_spread

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Raise ``UsageError`` if another machine has not got these folders."""
        if self.carries:
            self.cluster.check_folders(folders)

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be pickled."""
        try:
            self.connect()
            self.cluster.put(shared)
        except TsgkitError:
            raise
        except Exception as error:  # noqa: BLE001 - objects refuse in every way there is
            refuse_to_send(self.name, error)

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item, on some node."""
        import ray

        self.connect()
        remote = ray.remote(_unit).options(num_cpus=1, max_retries=0)
        where = self.cluster.put(shared)
        place = str(Path.cwd())
        if self._first is None:
            self._first, self._asked_at = ray.remote(_begun).options(num_cpus=1).remote(), time.monotonic()
        found = await tried(lambda: remote.remote(work, where, item, place, self._longest))
        self._has_begun = True
        return found

    def waits_for(self) -> str:
        """Return what units wait for if none has begun for some time: the cluster's processors."""
        waited = time.monotonic() - self._asked_at
        if self._first is None or self._has_begun or waited < SLOW:
            return ""
        import ray

        if ray.wait([self._first], timeout=0)[0]:
            self._has_begun = True
            return ""
        if not self.cluster.has("CPU"):
            return "the cluster has no processor"
        return f"no unit has begun for {waited:.0f} s: others may use all {self.cluster.cpus} processors of the cluster"

    def close(self) -> None:
        """Leave the cluster."""
        if self._is_connected:
            self.cluster.close()
            self._is_connected, self._has_begun, self._first = False, False, None


def _begun() -> None:
    """Do nothing, on the first processor that the cluster gives."""


def _unit(work: Work, shared: Any, item: Any, place: str, longest: float) -> tuple[bool, Any]:  # noqa: ANN401
    """Return what was made, or the error that tsgkit raised, on a node; in the driver's working folder if it has one
    of that name, since paths may be relative to it.
    """
    with suppress(OSError):
        os.chdir(place)
    try:
        return True, timed(longest, work, shared, item)
    except (TsgkitError, ItemError) as error:
        return False, error


class Lost(Exception):
    """A remote call that ended with its worker, or with the node of it."""

    def __init__(self, *, with_node: bool) -> None:
        super().__init__()
        self.with_node = with_node


@dataclass
class Losses:
    """The workers and the nodes that one unit has lost."""

    workers: int = 0
    nodes: int = 0

    def add(self, lost: Lost) -> None:
        """Count a loss. Raise ``ItemError`` if the unit is not to be begun again."""
        self.workers += not lost.with_node
        self.nodes += lost.with_node
        if self.workers >= TRIES:
            raise ItemError(DIED) from None
        if self.nodes >= LOST_NODES:
            raise ItemError("the nodes that computed it were lost, again and again") from None


async def tried(begin: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Return the outcome of a remote call. It is begun again where a worker or a node was lost, but not for ever."""
    losses = Losses()
    while True:
        try:
            return await outcome_of(begin())
        except Lost as lost:
            losses.add(lost)


async def outcome_of(reference: Any) -> Any:  # noqa: ANN401
    """Return what a remote call made, or raise what tsgkit raised in it. Raise ``Lost`` if its worker or node died."""
    import ray
    from ray import exceptions

    try:
        is_made, found = await asyncio.wrap_future(reference.future())
    except asyncio.CancelledError:
        with suppress(Exception):
            ray.cancel(reference, force=True)
        raise
    except (exceptions.NodeDiedError, exceptions.ObjectLostError, exceptions.LocalRayletDiedError):
        raise Lost(with_node=True) from None
    except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.RayActorError):
        raise Lost(with_node=False) from None
    except exceptions.RayTaskError as error:
        cause = type(error.cause).__name__ if getattr(error, "cause", None) is not None else type(error).__name__
        raise ItemError(f"{cause} in a worker") from None
    if is_made:
        return found
    raise found
