"""Work on a Ray cluster: a local one, or that of ``RAY_ADDRESS`` (extra ``ray``).

    RAY_ADDRESS=10.0.0.1:6379 tsgkit eval --task sceneeval/fidelity --scenes mine=rooms --executor ray

The driver hands out units and takes results; it alone writes. Shared data are put into the cluster once, and each node
fetches them once. Modules that were loaded from files of yours travel with them. Versions of tsgkit and Python must be
the same everywhere. A cluster may want a token, which ``RAY_AUTH_MODE=token`` gives. A local cluster listens on this
machine only; whoever reaches the ports of any other cluster can run code on it.
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
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tsgkit.errors import ExtraMissing, TsgkitError, UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.secrets import secret_names
from tsgkit.llm.user_code import own_modules
from tsgkit.runs.executors.executor import LONGEST_UNIT, Executor, NodeLost, Work, processors, timed, tried
from tsgkit.runs.executors.workers import WorkerDied
from tsgkit.runs.folder import locked
from tsgkit.runs.jobs import SIGNALS, handling
from tsgkit.suites.judgement import ItemError
from tsgkit.version import __version__

ADDRESS, AUTH = "RAY_ADDRESS", "RAY_AUTH_MODE"
WHERE_RAY_LOOKS = "into ~/.ray/auth_token, or into RAY_AUTH_TOKEN"
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""The beginning of HTTP/2, which the head of a cluster speaks: it answers with settings."""
SLOW = 10.0
"""Seconds after which a unit that has not begun is worth a word."""
FOLDERS = "tsgkit-ray-"
"""The beginning of the names of local clusters' folders, among temporary files."""
QUIET = ("RAY_USAGE_STATS_ENABLED", "RAY_USAGE_STATS_PROMPT_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO")
"""Variables that switch off statistics for Ray's makers and questions on the terminal."""


def check() -> None:
    """Raise an error where Ray is not installed, or ``RAY_ADDRESS`` is an address that is not taken."""
    if find_spec("ray") is None:
        raise ExtraMissing("work is spread over machines", "Ray", "ray")
    address = os.environ.get(ADDRESS, "")
    if address.startswith("ray://"):
        hint = f"{ADDRESS}=HOST:6379, the address that ray start --head prints"
        raise UsageError(f"{ADDRESS}={address}: Ray's client is not used", hint=hint)


