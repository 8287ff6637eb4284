"""The editor's server: requests over HTTP, two browsers, hostile requests, kill -9 in mid-edit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from edited_files import WASH_VALUE, Editor, editing, set_text, splice, started, written

from tsgkit.library.documents.reader import read_file
from tsgkit.serve.edit_page import LONGEST_BODY, edit_file

pytest.importorskip("uvicorn", reason="the extra view is not installed")


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return written(tmp_path, "narrative")


@pytest.fixture
def editor(story: Path) -> Iterator[Editor]:
    with editing(story, annotator=None) as found:
        yield found


def test_an_item_is_read_edited_saved_and_marked(editor: Editor, story: Path) -> None:
    document = editor.data("document")
    assert (document["file"], document["format"], document["disk"], document["unsaved"]) == (
        "story.jsonl",
        "narrative",
        False,
        False,
    )
    assert document["items"][0]["item"] == "cups" and document["items"][0]["graphs"] == 2
    status, answer = editor.edit(splice("descriptions", 0, "graphs", 0, start=1, removed=1))
    assert status == 200 and [one["code"] for one in answer["checks"]["graphs"][0]["findings"]] == ["no-dobj"]
    assert editor.data("changes", since=document["revision"])["items"] == {"0": answer["revision"]}
    assert editor.post("save", {"accept_losses": False})[1]["items"] == [0]
    assert len(read_file(story).entries[0].narrative.graphs[0]) == 2
    status, found = editor.post("status", {"number": 0, "status": "done", "note": ""})
    assert (status, found["status"]) == (200, "done")
    assert editor.data("similar", number=0) == {"groups": []}


def test_of_two_browsers_the_later_edit_is_a_conflict_with_the_present_item(editor: Editor) -> None:
    revision = editor.data("item", number=0)["revision"]
    first = {"number": 0, "revision": revision, "ops": [set_text("First.")]}
    second = {"number": 0, "revision": revision, "ops": [set_text("Second.")]}
    assert editor.post("edit", first)[0] == 200
    status, answer = editor.post("edit", second)
    assert status == 409
    assert answer["item"]["value"]["descriptions"][0]["text"] == "First."
    assert editor.post("edit", second | {"revision": answer["item"]["revision"]})[0] == 200


def test_a_change_on_disk_is_a_conflict_until_it_is_settled(editor: Editor, story: Path) -> None:
    editor.edit(set_text("Mine."))
    story.write_text(story.read_text().replace("Then", "Now"))
    assert editor.data("changes", since=0)["disk"]
    status, answer = editor.post("save", {"accept_losses": False})
    assert (status, answer["disk"]) == (409, True) and "changed on disk" in answer["message"]
    assert editor.data("versions", number=0, other="disk")["name"] == "story.jsonl on disk"
    status, document = editor.post("resolve", {"how": "theirs"})
    assert status == 200 and not document["unsaved"] and not document["disk"]


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("edit", b"", "not an edit"),
        ("edit", b"[]", "not an edit"),
        ("edit", b"\xff\xfe", "not an edit"),
        ("edit", b'{"number": 0, "revision": 0}', "not an edit: ops"),
        ("edit", b'{"number": "0", "revision": 0, "ops": []}', "not an edit: number"),
        ("edit", b'{"number": true, "revision": 0, "ops": []}', "not an edit: number"),
        ("edit", b'{"number": 0, "revision": 0, "ops": [], "more": 1}', "not an edit: more"),
        ("edit", b'{"number": 9, "revision": 0, "ops": []}', "there is no item 9"),
        ("edit", b'{"number": -1, "revision": 0, "ops": []}', "there is no item -1"),
        ("edit", b'{"number": 1e400, "revision": 0, "ops": []}', "not an edit"),
        ("edit", b'{"number": 0, "revision": 0, "ops": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "not an edit"),
        ("save", b'{"accept_losses": "yes"}', "not a request to save"),
        ("save", b"null", "not a request to save"),
        ("status", b'{"number": 0, "status": "perfect"}', "no status perfect"),
        ("status", b'{"number": 0, "status": "done", "annotator": "eve"}', "not a status"),
        ("resolve", b'{"how": "force"}', "expected mine or theirs"),
    ],
)
def test_what_is_no_request_is_refused_and_nothing_changes(
    name: str, body: bytes, problem: str, editor: Editor, story: Path
) -> None:
    before, text = editor.data("document"), story.read_bytes()
    status, answer = editor.post(name, body)
    assert status == 400 and problem in answer["message"]
    assert editor.data("document") == before and story.read_bytes() == text


def test_bodies_have_a_limit_far_above_any_edit(editor: Editor) -> None:
    many = [WASH_VALUE] * 20_000
    status, answer = editor.edit(splice("descriptions", 0, "graphs", start=0, inserted=many))
    assert status == 200 and len(answer["checks"]["graphs"]) == 20_002
    status, answer = editor.post("edit", b'"' + b"x" * LONGEST_BODY + b'"')
    assert status == 400 and "too long" in answer["message"]


@pytest.mark.parametrize("name", ["edit", "save", "status", "resolve"])
def test_other_pages_change_nothing(name: str, editor: Editor) -> None:
    path = f"/{editor.token}/data/{name}"
    assert editor.request(path, "POST", b"{}", Origin="http://evil.example")[0] == 403
    assert editor.request(path, "POST", b"{}", Host="evil.example")[0] == 403
    assert editor.request(f"/wrong/data/{name}", "POST", b"{}")[0] == 403
    assert editor.request(path)[0] == 405


@pytest.mark.parametrize(
    "values", [{}, {"number": "x"}, {"number": "-1"}, {"number": "99"}, {"number": "1.0"}, {"number": "9" * 5000}]
)
def test_items_are_named_by_their_numbers(values: dict[str, str], editor: Editor) -> None:
    assert "bug" not in editor.problem("item", **values)
    assert "bug" not in editor.problem("versions", other="../../etc/passwd", **values)


def test_hostile_names_travel_as_they_are(editor: Editor, story: Path) -> None:
    hostile = ["</script><img src=x onerror=alert(1)>", "\u202e\u2028\x00", "__proto__"]
    status, _ = editor.edit(splice("descriptions", 0, "graphs", 0, start=0, inserted=[hostile]))
    assert status == 200
    assert editor.data("item", number=0)["value"]["descriptions"][0]["graphs"][0][0] == hostile
    assert editor.post("save", {"accept_losses": False})[0] in (200, 400)
    if editor.data("document")["unsaved"]:
        assert "She washes the cup." in story.read_text()


def test_a_program_serves_a_file_too(story: Path) -> None:
    with edit_file(story, annotator="ann") as page:
        address = urlsplit(page.address)
        found = Editor(address.port or 0, address.path.strip("/")).data("document")
    assert (found["file"], found["annotator"]) == ("story.ann.jsonl", "ann")
    with edit_file(story, annotator="ann"):
        pass


# Processes


@pytest.mark.slow
def test_a_server_that_is_killed_in_mid_edit_loses_nothing_it_acknowledged(story: Path) -> None:
    before = story.read_bytes()
    with started(story) as (process, editor):
        for number in range(25):
            assert editor.edit(set_text(f"Text {number}."))[0] == 200
        process.kill()
        process.wait(20)
    assert story.read_bytes() == before
    with started(story) as (process, again):
        assert (again.port, again.token) == (editor.port, editor.token), "open pages go on"
        document = again.data("document")
        assert document["restored"]["edits"] == 25
        assert again.data("item", number=0)["value"]["descriptions"][0]["text"] == "Text 24."
        stale = {"number": 0, "revision": 0, "ops": [set_text("Stale.")]}
        assert again.post("edit", stale)[0] == 409
        assert again.post("save", {"accept_losses": False})[0] == 200
    assert "Text 24." in story.read_text()
    with started(story) as (_, third):
        assert third.data("document")["restored"] is None
        assert third.token != editor.token


@pytest.mark.slow
def test_a_second_command_on_the_file_is_refused_while_the_first_lives(story: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", "view", str(story), "--edit", "--no-open"]
    with started(story) as (process, editor):
        editor.edit(set_text("Mine."))
        second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert second.returncode == 2
        assert "another tsgkit edits this file" in second.stderr and "--annotator NAME" in second.stderr
        assert editor.data("item", number=0)["value"]["descriptions"][0]["text"] == "Mine."
        process.kill()
        process.wait(20)
    with started(story) as (_, again):
        assert again.data("document")["restored"]["edits"] == 1


@pytest.mark.slow
def test_a_new_story_that_was_never_saved_is_not_told_as_saved(tmp_path: Path) -> None:
    (sentences := tmp_path / "tea.txt").write_text("She washes the cup.\n")
    with started(tmp_path / "tea.jsonl", "--story", str(sentences)) as (process, _):
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    assert "nothing was saved" in said and "everything is saved" not in said


@pytest.mark.slow
def test_ctrl_c_says_what_is_not_saved_and_how_to_go_on(story: Path) -> None:
    with started(story) as (process, editor):
        editor.edit(set_text("Mine."))
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "1 item has edits that are not saved; they are kept" in said
    assert f"go on: tsgkit view {story} --edit" in said
    with started(story) as (process, editor):
        assert editor.post("save", {"accept_losses": False})[0] == 200
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    assert "everything is saved" in said
    assert not list(story.parent.glob(".*draft*"))


def test_answers_have_all_fields_that_the_page_reads(editor: Editor) -> None:
    document, item = editor.data("document"), editor.data("item", number=0)
    assert set(document) == {
        *("file", "format", "annotator", "revision", "can", "losses", "items", "restored", "proposals", "disk"),
        "unsaved",
    }
    assert set(document["items"][0]) == {"item", "title", "graphs", "status", "unsaved"}
    assert set(item) == {"number", "revision", "value", "checks", "status", "unsaved"}
    assert set(item["checks"]) == {"graphs", "mentioned"}
    assert set(item["checks"]["graphs"][0]) == {"findings", "hands", "repairs"}
    assert json.dumps(item)


def test_the_page_is_the_editor_with_its_styles(editor: Editor) -> None:
    status, _, body = editor.request(f"/{editor.token}/")
    assert status == 200
    assert b"browser/editing.js" in body and b"browser/edit/edit.css" in body
