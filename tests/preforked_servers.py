"""Runs the servers of tests in processes of their own that start at once: they are forked from one that has loaded it.

Each is a real process that is killed in the end. As a program this is the one they are forked from: it is given the
name of a module whose ``server`` takes options and returns the coroutine that prints a port and serves, and takes
requests as JSON lines. Each is answered with the process's id; who starts to serve adds the port.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any


class Servers:
    """The process that the servers of one module are forked from."""

    def __init__(self, module: str) -> None:
        command = [sys.executable, str(Path(__file__)), module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()
        atexit.register(self.close)

    def start(self, options: dict[str, object]) -> tuple[int, int]:
        """Return the id and the port of a new server."""
        with self.lock:
            self._request({"options": options, "cwd": str(Path.cwd())})
            return self._number(), self._number()

    def end(self, pid: int) -> None:
        """Kill a server; its port is free when this returns."""
        with self.lock:
            self._request({"end": pid})
            self._number()

    def close(self) -> None:
        """End the process, and with it the servers that still run."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def _request(self, value: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def _number(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


_servers = cache(Servers)


@contextmanager
def preforked(module: str, options: dict[str, object]) -> Iterator[int]:
    """Yield the port of a server with these options, for as long as the block lasts."""
    servers = _servers(module)
    pid, port = servers.start(options)
    try:
        yield port
    finally:
        servers.end(pid)


def _fork_as_requested(module: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the servers stop when who asked for them ends
    program = importlib.import_module(module)
    program.server({}).close()  # loads what is loaded late, serves nothing
    gc.collect()
    gc.freeze()  # what is loaded is garbage in no process, and looking through it copies it into each
    running: set[int] = set()
    for line in sys.stdin:
        value = json.loads(line)
        if "end" in value:
            running.remove(value["end"])
            _kill(value["end"])
            print(value["end"], flush=True)
        else:
            pid = os.fork()
            if not pid:
                _child(program, value)
            running.add(pid)
    for pid in running:
        _kill(pid)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)  # who has ended is a zombie until it is waited for, and takes no harm
    os.waitpid(pid, 0)


def _child(program: Any, value: dict[str, Any]) -> None:  # noqa: ANN401
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(value["cwd"])
        print(os.getpid(), flush=True)
        asyncio.run(program.server(value["options"]))
    except BaseException:  # noqa: BLE001  # a line that is no port tells who waits for one
        traceback.print_exc()
        print("failed", flush=True)
    finally:
        os._exit(1)


if __name__ == "__main__":
    _fork_as_requested(sys.argv[1])
