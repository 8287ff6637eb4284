"""Drafts: nothing acknowledged is lost, however a server ends, and no draft is destroyed unread."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from edited_files import change, set_text, written

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.documents.reader import read_file
from tsgkit.serve.edit_draft import Draft, Link, draft_file
from tsgkit.serve.edit_session import Edit
from tsgkit.serve.edited_file import EditedFile

Open = Callable[..., EditedFile]


def left_behind(opened: Open, story: Path, *texts: str, link: Link | None = None) -> Path:
    """Edit a file without saving it, as a server does that is killed, and return its draft."""
    file = opened(story)
    file.link = link
    for text in texts:
        change(file, set_text(text))
    file.close()
    return draft_file(story)


def first_text(file: EditedFile) -> str:
    text: str = file.session.item(0)["value"]["descriptions"][0]["text"]
    return text


def test_edits_are_restored_in_order_with_odd_texts(opened: Open, story: Path) -> None:
    odd = "<script>\u202e\u2028\n\"'\t\x85é😀"
    draft = left_behind(opened, story, "One.", odd)
    assert draft.stat().st_mode & 0o077 == 0, "only its owner can read it"
    file = opened(story)
    assert file.document()["restored"]["edits"] == 2 and file.document()["restored"]["time"]
    assert first_text(file) == odd and file.document()["unsaved"] and not file.notes
    change(file, set_text("Three."))
    file.close()
    assert first_text(opened(story)) == "Three."


def test_save_empties_the_draft_and_the_end_removes_it(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, set_text("One."))
    file.save()
    assert draft_file(story).read_bytes() == b""
    change(file, set_text("Two."))
    file.save()
    file.close()
    assert sorted(one.name for one in story.parent.iterdir() if "annotations" not in one.name) == ["story.jsonl"]


def test_last_line_that_was_cut_is_left_out_and_work_goes_on(opened: Open, tmp_path: Path) -> None:
    for cut in (1, 10, 40):
        (tmp_path / str(cut)).mkdir()
        story = written(tmp_path / str(cut), "narrative")
        draft = left_behind(opened, story, "One.", "Two.")
        draft.write_bytes(draft.read_bytes()[:-cut])
        file = opened(story)
        assert first_text(file) == "One." and not file.notes, cut
        change(file, set_text("Three."))
        file.close()
        again = opened(story)
        assert (first_text(again), again.document()["restored"]["edits"]) == ("Three.", 2), cut


def test_first_line_that_was_cut_held_nothing_acknowledged(opened: Open, story: Path) -> None:
    draft = left_behind(opened, story, "One.")
    draft.write_bytes(draft.read_bytes()[:30])
    file = opened(story)
    assert file.document()["restored"] is None and not file.notes


def test_what_is_no_draft_is_moved_aside_and_told(opened: Open, tmp_path: Path) -> None:
    for number, content in enumerate(
        (
            *(b"notes of mine\n", b"notes without an end", b'{"draft": 2, "more": 1}\n', b'{"draft": 1, "text": 5}\n'),
            *(b'{"draft": 1, broken}\n', b"\xff\xfe\x00\n"),
        )
    ):
        (tmp_path / str(number)).mkdir()
        story = written(tmp_path / str(number), "narrative")
        draft_file(story).write_bytes(content)
        file = opened(story)
        (aside,) = story.parent.glob("story.jsonl.draft.until-*")
        assert aside.read_bytes() == content
        assert aside.name in file.notes[0], content
        change(file, set_text("One."))
        file.close()
        assert first_text(opened(story)) == "One.", content


def test_edits_before_a_broken_line_are_restored_and_the_draft_is_kept_aside(opened: Open, tmp_path: Path) -> None:
    for number, line in enumerate(
        (
            *(b"broken", b"5", b'{"number": 0}', b'{"number": 7, "ops": [], "time": "now"}'),
            b'{"number": 0, "ops": [{"path": ["descriptions", 99, "text"], "value": "x"}], "time": "now"}',
        )
    ):
        (tmp_path / str(number)).mkdir()
        story = written(tmp_path / str(number), "narrative")
        draft = left_behind(opened, story, "One.", "Two.", "Three.")
        lines = draft.read_bytes().splitlines(keepends=True)
        draft.write_bytes(whole := b"".join([*lines[:3], line + b"\n", *lines[3:]]))
        file = opened(story)
        assert (first_text(file), file.document()["restored"]["edits"]) == ("Two.", 2), line
        (aside,) = story.parent.glob("story.jsonl.draft.until-*")
        assert aside.read_bytes() == whole and aside.name in file.notes[0]
        assert aside.stat().st_mode & 0o077 == 0, "it holds the token that the next server may take"
        file.close()
        again = opened(story)
        assert first_text(again) == "Two." and not again.notes, line


def test_draft_of_another_content_shows_both_versions(opened: Open, story: Path) -> None:
    left_behind(opened, story, "Mine.")
    story.write_text(theirs := story.read_text().replace("She washes the cup.", "Theirs."))
    file = opened(story)
    document = file.document()
    assert document["disk"] and document["unsaved"] and document["restored"]["edits"] == 1
    assert file.versions(0, "disk")["texts"] == [{"description": 0, "mine": "Mine.", "other": "Theirs."}]
    assert story.read_text() == theirs
    file.close()
    other = opened(story)
    other.resolve("mine")
    other.save()
    assert read_file(story).entries[0].narrative.descriptions[0].text == "Mine."


def test_draft_whose_edits_were_saved_already_is_no_conflict(
    opened: Open, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(story)
    change(file, set_text("One."))
    with monkeypatch.context() as patched:
        patched.setattr(Draft, "empty", lambda _: None)  # the server is killed before
        file.save()
        file.close()
    assert draft_file(story).stat().st_size
    document = opened(story).document()
    assert (document["disk"], document["unsaved"], document["restored"]) == (False, False, None)


def test_second_server_is_refused_until_the_first_ends(opened: Open, story: Path) -> None:
    with pytest.raises(FileProblem):
        opened(story, proposals=story.parent / "missing.jsonl")
    first = opened(story)  # a refused file stays free
    with pytest.raises(UsageError, match="another tsgkit edits this file") as error:
        opened(story)
    assert "--annotator NAME" in error.value.hint
    opened(story, annotator="ann")
    first.close()
    opened(story)


def test_draft_is_not_written_through_a_link(opened: Open, story: Path) -> None:
    (other := story.parent / "other").write_text("mine")
    draft_file(story).symlink_to(other)
    with pytest.raises(FileProblem, match="edits cannot be kept here"):
        opened(story)
    assert other.read_text() == "mine"


def test_address_is_kept_only_in_a_draft_that_nobody_else_could_write(opened: Open, story: Path) -> None:
    left_behind(opened, story, "One.", link=Link(54321, "t" * 32))
    again = opened(story)
    assert again.link == Link(54321, "t" * 32)
    again.close()
    draft_file(story).chmod(0o660)
    third = opened(story)
    assert third.link is None and first_text(third) == "One."
    third.close()
    for link in (Link(0, "t" * 32), Link(70000, "t" * 32), Link(80, ""), Link(80, "short"), Link(80, "../" * 12)):
        draft_file(story).unlink()
        left_behind(opened, story, "One.", link=link)
        file = opened(story)
        assert file.link is None, link
        file.close()


def test_edits_of_several_items_are_told_apart(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"id": "a", "descriptions": [{"text": "A."}]}\n{"id": "b", "descriptions": [{"text": "B."}]}\n')
    file = opened(path)
    change(file, set_text("A!"), number=0)
    change(file, set_text("B!"), number=1)
    file.close()
    lines = draft_file(path).read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines[1:]] == [0, 1]
    assert [one.descriptions[0].text for one in opened(path).session.narratives] == ["A!", "B!"]


def test_first_edit_brings_the_content_it_belongs_to(story: Path) -> None:
    draft = Draft(story)
    assert draft.read() is None
    for text in ("One.", "Two."):
        draft.add(Edit(0, [set_text(text)]), "the text", None)
    kept = draft.read()
    draft.close()
    assert kept is not None
    assert (kept.text, kept.checksum, len(kept.edits), kept.problem) == ("the text", None, 2, "")


def test_requests_that_come_after_the_end_change_nothing(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, set_text("One."))
    file.close()
    before = story.read_text()
    theirs: Callable[[], Any] = lambda: file.resolve("theirs")  # noqa: E731
    for act in (file.save, theirs, lambda: change(file, set_text("Two."))):
        with pytest.raises(UsageError, match="was closed"):
            act()
    assert story.read_text() == before
    assert first_text(opened(story)) == "One."


def test_end_waits_for_an_edit_that_is_being_kept(opened: Open, story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = opened(story)
    begun, may_end = threading.Event(), threading.Event()
    add = file._draft.add

    def slow(*words: Any) -> None:  # noqa: ANN401
        begun.set()
        may_end.wait(10)
        add(*words)

    monkeypatch.setattr(file._draft, "add", slow)
    editing = threading.Thread(target=change, args=(file, set_text("One.")))
    editing.start()
    begun.wait(10)
    ending = threading.Thread(target=file.close)
    ending.start()
    ending.join(0.05)
    assert draft_file(story).exists() and ending.is_alive()
    may_end.set()
    editing.join()
    ending.join()
    assert first_text(opened(story)) == "One."
