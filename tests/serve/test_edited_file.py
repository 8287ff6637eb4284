"""Files that are edited: every format comes back as it was, and nothing of anybody is lost, however a server ends."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from served import (
    DRY_VALUE,
    SGDS,
    STORY,
    TEXTS,
    WASH_VALUE,
    Client,
    change,
    editing,
    refused,
    set_text,
    splice,
    written,
)

from tsgkit.errors import CannotCarry, FileProblem
from tsgkit.library.documents.reader import read_file
from tsgkit.serve import edit_page
from tsgkit.serve.background_process import start_in_process
from tsgkit.serve.edit_draft import Draft, ServerAddress, draft_file
from tsgkit.serve.edit_page import edit_file, edited_file
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import StaleChange

Open = Callable[..., EditedFile]
Patch = pytest.MonkeyPatch
PUT = ["wash", "in", "sink"]
MUG = set_text("She washes the mug.")
TWO = '{"id": "a", "descriptions": [{"text": "A."}]}\n{"id": "b", "descriptions": [{"text": "B."}]}\n'


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Open:
    def open_file(*words: Any, **options: Any) -> EditedFile:  # noqa: ANN401
        file = edited_file(*words, **options)
        request.addfinalizer(file.close)
        return file

    return open_file


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return written(tmp_path, "narrative")


def apart(folder: Path, name: object, format: str = "narrative") -> Path:
    (folder / str(name)).mkdir()
    return written(folder / str(name), format)


def texts(file: EditedFile) -> list[str]:
    return [one["text"] for one in file.session.item(0)["value"]["descriptions"]]


def statuses(file: EditedFile) -> list[str]:
    return [one["status"]["status"] for one in file.document()["items"]]


def test_edits_are_saved_in_every_format_and_refused_where_it_cannot_carry_them(opened: Open, tmp_path: Path) -> None:
    for format, (_, original) in TEXTS.items():
        before = read_file(path := apart(tmp_path, format, format))
        file = opened(path)
        can, parts = file.document()["can"], file.session.item(0)["value"]["descriptions"]
        number = max(place for place, part in enumerate(parts) if part["graphs"])
        graphs = ("descriptions", number, "graphs")
        graph = (*graphs, len(parts[number]["graphs"]) - 1)
        change(file, splice(*graph, start=0, inserted=[PUT]))
        assert file.save()["items"] == [0], format
        after = read_file(path)
        assert (after.format, after.findings) == (before.format, before.findings), format
        assert [one.narrative for one in after.entries] == list(file.session.narratives), format
        assert list(after.entries[0].narrative.graphs[-1].triplets[0]) == PUT, format
        assert after.entries[1:] == before.entries[1:], format
        change(file, splice(*graph, start=0, removed=1))
        file.save()
        text = path.read_text()
        if format in ("arrow", "graphml"):
            assert text == original
        elif path.suffix == ".jsonl":
            assert [*map(json.loads, text.splitlines())] == [*map(json.loads, original.splitlines())], format
        else:
            assert json.loads(text) == json.loads(original), format
        ops = {
            "vocabulary": {"path": ["vocabulary"], "value": {"object": ["cup"], "relationship": [], "verb": []}},
            "texts": set_text("Another sentence.", number),
            "graphs": splice(*graphs, start=len(parts[number]["graphs"]), inserted=[DRY_VALUE]),
            "borders": splice("descriptions", start=0, inserted=[{"text": "New.", "graphs": []}]),
        }
        item = file.session.item(0)
        for what in [what for what in ops if not can[what]]:
            refused(file.document()["format"], change, file, ops[what])
        assert file.session.item(0) == item, format
        for what in [what for what in ops if can[what]]:
            change(file, ops[what])
        file.save()
        assert [one.narrative for one in read_file(path).entries] == list(file.session.narratives), format


def test_other_parts_of_rows_stories_and_files_are_kept(opened: Open, story: Path, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgds"))
    change(file, splice("descriptions", 1, "graphs", 0, start=2, removed=1))
    file.save()
    row = json.loads(path.read_text())  # the candidate follows the target
    assert row == SGDS | {"triplet": DRY_VALUE[:2], "variation_triplets": [WASH_VALUE, DRY_VALUE[:2]]}
    story.chmod(0o640)
    file = opened(story)
    change(file, splice("descriptions", start=1, removed=1))
    file.save()
    kept = read_file(story).entries[0].narrative
    assert (kept.descriptions, kept.id) == (STORY.descriptions[:1], STORY.id)
    assert (kept.summaries, kept.facts) == (STORY.summaries, STORY.facts)
    assert story.stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_of_graphs_is_not_edited(opened: Open, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    for text, problem, hint in (
        ('{"descriptions": []}\n{"descriptions": [}\n', "a part cannot be read.*line 2", "tsgkit check"),
        ('{"descriptions": []}\n{"descriptions": [], "mood": "good"}\n', "no field 'mood'", "tsgkit check"),
        ('[[["a", "b", "c"], ["a", "b"]], [["a"]]]', "2 parts.*graph 1: triplet 2.*; item 0, graph 2", "tsgkit check"),
        ("digraph {\n a -> b;\n}\n", "written, never read", "tsgkit convert FILE"),
        ('{"answer": "person -> verb -> wash"}', "its JSON is none of the formats", "tsgkit convert"),
        ("", "the file is empty", ""),
        ("A story about a cup.\n", "no triplet", "--story"),
    ):
        (path := tmp_path / "file.txt").write_text(text)
        refused(problem, opened, path, hint=hint)
        assert [one.name for one in tmp_path.iterdir()] == ["file.txt"], "no draft is left"
        with pytest.raises(FileProblem, match=r"file\.txt: ") as error:  # not the version that is not there yet
            opened(path, annotator="ann")
        assert "file.ann" not in str(error.value) + error.value.hint
    (tmp_path / "folder").mkdir()
    for name, problem, hint in (
        ("missing.jsonl", "no such file", "--story TEXTFILE"),
        ("folder", "this is a folder", "name a file of graphs"),
        ("none/story.jsonl", "there is no folder", "make it first"),
        ("-", "standard input", "write it to a file"),
        ("a\0b", "not a file name", ""),
    ):
        refused(problem, opened, name, hint=hint)


def test_losses_must_be_accepted_and_what_a_format_cannot_carry_is_named(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "graphs.txt"
    path.write_text("# My graphs\nperson -> verb -> wash\nwash -> dobj -> cup\n")
    file = opened(path)
    assert file.document()["losses"] == ["1 line without triplets"]
    change(file, splice("descriptions", 0, "graphs", 0, start=2, inserted=[["wash", "with", "hand1"]]))
    refused("saving would drop 1 line without triplets", file.save)
    file.save(accept_losses=True)
    assert path.read_text() == "person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n"
    assert file.document()["losses"] == []
    value = json.loads(TEXTS["node-link lines"][1].splitlines()[0])
    graphml = TEXTS["graphml"][1]
    for name, text, loss in (
        ("links.json", json.dumps(value | {"graph": {"camera": "left"}}), "camera"),
        ("links.jsonl", json.dumps(value | {"camera": "left"}) + "\n", "camera"),
        ("graphs.graphml", graphml.replace("<graph ", "<desc>left</desc><graph ", 1), "descriptions"),
        ("more.graphml", graphml.replace("<graph ", "<!-- left --><graph ", 1), "comments"),
    ):
        (tmp_path / name).write_text(text)
        assert opened(tmp_path / name).document()["losses"] == [f"other fields: {loss}"], name
    for format, removed, inserted, reason in (
        ("arrow", 0, [["a", "dobj", ""]], "it is empty"),
        ("arrow", 0, [["a -> b", "d", "c"]], "an arrow"),
        ("graphml", 0, [["w", "d", "c\x07p"]], "control"),
        ("arrow", 3, [], "it has no triplets"),
    ):
        path = apart(tmp_path, reason, format)
        before, file = path.read_bytes(), opened(path)
        change(file, splice("descriptions", 0, "graphs", 1, start=0, removed=removed, inserted=inserted))
        with pytest.raises(CannotCarry, match=r"item 0, graph 2: ") as error:
            file.save()
        assert reason in error.value.message
        assert path.read_bytes() == before and file.document()["unsaved"], reason


def test_mine_replaces_what_is_on_disk_then_and_nothing_later(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, MUG)
    story.write_text(theirs := story.read_text().replace("Then dry", "Now dry"))
    assert file.changes(0)["disk"] and file.document()["disk"]
    with pytest.raises(StaleChange, match=r"changed on disk") as conflict:
        file.save()
    assert conflict.value.value["disk"] is True and story.read_text() == theirs
    assert file.versions(0, "disk")["texts"] == [
        {"description": 0, "mine": "She washes the mug.", "other": "She washes the cup."},
        {"description": 1, "mine": "Then dry it with the towel.", "other": "Now dry it with the towel."},
    ]
    assert file.resolve("mine")["disk"] is False
    story.unlink()
    assert file.document()["disk"]
    with pytest.raises(StaleChange, match="was deleted"):
        file.save()
    refused("the file is gone", file.versions, 0, "disk")
    file.resolve("mine")
    file.save()
    assert read_file(story).entries[0].narrative == file.session.narratives[0]
    assert texts(file) == ["She washes the mug.", "Then dry it with the towel."]
    before = story.stat().st_mtime_ns
    assert file.save()["items"] == [] and story.stat().st_mtime_ns == before, "without edits nothing is written"


def test_theirs_is_read_again_and_unsaved_edits_go(opened: Open, story: Path) -> None:
    file = opened(story)
    revision = change(file, MUG)["revision"]
    text = story.read_text()
    story.write_text("broken {")
    refused(r"story\.jsonl", file.resolve, "theirs")
    refused("expected mine or theirs", file.resolve, "both")
    assert texts(file)[0] == "She washes the mug."
    file.session.set_status(0, "done", "")
    same = '{"id": "cups", "descriptions": []}\n'
    story.write_text('{"id": "more", "descriptions": []}\n' + text.replace("Then", "Now") + same)
    document = file.resolve("theirs")
    assert [one["item"] for one in document["items"]] == ["more", "cups", "cups"]
    assert statuses(file) == ["open", "done", "open"], "items of one id have statuses of their own"
    assert not document["disk"] and not document["unsaved"]
    item = file.session.item(1)
    assert item["revision"] > revision and item["value"]["descriptions"][1]["text"] == "Now dry it with the towel."
    file.session.set_status(2, "unsure", "")
    file.close()
    again = opened(story)
    assert again.document()["restored"] is None and statuses(again) == ["open", "done", "unsure"]


def test_read_only_file_is_refused_and_never_replaced(opened: Open, story: Path, monkeypatch: Patch) -> None:
    file, before = opened(story), story.read_bytes()
    change(file, MUG)
    monkeypatch.setattr(os, "access", lambda place, _: place != story)  # the superuser may write it
    refused("the file is read-only", file.save)
    assert (story.read_bytes(), file.session.unsaved) == (before, [0])
    file.close()
    for may_write, hint in ((True, "--annotator NAME"), (False, "copy it to a folder")):
        monkeypatch.setattr(os, "access", lambda place, _, may=may_write: may and place != story)
        refused("the file is read-only", opened, story, hint=hint)
    opened(story, annotator="ann")


def full(*_: object) -> int:
    raise OSError(28, "No space left on device")


def test_full_disk_refuses_the_edit_or_save_and_loses_nothing(opened: Open, story: Path, monkeypatch: Patch) -> None:
    file, before = opened(story), story.read_bytes()
    change(file, MUG)
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, data: full(write(handle, data[:7])))
        refused(r"the edit cannot be kept: No space left on device", change, file, set_text("Refused."))
    change(file, set_text("She washes the jug."))
    file.close()
    again = opened(story)
    assert again.document()["restored"]["edits"] == 2 and texts(again)[0] == "She washes the jug."
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        refused("No space left on device", again.save)
    assert story.read_bytes() == before
    assert sorted(one.name for one in story.parent.iterdir()) == [".story.jsonl.draft", "story.jsonl"]
    again.save()
    assert b"jug" in story.read_bytes()


def test_annotator_keeps_a_version_of_their_own(opened: Open, story: Path) -> None:
    before, own = story.read_bytes(), story.with_name("story.ann.jsonl")
    ann, ben = opened(story, annotator="ann"), opened(story, annotator="ben")
    assert ann.document()["file"] == "story.ann.jsonl" and not own.exists()
    change(ann, set_text("Ann's."))
    change(ben, set_text("Ben's."))
    ben.save()
    ann.close()
    assert story.read_bytes() == before
    story.write_text(story.read_text().replace("Then", "Now"))
    again = opened(story, annotator="ann")
    assert (again.document()["restored"]["edits"], again.document()["disk"]) == (1, False)
    again.save()
    again.close()
    again = opened(own, annotator="ann")
    assert (again.document()["file"], texts(again)[0]) == ("story.ann.jsonl", "Ann's.")
    for name in ("", "a/b", "../x", ".", "..", ".ann", "a\0", "a\n", "-ann", "x" * 65, "a:b", "<b>"):
        refused("not a part of a file name", opened, story, annotator=name)
    for name in ("J. Doe", "ann@lab.org", "Zoë", "a-b_c+d", "x" * 64):
        file = opened(story, annotator=name)
        change(file, set_text("Mine."))
        file.save()
        assert story.with_name(f"story.{name}.jsonl").exists(), name


def test_new_story_begins_with_its_sentences_and_is_written_at_the_first_save(opened: Open, tmp_path: Path) -> None:
    (story := tmp_path / "story.txt").write_text("She washes the cup.\n\n  Then she dries it. \n")
    file = opened(path := tmp_path / "new.jsonl", story=story)
    assert texts(file) == ["She washes the cup.", "Then she dries it."]
    change(file, splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE]))
    assert not path.exists()
    file.close()
    sentences = story.read_text()
    story.write_text("Another.\n")
    refused("unsaved edits of another story", opened, path, story=story)
    story.write_text(sentences)
    again = opened(path)
    assert again.document()["restored"]["edits"] == 1, "without the story they go on"
    again.close()
    again = opened(path, story=story)
    again.save()
    again.close()
    assert read_file(path).entries[0].narrative.graphs[0].actions == ("wash",)
    refused("there already", opened, path, story=story)
    for name, problem in (("new.json", "cannot carry the sentences"), ("new", "no format has the ending")):
        refused(problem, opened, tmp_path / name, story=story)
    story.write_text(" \n")
    refused("the story has no sentence", opened, tmp_path / "other.jsonl", story=story)


def test_proposals_are_matched_by_id_or_position(opened: Open, story: Path, tmp_path: Path) -> None:
    (path := tmp_path / "two.jsonl").write_text(TWO)
    (proposed := tmp_path / "proposed.jsonl").write_text(TWO.replace('"a"', '"c"').replace("B.", "B!"))
    file = opened(path, proposals=proposed)
    assert file.document()["proposals"] == "proposed.jsonl"
    assert file.notes[0].endswith("1 item has no version there (a); 1 of its items is not in the file")
    assert file.versions(1, "proposal")["texts"] == [{"description": 0, "mine": "B.", "other": "B!"}]
    for number, other, problem in ((0, "proposal", "no version of this item"), (0, "third", "no other version")):
        refused(problem, file.versions, number, other)
    (proposed := tmp_path / "proposed.json").write_text(json.dumps([WASH_VALUE[:2], DRY_VALUE]))
    file = opened(story, proposals=proposed)
    assert not file.notes
    extra: dict[str, Any] = {"kind": "extra", "reference": None, "candidate": ["wash", "with", "hand1"], "outside": []}
    places = {"description": 0, "graph": 0, "number": 0, "mine": WASH_VALUE, "other": WASH_VALUE[:2]}
    assert file.versions(0, "proposal")["pairs"] == [places | {"matched": 2, "changes": [extra]}]
    refused(r"missing\.jsonl", opened, path, annotator="ann", proposals=tmp_path / "missing.jsonl")
    opened(path, annotator="ann")  # a refused file stays free


def test_statuses_are_kept_by_item_and_where_they_cannot_be_the_file_is_saved(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgqa"))
    kept = tmp_path / "sgqa.jsonl.annotations.jsonl"
    file.session.set_status(1, "unsure", "which cup?")
    change(file, splice("descriptions", 0, "graphs", 0, start=3, inserted=[PUT]))
    saved = file.save()
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    told = [(one["item"], one["status"], one["note"], one["annotator"]) for one in lines]
    assert told == [("r", "unsure", "which cup?", file.session.annotator), ("q", "open", "", file.session.annotator)]
    assert lines[1]["time"] == saved["time"] and statuses(file) == ["open", "unsure"]
    file.close()
    kept.write_text('{"item": "q", "status": "done", "mine": 1}\n{"item": "q", "status": "unsure"}\n')
    file = opened(path)
    assert statuses(file) == ["unsure", "open"], "of two lines about an item the last counts"
    change(file, splice("descriptions", 0, "graphs", 0, start=3, removed=1))
    kept.write_text("notes of mine\n")
    refused(r"sgqa\.jsonl is saved, but .*annotations\.jsonl: line 1", file.save)
    assert not file.document()["unsaved"]
    file.close()
    for text, problem in (("notes of mine\n", "line 1"), ('{"item": "q", "status": "perfect"}\n', "not a status")):
        kept.write_text(text)
        refused(problem, opened, path)
        assert kept.read_text() == text


def left_behind(opened: Open, story: Path, *texts: str, link: ServerAddress | None = None) -> Path:
    """Edit a file without saving it, as a server does that is killed, and return its draft."""
    file = opened(story)
    file.link = link
    for text in texts:
        change(file, set_text(text))
    file.close()
    return draft_file(story)


def restored(file: EditedFile) -> tuple[str, int]:
    return texts(file)[0], file.document()["restored"]["edits"]


def test_edits_are_restored_in_order_and_saving_empties_the_draft(opened: Open, story: Path) -> None:
    odd = "<script>\u202e\u2028\n\"'\t\x85é😀"
    draft = left_behind(opened, story, "One.", odd)
    assert draft.stat().st_mode & 0o077 == 0, "only its owner can read it"
    file = opened(story)
    assert restored(file) == (odd, 2) and file.document()["restored"]["time"]
    assert file.document()["unsaved"] and not file.notes
    change(file, set_text("Three."))
    file.close()
    file = opened(story)
    assert restored(file) == ("Three.", 3)
    file.save()
    assert draft.read_bytes() == b"" and file.document()["restored"] is None
    change(file, set_text("Four."))
    file.close()
    for act in (file.save, lambda: file.resolve("theirs"), lambda: change(file, MUG)):
        refused("was closed", act)
    file = opened(story)
    assert restored(file) == ("Four.", 1)
    file.save()
    file.close()
    assert sorted(one.name for one in story.parent.iterdir() if "annotations" not in one.name) == ["story.jsonl"]


def test_edits_before_what_is_no_line_of_a_draft_are_restored_and_it_is_kept_aside(opened: Open, story: Path) -> None:
    draft = left_behind(opened, story, "One.", "Two.", "Three.")
    lines, unedited = draft.read_bytes().splitlines(keepends=True), "She washes the cup."
    misfit = b'{"number": 0, "ops": [{"path": ["descriptions", 99, "text"], "value": "x"}], "time": "now"}'
    broken = (b"broken", b"5", b'{"number": 0}', b'{"number": 7, "ops": [], "time": "now"}', misfit)
    foreign = (b"notes of mine\n", b"notes without an end", b'{"draft": 2, "more": 1}\n', b"\xff\xfe\x00\n")
    for content, text, edits, is_told in (
        # a line that was cut was not acknowledged
        *((b"".join(lines)[:-cut], "Two.", 2, False) for cut in (1, 10, 40)),
        (lines[0] + lines[1][:30], unedited, 0, False),
        (lines[0][:30], unedited, 0, False),
        *((b"".join([*lines[:3], line + b"\n", *lines[3:]]), "Two.", 2, True) for line in broken),
        *((one, unedited, 0, True) for one in (*foreign, b'{"draft": 1, "text": 5}\n', b'{"draft": 1, broken}\n')),
    ):
        draft.write_bytes(content)
        file = opened(story)
        told = file.document()["restored"]
        assert (texts(file)[0], told["edits"] if told else 0) == (text, edits), content
        asides = list(story.parent.glob("story.jsonl.draft.until-*"))
        assert len(asides) == len(file.notes) == int(is_told), content
        for aside in asides:
            assert aside.read_bytes() == content and aside.name in file.notes[0]
            assert aside.stat().st_mode & 0o077 == 0, "it holds the token that the next server may take"
            aside.unlink()
        change(file, set_text("Four."))
        file.close()
        again = opened(story)
        assert restored(again) == ("Four.", edits + 1) and not again.notes, content
        again.close()


def test_draft_of_another_content_shows_both_until_it_is_saved(opened: Open, story: Path, monkeypatch: Patch) -> None:
    left_behind(opened, story, "Mine.")
    story.write_text(theirs := story.read_text().replace("She washes the cup.", "Theirs."))
    file = opened(story)
    document = file.document()
    assert document["disk"] and document["unsaved"] and document["restored"]["edits"] == 1
    assert file.versions(0, "disk")["texts"] == [{"description": 0, "mine": "Mine.", "other": "Theirs."}]
    assert story.read_text() == theirs
    file.resolve("mine")
    with monkeypatch.context() as patched:
        patched.setattr(Draft, "empty", lambda _: None)  # the server is killed before
        file.save()
        file.close()
    assert draft_file(story).stat().st_size
    file = opened(story)
    document = file.document()
    assert (document["disk"], document["unsaved"], document["restored"]) == (False, False, None)
    assert texts(file)[0] == "Mine."


def test_second_server_is_refused_until_the_first_ends_and_a_draft_is_no_link(opened: Open, story: Path) -> None:
    first = opened(story)
    refused("another tsgkit edits this file", opened, story, hint="--annotator NAME")
    first.close()
    opened(story).close()
    (other := story.parent / "other").write_text("mine")
    draft_file(story).symlink_to(other)
    refused("edits cannot be kept here", opened, story)
    assert other.read_text() == "mine"
    draft_file(story).unlink()
    (link := story.parent / "link.jsonl").symlink_to(story)
    file = opened(link)
    refused("another tsgkit edits this file", opened, story)
    change(file, MUG)
    file.save()
    assert link.is_symlink() and "She washes the mug." in story.read_text()


def test_address_is_kept_only_in_a_draft_that_nobody_else_could_write(opened: Open, story: Path) -> None:
    left_behind(opened, story, "One.", link=ServerAddress(65535, "t" * 32))
    again = opened(story)
    assert again.link == ServerAddress(65535, "t" * 32)
    again.close()
    draft_file(story).chmod(0o660)
    third = opened(story)
    assert third.link is None and texts(third)[0] == "One."
    third.close()
    for link in (
        ServerAddress(0, "t" * 32),
        ServerAddress(65536, "t" * 32),
        ServerAddress(80, ""),
        ServerAddress(80, "short"),
        ServerAddress(80, "../" * 12),
    ):
        draft_file(story).unlink()
        left_behind(opened, story, "One.", link=link)
        file = opened(story)
        assert file.link is None, link
        file.close()


def test_item_is_read_edited_saved_and_marked_and_a_change_on_disk_is_a_conflict(story: Path) -> None:
    save = {"accept_losses": False}
    with editing(story) as editor:
        status, _, page = editor.request(f"/{editor.token}/")
        assert status == 200 and b"browser/editing.js" in page and b"browser/edit/edit.css" in page
        document = editor.data("document")
        told = (document["file"], document["format"], document["disk"], document["unsaved"])
        assert told == ("story.jsonl", "narrative", False, False)
        status, answer = editor.edit(splice("descriptions", 0, "graphs", 0, start=1, removed=1))
        assert status == 200 and [one["code"] for one in answer["checks"]["graphs"][0]["findings"]] == ["no-dobj"]
        assert editor.data("changes", since=document["revision"])["items"] == {"0": answer["revision"]}
        assert editor.post("save", save)[1]["items"] == [0]
        assert len(read_file(story).entries[0].narrative.graphs[0]) == 2
        status, found = editor.post("status", {"number": 0, "status": "done", "note": ""})
        assert (status, found["status"]) == (200, "done")
        assert editor.data("similar", number=0) == {"groups": []}
        editor.edit(set_text("Mine."))
        story.write_text(story.read_text().replace("Then", "Now"))
        assert editor.data("changes", since=0)["disk"]
        status, answer = editor.post("save", save)
        assert (status, answer["disk"]) == (409, True) and "changed on disk" in answer["message"]
        assert editor.data("versions", number=0, other="disk")["name"] == "story.jsonl on disk"
        status, document = editor.post("resolve", {"how": "theirs"})
        assert status == 200 and not document["unsaved"] and not document["disk"]


def test_what_is_no_request_is_refused_and_nothing_changes(story: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(edit_page, "LONGEST_BODY", 200_000)
    deep = b'{"number": 0, "revision": 0, "ops": ' + b"[" * 20_000 + b"]" * 20_000 + b"}"
    with editing(story) as editor:
        before, text = editor.data("document"), story.read_bytes()
        for name, body, problem in (
            *(("edit", body, "not an edit") for body in (b"", b"\xff\xfe", deep)),
            ("edit", b'{"number": 0, "revision": 0}', "not an edit: ops"),
            ("edit", b'{"number": true, "revision": 0, "ops": []}', "not an edit: number"),
            ("edit", b'{"number": 0, "revision": 0, "ops": [], "more": 1}', "not an edit: more"),
            ("edit", b'{"number": -1, "revision": 0, "ops": []}', "there is no item -1"),
            ("edit", b'{"number": 1e400, "revision": 0, "ops": []}', "not an edit"),
            ("edit", b'"' + b"x" * 200_000 + b'"', "too long"),
            ("save", b'{"accept_losses": "yes"}', "not a request to save"),
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
            assert editor.request(f"/wrong/data/{name}", "POST", b"{}")[0] == 403, name
            assert editor.request(path)[0] == 405, name
        assert editor.data("document") == before and story.read_bytes() == text
        status, answer = editor.edit(splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE] * 2_000))
        assert status == 200 and len(answer["checks"]["graphs"]) == 2_002


def test_program_serves_a_file_too(story: Path) -> None:
    for _ in range(2):
        with edit_file(story, annotator="ann") as page:
            address = urlsplit(page.address)
            found = Client(address.port or 0, address.path.strip("/")).data("document")
        assert (found["file"], found["annotator"]) == ("story.ann.jsonl", "ann")


def test_beside_other_threads_no_process_is_started() -> None:
    (thread := threading.Timer(60, print)).start()
    assert start_in_process(os.getpid)() == os.getpid()
    thread.cancel()
