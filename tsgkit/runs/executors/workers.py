"""Worker processes: fresh interpreters that import by name what they are to do.

>>> from operator import mul
>>> with Workers(2) as workers:
...     list(workers.map(mul, [(2, 3), (4, 5)]))
[6, 20]

They never run the program that started them, so a script needs no ``if __name__ == "__main__"``, and one that comes
from standard input or a notebook can use them. What is defined in that program, in its module ``__main__``, is unknown
to them: :func:`check_importable` finds it. An interrupt from the terminal reaches the caller alone, and a worker whose
caller is gone ends after its current work.
"""

from __future__ import annotations

import io
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from traceback import format_exc
from types import FunctionType
from typing import Any, Self

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.user_code import OWN_MODULE, described

PROGRAM = "import sys; sys.path[:] = {path!r}; from tsgkit.runs.executors.workers import serve; serve({fileno})"


class WorkerDied(TsgkitError):
    """A worker process ended before it returned a result."""

    def __init__(self) -> None:
        super().__init__("a process that computed died: it was killed, or had no memory left")


class NotImportable(UsageError):
    """Code that no other process can import: it is defined in the program that was started, or in a loaded file."""


class _ImportablePickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, type | FunctionType):
            module = value.__module__ or ""
            if module == "__main__" or module.startswith(OWN_MODULE):
                source = "the program that was started" if module == "__main__" else module.removeprefix(OWN_MODULE)
                raise NotImportable(f"{value.__qualname__} is defined in {source}, which other processes do not run")
        return NotImplemented


def check_importable(shared: Any) -> None:  # noqa: ANN401
    """Raise ``NotImportable`` if an object consists of code that a fresh interpreter cannot import.

    Whatever else prevents that it is pickled is raised as pickle raises it.
    """
    _ImportablePickler(io.BytesIO()).dump(shared)


class Workers:
    """So many worker processes, each started when it is first needed, and anew where it died."""

    def __init__(self, count: int) -> None:
        self._count = count
        without_interrupts = signal.SIG_BLOCK, {signal.SIGINT}  # which else end processes while these start
        self._threads = ThreadPoolExecutor(count, "tsgkit-worker", signal.pthread_sigmask, without_interrupts)
        self._of_thread = threading.local()
        self._processes: set[_Process] = set()
        self._is_closed = False

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Have a function of a module called; the future holds ``WorkerDied`` where its process died."""
        return self._threads.submit(self._call_in_process, pickle.dumps((work, arguments), pickle.HIGHEST_PROTOCOL))

    def map(self, work: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results of calls in order. Only some calls are prepared ahead, and few results wait."""
        waiting = deque[Future[Any]]()
        for arguments in calls:
            waiting.append(self.submit(work, *arguments))
            if len(waiting) > 2 * self._count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        """End the processes; what is in work there is not waited for."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in tuple(self._processes):
            process.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call_in_process(self, request: bytes) -> Any:  # noqa: ANN401
        process: _Process | None = getattr(self._of_thread, "process", None)
        if process is None:
            process = self._of_thread.process = _Process()
            self._processes.add(process)
            if self._is_closed:  # meanwhile, by another thread
                process.end()
        try:
            process.connection.send_bytes(request)
            is_good, outcome = pickle.loads(process.connection.recv_bytes())  # noqa: S301  (from our own process)
        except (EOFError, OSError):
            self._of_thread.process = None
            self._processes.discard(process)
            process.end()
            process.connection.close()
            raise WorkerDied from None
        if not is_good:
            raise outcome
        return outcome


class _Process:
    """A worker process, and the connection to it."""

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            fileno = theirs.fileno()
            program = PROGRAM.format(path=sys.path, fileno=fileno)
            command = [sys.executable, "-c", program]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[fileno])  # noqa: S603

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()


def serve(fileno: int) -> None:
    """Do what comes through a connection, one call after the other, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    connection = Connection(fileno)
    while True:
        try:
            request = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            work, arguments = pickle.loads(request)  # noqa: S301  (from the process that started this one)
            answer = pickle.dumps((True, work(*arguments)), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller raises it
            answer = _failure(error)
        try:
            connection.send_bytes(answer)
        except OSError:
            return


def _failure(error: Exception) -> bytes:
    """Return an exception to be raised by the caller; one that does not survive pickling in words."""
    error.add_note(f"in a worker process:\n{format_exc()}")
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)  # noqa: S301  (written here)
    except Exception:  # noqa: BLE001 - exceptions refuse in every way there is
        return pickle.dumps((False, RuntimeError(described(error))))
    return answer