class Cluster(Executor):
    """Work on a cluster, which is joined on first use; a connection of the program's own is used and left open."""

    name = "ray"
    grace: float | None = 2.0
    """Schedulers of clusters send SIGTERM, and kill soon after."""

    def __init__(self, most: int | None = None, longest: float = LONGEST_UNIT, *, needs_keys: bool = False) -> None:
        """Let workers of this machine see no keys in the environment, unless what they do ``needs_keys``."""
        self._most, self._longest, self._needs_keys = most, longest, needs_keys
        self.shared: dict[int, tuple[Any, Any]] = {}  # references by the objects' ids, with the objects, to keep these
        self._leaving: ExitStack | None = None  # what is undone when the cluster is left
        self._first: Any = None  # ready when the cluster has given a processor
        self._asked_at, self._has_begun = 0.0, False

    def connect(self) -> None:
        """Connect to the cluster of ``RAY_ADDRESS``, or start one on this machine; refuse other versions than here.

        Nothing is in work yet, so that the first interrupt ends it with ``KeyboardInterrupt``.
        """
        if self._leaving is not None:
            return
        check()
        for name in QUIET:
            os.environ.setdefault(name, "0")
        with handling(SIGNALS, signal.default_int_handler), ExitStack() as leaving:
            import ray  # which takes seconds
            from ray._private import worker

            logging.getLogger("ray").setLevel(logging.ERROR)
            if not ray.is_initialized():
                leaving.callback(setattr, worker, "_worker_logs_enabled", True)
                leaving.callback(prove_by, os.environ.get(AUTH))  # Ray makes it give a token to a local cluster
                address = os.environ.get(ADDRESS, "")
                if address and address != "local":
                    leaving.callback(ray.shutdown)
                    _join(address)
                else:
                    self._start(leaving)
                worker._worker_logs_enabled = False  # these would be printed among results
            _check_versions()
            self._leaving = leaving.pop_all()

    def _start(self, leaving: ExitStack) -> None:
        import ray

        remove_left_behind()
        session = leaving.enter_context(tempfile.TemporaryDirectory(prefix=FOLDERS, ignore_cleanup_errors=True))
        leaving.enter_context(locked(Path(session), "this cluster"))
        leaving.callback(ray.shutdown)
        hidden = {} if self._needs_keys else {name: os.environ.pop(name) for name in secret_names(os.environ)}
        options: dict[str, Any] = {"_node_ip_address": "127.0.0.1", "_temp_dir": session}
        try:
            _init("local", num_cpus=processors(), include_dashboard=False, **options)
        except Exception as error:  # noqa: BLE001 - Ray raises bare exceptions where a process of its own does not start
            hint = "a very busy machine takes longer than Ray waits: try again, or work without --executor ray"
            raise TsgkitError(f"Ray did not start on this machine: {_first_line(error)}", hint=hint) from None
        finally:
            os.environ.update(hidden)

    def count(self, kind: str) -> int:
        """Return how many processors (``CPU``) or GPUs (``GPU``) the cluster has, busy or not."""
        import ray

        self.connect()
        return int(ray.cluster_resources().get(kind, 0))  # type: ignore[no-untyped-call]

    @property
    def cpus(self) -> int:
        """The processors of the cluster, one at least."""
        return max(self.count("CPU"), 1)

    @cached_property
    def carries(self) -> bool:
        """True if the cluster has other machines than this one."""
        self.connect()
        return len({node["NodeManagerHostname"] for node in _nodes()} | {socket.gethostname()}) > 1

    @property
    def workers(self) -> int:
        """The units in the cluster at a time: one for each processor, and some that wait for the next one."""
        waiting = self.cpus + max(self.cpus // 4, 1)
        return min(waiting, self._most or waiting)

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Raise ``UsageError`` if another machine has not got these folders under their paths."""
        import ray

        paths = [str(folder.resolve()) for folder in folders]
        calls = _on_every_node(lambda: [path for path in paths if not Path(path).is_dir()]) if self.carries else []
        for _, node, reference in calls:
            for path in ray.get(reference):
                hint = "share it, or copy it to the same path on every machine"
                raise UsageError(f"{node}: there is no folder {path}", hint=hint)

    def send(self, shared: Any) -> Any:  # noqa: ANN401
        """Return a reference to an object that many units share; it is put into the cluster once."""
        import ray

        self.connect()
        if id(shared) not in self.shared:
            for module in own_modules():  # which only this process has, such as files of ``--code``
                ray.cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
            self.shared[id(shared)] = (ray.put(shared), shared)
        return self.shared[id(shared)][0]

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item, on some node."""
        import ray

        remote = ray.remote(_unit).options(num_cpus=1, max_retries=0)
        unit = (work, self.send(shared), item, str(Path.cwd()), self._longest)
        if self._first is None:
            probe: Any = ray.remote(lambda: None).options(num_cpus=1)
            self._first, self._asked_at = probe.remote(), time.monotonic()
        result = await tried(lambda: outcome_of(remote.remote(*unit)), "workers")
        self._has_begun = True
        return result

    def waits_for(self) -> str:
        """Return what units wait for if none has begun for some time: the cluster's processors."""
        import ray

        waited = time.monotonic() - self._asked_at
        if self._first is None or self._has_begun or waited < SLOW:
            return ""
        if ray.wait([self._first], timeout=0)[0]:
            self._has_begun = True
            return ""
        if not self.count("CPU"):
            return "the cluster has no processor"
        return f"no unit has begun for {waited:.0f} s: others may use all {self.cpus} processors of the cluster"

    def close(self) -> None:
        """Leave the cluster; one on this machine ends with that."""
        self.shared.clear()
        if self._leaving is not None:
            self._leaving.close()
            self._leaving, self._has_begun, self._first = None, False, None


def remove_left_behind() -> None:
    """Remove the folders of local clusters whose command was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        with suppress(OSError, TsgkitError):  # of another user, gone meanwhile, or in use
            if not folder.is_symlink() and time.time() - folder.stat().st_mtime >= 60:  # else it may not be locked yet
                with locked(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _join(address: str) -> None:
    if address != "auto":
        check_address(address)
    try:
        _init(address=address)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise UsageError(
            f"{ADDRESS}={address}: no cluster can be joined: {_first_line(error)}",
            hint="ray status shows the cluster; versions of Ray and Python must be the same on all nodes",
        ) from None


def _init(address: str, **options: Any) -> None:  # noqa: ANN401
    """Let Ray connect, but a local cluster listen on the loopback address, for which Ray takes that of the network, and
    keep the handlers of signals, since its own print and abort. It has one in Python, and another in C from where it
    makes this process a worker on; signals wait meanwhile.
    """
    import ray
    from ray._private import services, utils, worker

    usual = connect, *_ = worker.connect, utils.set_sigterm_handler, services.resolve_ip_for_localhost

    def connect_with_our_handlers(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            return connect(*arguments, **named)
        finally:
            for number, handler in handlers.items():
                if handler is not None and threading.current_thread() is threading.main_thread():
                    signal.signal(number, handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    worker.connect, utils.set_sigterm_handler = connect_with_our_handlers, lambda _: None
    if address == "local":
        services.resolve_ip_for_localhost = lambda host: host
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False, **options)
    finally:
        worker.connect, utils.set_sigterm_handler, services.resolve_ip_for_localhost = usual


def check_address(address: str) -> None:
    """Raise ``UsageError`` within seconds where no cluster answers, or none that takes this program's token."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"{ADDRESS}={address}: not HOST:PORT", hint=f"as in {ADDRESS}=10.0.0.1:6379")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5) as connection:
            connection.sendall(GREETING)
            reason = "" if connection.recv(9)[3:4] == b"\x04" else "something else answers there"
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
    if reason:
        hint = "ray start --head starts one, and prints its address"
        raise UsageError(f"{ADDRESS}={address}: no cluster answers: {reason}", hint=hint)
    from ray.exceptions import AuthenticationError

    raylet = import_module("ray._raylet")
    gives = os.environ.get(AUTH) == "token"
    if gives and not raylet.AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True):
        raise UsageError(f"{AUTH}=token: there is no token on this machine", hint=f"it belongs {WHERE_RAY_LOOKS}")
    with suppress(ConnectionError, RuntimeError, ValueError, TimeoutError):  # Ray says it when the cluster is joined
        try:
            raylet.GcsClient(address=address)
        except AuthenticationError:
            wants = "wants another token than this machine's" if gives else "wants a token"
            hint = f"that of its head belongs {WHERE_RAY_LOOKS}" + ("" if gives else f"; {AUTH}=token gives it")
            raise UsageError(f"{ADDRESS}={address}: the cluster {wants}", hint=hint) from None


