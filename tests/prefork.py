"""Runs ``tsgkit`` and servers in processes of their own that start at once: forked from one that has loaded all.

Each is a real process with its own id, folder, environment and limits, so that it can be killed as any other. As a
program this is the one they are forked from: it takes requests as JSON lines and answers each with one. With the name
of a module whose ``server`` takes options and returns the coroutine that prints a port and serves, it starts servers:
each request is answered with the process's id, and who starts to serve adds the port.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass
class Ran:
    """A command that runs or ran."""

    parent: Prefork
    pid: int
    files: tuple[Path, Path]
    code: int | None = None

    @property
    def out(self) -> str:
        return self.files[0].read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        return self.files[1].read_text(encoding="utf-8")

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)

    def ended(self) -> bool:
        """Return whether it has ended; then its code is known (negative: the signal that ended it)."""
        if self.code is None:
            self.code = self.parent.request({"poll": self.pid})["code"]
        return self.code is not None

    def wait(self, seconds: float = 60) -> Ran:
        until = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > until:
                self.signal(signal.SIGKILL)
                raise TimeoutError(f"still running after {seconds} s: {self.out}{self.err}")
            time.sleep(0.005)
        return self

    def until(self, happened: Callable[[], object], seconds: float = 120) -> None:
        """Wait for what happens while it runs."""
        last = time.monotonic() + seconds
        while not happened():
            assert not self.ended() and time.monotonic() < last, self.err
            time.sleep(0.005)

    def signal(self, number: int) -> None:
        if not self.ended():
            os.kill(self.pid, number)


@dataclass
class Prefork:
    """The process the others are forked from."""

    process: subprocess.Popen[str]
    folder: Path
    number: int = 0

    def request(self, value: dict[str, Any]) -> Any:  # noqa: ANN401
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def start(self, *words: str, cwd: Path, stderr: str = "", **how: Any) -> Ran:  # noqa: ANN401
        """Start ``tsgkit`` with these words; ``stderr`` names a terminal.

        ``env`` is added to the environment, ``largest_file`` the size at which files are full, ``version`` that of the
        package, ``program`` a file that is run in place of ``tsgkit``, and ``warnings`` what becomes of its warnings.
        """
        self.number += 1
        out, err = (self.folder / f"{self.number}.{name}" for name in ("out", "err"))
        out.touch()
        err.touch()
        value = {"words": words, "cwd": str(cwd), "out": str(out), "err": stderr or str(err), **how}
        return Ran(self, self.request(value)["pid"], (out, err))

    def run(self, *words: str, cwd: Path, **how: Any) -> Ran:  # noqa: ANN401
        return self.start(*words, cwd=cwd, **how).wait()


@contextlib.contextmanager
def prefork(folder: Path) -> Iterator[Prefork]:
    """Such a process, for as long as the block lasts."""
    paths = os.pathsep.join(path for path in sys.path if path)
    hidden = ("_API_KEY", "_BASE_URL", "_API_BASE")
    environment = {name: value for name, value in os.environ.items() if not name.endswith(hidden)}
    environment |= {"PYTHONPATH": paths, "TSGKIT_CACHE_HOME": str(folder / "cache"), "TSGKIT_DEBUG": ""}
    command = [sys.executable, str(Path(__file__))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
    ) as process:
        yield Prefork(process, folder)
        assert process.stdin is not None
        process.stdin.close()


def _serve() -> None:
    import tsgkit.cli.eval
    import tsgkit.interface.evaluation
    import tsgkit.report.progress
    import tsgkit.suites.tsg.qa  # noqa: F401
    from tsgkit.lexicon.inflection import stem
    from tsgkit.llm import batches, litellm_calls
    from tsgkit.llm.direct_calls import DirectCalls
    from tsgkit.llm.settings import parse, settings_of

    address = parse(["api_base=http://127.0.0.1:9/v1"], ())
    DirectCalls(settings_of("openai/warm", address, {"temperature": 0})).prepare()  # loads what is loaded late
    stem("beds")  # loads NLTK
    importlib.import_module("langchain_core.messages")
    batches.PACE = batches.Pace(quiet=0.15, first_poll=0.1, longest_poll=0.3, rest=0.02)
    gc.collect()
    gc.freeze()  # what is loaded is garbage in no process, and looking through it copies it into each
    for line in sys.stdin:
        value = json.loads(line)
        if "program" in value or {"images", "--batch"} & {*value.get("words", ())}:
            litellm_calls.load()  # takes seconds, once
            importlib.import_module("fastapi")  # LiteLLM loads it late
            gc.freeze()
        if "poll" in value:
            pid, status = os.waitpid(value["poll"], os.WNOHANG)
            answer = {"code": os.waitstatus_to_exitcode(status) if pid else None}
        else:
            pid = os.fork()
            if not pid:
                _child(value)
            answer = {"pid": pid}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _child(value: dict[str, Any]) -> None:
    import resource

    code = 99
    try:
        os.setsid()
        for number, name in enumerate(("/dev/null", value["out"], value["err"])):
            handle = os.open(name, os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY)
            os.dup2(handle, number)
            os.close(handle)
        sys.stdin = open(0)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        os.chdir(value["cwd"])
        os.environ.update(environment := value.get("env", {}))
        sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        if "largest_file" in value:
            resource.setrlimit(resource.RLIMIT_FSIZE, (value["largest_file"],) * 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for module in ("evaluation", "run_setup") if "version" in value else ():
            vars(importlib.import_module(f"tsgkit.runs.{module}"))["__version__"] = value["version"]
        from tsgkit.cli import main

        sys.argv = [value.get("program", "tsgkit"), *value["words"]]
        if "program" in value:
            sys.path.insert(0, str(Path(value["program"]).parent))
            if "warnings" in value:
                warnings.simplefilter(value["warnings"])
            runpy.run_path(value["program"], run_name="__main__")
        code = 0 if "program" in value else main(value["words"])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else bool(error.code)
    except BaseException:  # noqa: BLE001  (as Python itself)
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


@cache
class _Servers:
    """The process that the servers of one module are forked from."""

    def __init__(self, module: str) -> None:
        command = [sys.executable, str(Path(__file__)), module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()
        atexit.register(self.process.communicate)  # its end is that of the servers that still run

    def numbers(self, count: int, **value: Any) -> list[int]:  # noqa: ANN401
        """Return the numbers with which a request is answered."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self.lock:
            self.process.stdin.write(json.dumps(value) + "\n")
            self.process.stdin.flush()
            return [int(self.process.stdout.readline()) for _ in range(count)]


@contextlib.contextmanager
def preforked(module: str, options: dict[str, object]) -> Iterator[int]:
    """Yield the port of a server with these options, for as long as the block lasts; then it is free."""
    servers = _Servers(module)
    pid, port = servers.numbers(2, options=options, cwd=str(Path.cwd()))
    try:
        yield port
    finally:
        servers.numbers(1, end=pid)


def _serve_servers(module: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the servers stop when who asked for them ends
    program = importlib.import_module(module)
    program.server({}).close()  # loads what is loaded late, serves nothing
    gc.collect()
    gc.freeze()
    running: set[int] = set()
    for line in sys.stdin:
        value = json.loads(line)
        if "end" in value:
            running.remove(value["end"])
            _kill(value["end"])
            print(value["end"], flush=True)
        elif pid := os.fork():
            running.add(pid)
        else:
            _server(program, value)
    for pid in running:
        _kill(pid)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)  # who has ended is a zombie until it is waited for, and takes no harm
    os.waitpid(pid, 0)


def _server(program: Any, value: dict[str, Any]) -> None:  # noqa: ANN401
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
    _serve_servers(sys.argv[1]) if sys.argv[1:] else _serve()
