"""The sizes of benchmarks: the full ones, or with ``--smoke`` the smallest, which show in seconds that they still work.

Limits hold for full sizes alone, so nothing is missed in a smoke run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from typing import TypeVar

T = TypeVar("T")

SMOKE = "--smoke" in sys.argv
if SMOKE:
    sys.argv.remove("--smoke")  # so that no benchmark has to know the option


def sized(full: T, smallest: T) -> T:
    """Return how large something is in this run."""
    return smallest if SMOKE else full


def printed(program: str, *arguments: object, **environment: str) -> str:
    """Return what a program prints in a fresh process; in a smoke run in a fork, which has loaded what this one has."""
    words = [*map(str, arguments)]
    if not SMOKE:
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        return done.stdout
    with tempfile.TemporaryFile("w+") as output:
        if not (child := os.fork()):
            code = 1
            try:
                sys.argv, sys.stdout = ["-c", *words], output
                os.environ.update(environment)
                exec(program, {"__name__": "__main__"})  # noqa: S102
                output.flush()
                code = 0
            except BaseException:  # noqa: BLE001  (as Python itself)
                traceback.print_exc()
            finally:
                os._exit(code)
        if os.waitpid(child, 0)[1]:
            raise SystemExit("the program failed")
        output.seek(0)
        return output.read()