def prove_by(mode: str | None) -> None:
    """Put back how this program proves itself to clusters. While it wants tokens, it hears none that has no token."""
    if os.environ.get(AUTH) != mode:
        raylet = import_module("ray._raylet")
        os.environ.pop(AUTH) if mode is None else os.environ.update({AUTH: mode})
        raylet.Config.initialize("")  # Ray reads the environment again
        raylet.AuthenticationTokenLoader.instance().reset_cache()


def _check_versions() -> None:
    """Raise ``UsageError`` if a node has another tsgkit or Python, or none, or cannot fetch what lies here."""
    import ray

    ours = _versions()
    for node_id, node, reference in _on_every_node(_versions, ray.put(b"")):
        try:
            theirs = ray.get(reference, timeout=120)  # a first worker takes its time
        except ray.exceptions.ObjectLostError:
            hint = f"nodes have to reach this machine; {AUTH} has to be the same everywhere, token or disabled"
            raise UsageError(f"{node}: what lies on this machine cannot be fetched there", hint=hint) from None
        except Exception as error:  # noqa: BLE001 - what is missing there fails in every way there is
            if was_lost(node_id):
                continue
            hint = f"install tsgkit {__version__} there, in the environment that ray start was called in"
            raise UsageError(f"{node}: tsgkit cannot be used there: {cause_of(error)}", hint=hint) from None
        if theirs != ours:
            others = (f"{name} {theirs[name]} instead of {ours[name]}" for name in ours if theirs[name] != ours[name])
            raise UsageError(f"{node}: {', '.join(others)}", hint="the same versions are needed on all nodes")


def _on_every_node(work: Callable[..., Any], *arguments: Any) -> list[tuple[str, str, Any]]:  # noqa: ANN401
    """Return each node's id and name, and a reference to what a function returns there; it needs no free processor."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    calls = []
    for node in _nodes():
        on_node: Any = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        remote: Any = ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=on_node)(work)
        name = f"node {node.get('NodeManagerHostname') or node.get('NodeManagerAddress')}"
        calls.append((node["NodeID"], name, remote.remote(*arguments)))
    return calls


def _nodes() -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]


def was_lost(node_id: str) -> bool:
    """Return whether a node that was in the cluster is not any more."""
    return all(node["NodeID"] != node_id for node in _nodes())


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def _versions(_fetched: bytes = b"") -> dict[str, str]:
    return {"tsgkit": __version__, "Python": platform.python_version()}


def _unit(work: Work, shared: Any, item: Any, folder: str, longest: float) -> Any:  # noqa: ANN401
    with suppress(OSError):  # paths may be relative to the driver's working folder, which a node may have as well
        os.chdir(folder)
    return timed(longest, work, shared, item)


async def outcome_of(reference: Any) -> Any:  # noqa: ANN401
    """Return what a remote call made, or raise what tsgkit raised in it, ``WorkerDied`` or ``NodeLost``."""
    import ray
    from ray import exceptions

    try:
        return await asyncio.wrap_future(reference.future())
    except asyncio.CancelledError:
        with suppress(Exception):
            ray.cancel(reference, force=True)
        raise
    except (exceptions.NodeDiedError, exceptions.ObjectLostError, exceptions.LocalRayletDiedError):
        raise NodeLost from None
    except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.RayActorError):
        raise WorkerDied from None
    except exceptions.RayTaskError as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, TsgkitError | ItemError | CallFailed):  # whose words quote nothing else
            raise cause from None
        raise ItemError(f"{cause_of(error)} in a worker") from None


def cause_of(error: Exception) -> str:
    """Return the name of what was raised in a remote call, without its words."""
    return type(getattr(error, "cause", None) or error).__name__
