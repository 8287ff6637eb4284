"""Work that is begun in a process of its own: its result comes back, whatever becomes of the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from tsgkit.serve.ahead import begun_beside

BEGUN = """
import os, signal, sys
from tsgkit.serve.ahead import begun_beside

def fails():
    if os.getpid() != parent:
        raise ValueError("only in the other process")
    return "done here"

def dies():
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done here"

def is_elsewhere():
    return "here" if os.getpid() == parent else "elsewhere"

parent = os.getpid()
print(begun_beside({"fails": fails, "dies": dies, "works": is_elsewhere}[sys.argv[1]])())
"""


@pytest.mark.parametrize(("case", "told"), [("works", "elsewhere"), ("fails", "done here"), ("dies", "done here")])
def test_the_result_comes_back_whatever_becomes_of_the_process(case: str, told: str) -> None:
    done = subprocess.run([sys.executable, "-c", BEGUN, case], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == (told if sys.platform == "linux" else told.replace("elsewhere", "here"))
    assert done.stderr == ""


def test_beside_other_threads_no_process_is_started() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert begun_beside(os.getpid)() == os.getpid()
    finally:
        ended.set()
        thread.join()


def test_an_interrupt_leaves_no_process_and_prints_nothing() -> None:
    code = (
        "import os, time\nfrom tsgkit.serve.ahead import begun_beside\n"
        "begun_beside(lambda: time.sleep(60))\ntry:\n    print('begun', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pass\n"
    )
    command = [sys.executable, "-c", code]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    os.killpg(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=20)
    assert (running.returncode, told) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
