"""Servers in processes of their own: killed in mid-edit, asked twice for a file, ended by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from served import refused, set_text, started, written

from tsgkit.serve.edit_page import edited_file

BEGUN = """
import os, signal, sys, time
from tsgkit.serve.background_process import start_in_process

def fails():
    if os.getpid() != parent:
        raise ValueError("only in the other process")
    return "done here"

def dies():
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done here"

parent = os.getpid()
for work in (fails, dies, lambda: "here" if os.getpid() == parent else "elsewhere"):
    print(start_in_process(work)())
start_in_process(lambda: time.sleep(60))
try:
    print("begun", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    pass
"""


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return written(tmp_path, "narrative")


def test_a_server_killed_in_mid_edit_loses_nothing_and_ctrl_c_tells_that_a_new_story_was_not_saved(
    story: Path, tmp_path: Path
) -> None:
    before = story.read_bytes()
    with started(story) as (process, editor):
        for number in range(25):
            assert editor.edit(set_text(f"Text {number}."))[0] == 200
        refused("another tsgkit edits this file", edited_file, story, hint="--annotator NAME")
        process.kill()
        process.wait(60)
    assert story.read_bytes() == before
    with started(story) as (process, again):
        assert (again.port, again.token) == (editor.port, editor.token), "open pages go on"
        assert again.data("document")["restored"]["edits"] == 25
        assert again.data("item", number=0)["value"]["descriptions"][0]["text"] == "Text 24."
        stale = {"number": 0, "revision": 0, "ops": [set_text("Stale.")]}
        assert again.post("edit", stale)[0] == 409
        assert again.post("save", {"accept_losses": False})[0] == 200
    assert "Text 24." in story.read_text()
    with started(story) as (_, third):
        assert third.data("document")["restored"] is None
        assert third.token != editor.token
    (sentences := tmp_path / "tea.txt").write_text("She washes the cup.\n")
    with started(tmp_path / "tea.jsonl", "--story", str(sentences)) as (process, _):
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "nothing was saved" in told and "everything is saved" not in told


def test_result_of_work_beside_comes_back_whatever_becomes_of_its_process_and_an_interrupt_leaves_none() -> None:
    pipe, command = subprocess.PIPE, [sys.executable, "-c", BEGUN]
    running = subprocess.Popen(command, text=True, start_new_session=True, stdout=pipe, stderr=pipe)
    assert running.stdout is not None
    where = "elsewhere" if sys.platform == "linux" else "here"
    for line in ("done here", "done here", where, "begun"):
        assert running.stdout.readline() == f"{line}\n"
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (0, "", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
