"""The editor's server: requests over HTTP, two browsers, hostile requests."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from edited_files import WASH_VALUE, Editor, editing, set_text, splice

from tsgkit.library.documents.reader import read_file
from tsgkit.serve import edit_page
from tsgkit.serve.ahead import begun_beside
from tsgkit.serve.edit_page import edit_file


@pytest.fixture
def editor(story: Path) -> Iterator[Editor]:
    with editing(story, annotator=None) as found:
        yield found


def test_item_is_read_edited_saved_and_marked(editor: Editor, story: Path) -> None:
    status, _, page = editor.request(f"/{editor.token}/")
    assert status == 200 and b"browser/editing.js" in page and b"browser/edit/edit.css" in page
    document, item = editor.data("document"), editor.data("item", number=0)
    names = ("file", "format", "annotator", "revision", "can", "losses", "items", "restored", "proposals")
    assert set(document) == {*names, "disk", "unsaved"}
    assert set(document["items"][0]) == {"item", "title", "graphs", "status", "unsaved"}
    assert set(item) == {"number", "revision", "value", "checks", "status", "unsaved"}
    assert set(item["checks"]) == {"graphs", "mentioned"}
    assert set(item["checks"]["graphs"][0]) == {"findings", "hands", "repairs"}
    told = (document["file"], document["format"], document["disk"], document["unsaved"])
    assert told == ("story.jsonl", "narrative", False, False)
    assert document["items"][0]["item"] == "cups" and document["items"][0]["graphs"] == 2
    status, answer = editor.edit(splice("descriptions", 0, "graphs", 0, start=1, removed=1))
    assert status == 200 and [one["code"] for one in answer["checks"]["graphs"][0]["findings"]] == ["no-dobj"]
    assert editor.data("changes", since=document["revision"])["items"] == {"0": answer["revision"]}
    assert editor.post("save", {"accept_losses": False})[1]["items"] == [0]
    assert len(read_file(story).entries[0].narrative.graphs[0]) == 2
    status, found = editor.post("status", {"number": 0, "status": "done", "note": ""})
    assert (status, found["status"]) == (200, "done")
    assert editor.data("similar", number=0) == {"groups": []}


def test_change_on_disk_is_a_conflict_until_it_is_settled(editor: Editor, story: Path) -> None:
    editor.edit(set_text("Mine."))
    story.write_text(story.read_text().replace("Then", "Now"))
    assert editor.data("changes", since=0)["disk"]
    status, answer = editor.post("save", {"accept_losses": False})
    assert (status, answer["disk"]) == (409, True) and "changed on disk" in answer["message"]
    assert editor.data("versions", number=0, other="disk")["name"] == "story.jsonl on disk"
    status, document = editor.post("resolve", {"how": "theirs"})
    assert status == 200 and not document["unsaved"] and not document["disk"]


def test_what_is_no_request_is_refused_and_nothing_changes(editor: Editor, story: Path) -> None:
    before, text = editor.data("document"), story.read_bytes()
    for name, body, problem in (
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
    ):
        status, answer = editor.post(name, body)
        assert status == 400 and problem in answer["message"], body[:40]
    for values in ({}, *({"number": number} for number in ("x", "-1", "99", "1.0", "9" * 5000))):
        assert "bug" not in editor.problem("item", **values)
        assert "bug" not in editor.problem("versions", other="../../etc/passwd", **values)
    for name in ("edit", "save", "status", "resolve"):
        path = f"/{editor.token}/data/{name}"
        assert editor.request(path, "POST", b"{}", Origin="http://evil.example")[0] == 403, name
        assert editor.request(path, "POST", b"{}", Host="evil.example")[0] == 403, name
        assert editor.request(f"/wrong/data/{name}", "POST", b"{}")[0] == 403, name
        assert editor.request(path)[0] == 405, name
    assert editor.data("document") == before and story.read_bytes() == text


def test_bodies_have_a_limit_far_above_any_edit(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_page, "LONGEST_BODY", 200_000)
    with editing(story) as editor:
        status, answer = editor.edit(splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE] * 2_000))
        assert status == 200 and len(answer["checks"]["graphs"]) == 2_002
        status, answer = editor.post("edit", b'"' + b"x" * 200_000 + b'"')
        assert status == 400 and "too long" in answer["message"]


def test_program_serves_a_file_too(story: Path) -> None:
    with edit_file(story, annotator="ann") as page:
        address = urlsplit(page.address)
        found = Editor(address.port or 0, address.path.strip("/")).data("document")
    assert (found["file"], found["annotator"]) == ("story.ann.jsonl", "ann")
    with edit_file(story, annotator="ann"):
        pass


def test_beside_other_threads_no_process_is_started() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert begun_beside(os.getpid)() == os.getpid()
    finally:
        ended.set()
        thread.join()
