"""Files that are edited: every format comes back as it was, and nothing of anybody is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from edited_files import DRY_VALUE, SGDS, STORY, TEXTS, WASH_VALUE, change, set_text, splice, written

from tsgkit.errors import CannotCarry, FileProblem, UsageError
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import Conflict

Open = Callable[..., EditedFile]
PUT = ["wash", "in", "sink"]
MUG = set_text("She washes the mug.")


def last_graph(file: EditedFile) -> tuple[int, int]:
    descriptions = file.session.item(0)["value"]["descriptions"]
    number = next(at for at in reversed(range(len(descriptions))) if descriptions[at]["graphs"])
    return number, len(descriptions[number]["graphs"]) - 1


def written_apart(folder: Path, format: str) -> Path:
    (folder / format).mkdir()
    return written(folder / format, format)


# Formats


def test_edit_is_saved_in_the_same_format_and_undone_writes_the_same_values(opened: Open, tmp_path: Path) -> None:
    for format, (_, original) in TEXTS.items():
        before = read_file(path := written_apart(tmp_path, format))
        file = opened(path)
        description, graph = last_graph(file)
        where = ("descriptions", description, "graphs", graph)
        change(file, splice(*where, start=0, inserted=[PUT]))
        assert file.save()["items"] == [0], format
        after = read_file(path)
        assert (after.format, after.findings) == (before.format, before.findings), format
        assert [one.narrative for one in after.entries] == list(file.session.narratives), format
        assert list(after.entries[0].narrative.graphs[-1].triplets[0]) == PUT, format
        assert [one.narrative for one in after.entries[1:]] == [one.narrative for one in before.entries[1:]], format
        change(file, splice(*where, start=0, removed=1))
        file.save()
        text = path.read_text()
        if format in ("arrow", "graphml"):
            assert text == original
        elif original.count("\n") > 1 and "list" not in format and format not in ("triplets", "node-link"):
            lines = [[json.loads(one) for one in whole.splitlines()] for whole in (text, original)]
            assert lines[0] == lines[1], format
        else:
            assert json.loads(text) == json.loads(original), format


def test_changes_that_the_format_cannot_carry_are_refused(opened: Open, tmp_path: Path) -> None:
    for format in TEXTS:
        file = opened(written_apart(tmp_path, format))
        can, (description, graph) = file.document()["can"], last_graph(file)
        names = {"object": ["cup"], "relationship": [], "verb": []}
        ops = {
            "vocabulary": {"path": ["vocabulary"], "value": names},
            "texts": set_text("Another sentence.", description),
            "graphs": splice("descriptions", description, "graphs", start=graph + 1, inserted=[DRY_VALUE]),
            "borders": splice("descriptions", start=0, inserted=[{"text": "New.", "graphs": []}]),
        }
        before = file.session.item(0)
        for what in [what for what in ops if not can[what]]:
            with pytest.raises(UsageError, match=file.document()["format"]):
                change(file, ops[what])
        assert file.session.item(0) == before, format
        for what in [what for what in ops if can[what]]:
            change(file, ops[what])
        file.save()
        assert [one.narrative for one in read_file(file.path).entries] == list(file.session.narratives), format


def test_rows_of_selection_keep_one_target_whose_candidate_follows(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgds"))
    with pytest.raises(UsageError, match="sgds: graphs cannot be added"):
        change(file, splice("descriptions", 1, "graphs", start=1, inserted=[WASH_VALUE]))
    change(file, splice("descriptions", 1, "graphs", 0, start=2, removed=1))
    file.save()
    row = json.loads(path.read_text())
    assert row == SGDS | {"triplet": DRY_VALUE[:2], "variation_triplets": [WASH_VALUE, DRY_VALUE[:2]]}


def test_all_of_a_story_is_kept_beside_its_edits_and_so_are_the_rights_of_its_file(opened: Open, story: Path) -> None:
    story.chmod(0o640)
    file = opened(story)
    change(file, splice("descriptions", start=1, removed=1))
    file.save()
    (entry,) = read_file(story).entries
    kept = entry.narrative
    assert (kept.descriptions, kept.id) == (STORY.descriptions[:1], STORY.id)
    assert (kept.summaries, kept.facts) == (STORY.summaries, STORY.facts)
    assert story.stat().st_mode & 0o777 == 0o640


def test_name_or_graph_that_the_format_cannot_carry_is_named_and_nothing_is_written(
    opened: Open, tmp_path: Path
) -> None:
    for number, (format, op, reason) in enumerate(
        (
            ("arrow", splice("descriptions", 0, "graphs", 1, start=0, inserted=[["a", "dobj", ""]]), "it is empty"),
            ("arrow", splice("descriptions", 0, "graphs", 1, start=0, inserted=[["a -> b", "d", "c"]]), "an arrow"),
            ("graphml", splice("descriptions", 0, "graphs", 1, start=0, inserted=[["w", "d", "c\x07p"]]), "control"),
            ("arrow", splice("descriptions", 0, "graphs", 1, start=0, removed=3), "it has no triplets"),
        )
    ):
        (tmp_path / str(number)).mkdir()
        path = written(tmp_path / str(number), format)
        before, file = path.read_bytes(), opened(path)
        change(file, op)
        with pytest.raises(CannotCarry, match=r"item 0, graph 1: ") as error:
            file.save()
        assert reason in error.value.message
        assert path.read_bytes() == before
        assert file.document()["unsaved"]


def test_what_saving_would_drop_is_not_edited(opened: Open, tmp_path: Path) -> None:
    for text, problem, hint in (
        ('{"descriptions": []}\n{"descriptions": [}\n', "line 2", "tsgkit check"),
        ('{"descriptions": []}\n{"descriptions": [], "mood": "good"}\n', "no field 'mood'", "tsgkit check"),
        ('[[["a", "b", "c"], ["a", "b"]]]', "graph 0: triplet 1", "tsgkit check"),
        ("wash -> dobj -> cup\nwash -> dobj ->\n", "line 2", "tsgkit check"),
        ("digraph {\n a -> b;\n}\n", "written, never read", "tsgkit convert FILE"),
        ("flowchart LR\n a --> b\n", "written, never read", "tsgkit convert FILE"),
        ('{"answer": "person -> verb -> wash"}', "its JSON is none of the formats", "tsgkit convert"),
        ("", "the file is empty", ""),
        ("A story about a cup.\n", "no triplet", ""),
    ):
        path = tmp_path / "file.txt"
        path.write_text(text)
        with pytest.raises(FileProblem, match=problem) as error:
            opened(path)
        assert hint in error.value.hint, text
        assert [one.name for one in tmp_path.iterdir()] == ["file.txt"], "no draft is left"
        with pytest.raises(FileProblem, match=r"file\.txt: ") as error:  # not the version that is not there yet
            opened(path, annotator="ann")
        assert "file.ann" not in str(error.value) + error.value.hint


def test_losses_are_told_and_must_be_accepted(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "graphs.txt"
    path.write_text("# My graphs\nperson -> verb -> wash\nwash -> dobj -> cup\n")
    file = opened(path)
    assert file.document()["losses"] == ["1 line without triplets"]
    change(file, splice("descriptions", 0, "graphs", 0, start=2, inserted=[["wash", "with", "hand1"]]))
    with pytest.raises(UsageError, match="saving would drop 1 line without triplets"):
        file.save()
    file.save(accept_losses=True)
    assert path.read_text() == "person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n"
    assert file.document()["losses"] == []


def test_attributes_and_remarks_of_whole_graphs_are_losses(opened: Open, tmp_path: Path) -> None:
    value = json.loads(TEXTS["node-link lines"][1].splitlines()[0])
    for name in ("links.json", "links.jsonl"):
        for more in ({"graph": {"camera": "left"}}, {"camera": "left"}):
            (path := tmp_path / name).write_text(json.dumps(value | more) + "\n")
            file = opened(path)
            assert file.document()["losses"] == ["other fields: camera"], (name, more)
            file.close()
    for remark, loss in (("<desc>left</desc>", "descriptions"), ("<!-- left -->", "comments")):
        path = written(tmp_path, "graphml")
        path.write_text(path.read_text().replace("<graph ", f"{remark}<graph ", 1))
        file = opened(path)
        assert file.document()["losses"] == [f"other fields: {loss}"]
        file.close()


# The file on disk


def test_file_that_changed_on_disk_is_not_overwritten(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, MUG)
    story.write_text(theirs := story.read_text().replace("Then dry", "Now dry"))
    assert file.changes(0)["disk"] and file.document()["disk"]
    with pytest.raises(Conflict, match=r"changed on disk") as conflict:
        file.save()
    assert conflict.value.value["disk"] is True
    assert story.read_text() == theirs
    texts = file.versions(0, "disk")["texts"]
    assert [(one["mine"], one["other"]) for one in texts] == [
        ("She washes the mug.", "She washes the cup."),
        ("Then dry it with the towel.", "Now dry it with the towel."),
    ]


def test_mine_replaces_what_is_on_disk_then_and_nothing_later(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, MUG)
    story.write_text(story.read_text().replace("Then", "Now"))
    assert file.resolve("mine")["disk"] is False
    story.write_text(story.read_text().replace("Now", "Later"))
    with pytest.raises(Conflict):
        file.save()
    file.resolve("mine")
    file.save()
    assert read_file(story).entries[0].narrative == file.session.narratives[0]
    assert file.session.narratives[0].descriptions[0].text == "She washes the mug."


def test_theirs_is_read_again_and_unsaved_edits_go(opened: Open, story: Path) -> None:
    file = opened(story)
    revision = change(file, MUG)["revision"]
    text = story.read_text()
    story.write_text("broken {")
    with pytest.raises(FileProblem):
        file.resolve("theirs")
    with pytest.raises(UsageError, match="expected mine or theirs"):
        file.resolve("both")
    assert file.session.item(0)["value"]["descriptions"][0]["text"] == "She washes the mug."
    story.write_text(text.replace("Then", "Now") + '{"id": "more", "descriptions": []}\n')
    document = file.resolve("theirs")
    assert [one["item"] for one in document["items"]] == ["cups", "more"]
    assert not document["disk"] and not document["unsaved"]
    assert file.session.item(0)["revision"] > revision
    assert file.session.item(0)["value"]["descriptions"][1]["text"] == "Now dry it with the towel."
    file.close()
    assert opened(story).document()["restored"] is None


def test_deleted_file_is_told_and_written_anew_on_request(opened: Open, story: Path) -> None:
    file = opened(story)
    change(file, MUG)
    story.unlink()
    assert file.document()["disk"]
    with pytest.raises(Conflict, match="was deleted"):
        file.save()
    with pytest.raises(UsageError, match="the file is gone"):
        file.versions(0, "disk")
    file.resolve("mine")
    file.save()
    assert read_file(story).entries[0].narrative == file.session.narratives[0]


def test_saving_without_edits_writes_nothing(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "story.jsonl"
    path.write_text(json.dumps(narratives.to_value(STORY), indent=2))
    before = path.stat().st_mtime_ns, path.read_bytes()
    assert opened(path).save()["items"] == []
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def test_file_behind_a_link_is_edited_and_the_link_stays(opened: Open, story: Path, tmp_path: Path) -> None:
    (link := tmp_path / "link.jsonl").symlink_to(story)
    file = opened(link)
    with pytest.raises(UsageError, match="another tsgkit edits this file"):
        opened(story)
    change(file, MUG)
    file.save()
    assert link.is_symlink()
    assert "She washes the mug." in story.read_text()


def test_read_only_file_is_refused_before_work_begins_and_never_replaced(
    opened: Open, story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = opened(story), story.read_bytes()
    change(file, MUG)
    monkeypatch.setattr(os, "access", lambda place, _: place != story)  # the superuser may write it
    with pytest.raises(FileProblem, match="the file is read-only"):
        file.save()
    assert (story.read_bytes(), file.session.unsaved) == (before, [0])
    file.close()
    with pytest.raises(FileProblem, match="the file is read-only") as error:
        opened(story)
    assert "--annotator NAME" in error.value.hint
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileProblem, match="the file is read-only") as error:
        opened(story)
    assert "copy it to a folder" in error.value.hint
    opened(story, annotator="ann")


def test_what_is_no_file_is_refused(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, problem in (
        ("missing.jsonl", "no such file"),
        ("folder", "this is a folder"),
        ("none/story.jsonl", "there is no folder"),
        ("-", "standard input"),
        ("a\0b", "not a file name"),
    ):
        with pytest.raises(UsageError, match=problem) as error:
            opened(name)
        assert ("--story TEXTFILE" in error.value.hint) is (name == "missing.jsonl")


def full(*_: object) -> int:
    raise OSError(28, "No space left on device")


def test_full_disk_refuses_the_edit_or_save_and_loses_nothing(
    opened: Open, story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = opened(story), story.read_bytes()
    change(file, MUG)
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, data: full(write(handle, data[:7])))
        with pytest.raises(FileProblem, match=r"the edit cannot be kept: No space left on device"):
            change(file, set_text("Refused."))
    change(file, set_text("She washes the jug."))
    file.close()
    again = opened(story)
    assert again.document()["restored"]["edits"] == 2
    assert again.session.item(0)["value"]["descriptions"][0]["text"] == "She washes the jug."
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(FileProblem, match="No space left on device"):
            again.save()
    assert story.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == [".story.jsonl.draft", "story.jsonl"]
    again.save()
    assert b"jug" in story.read_bytes()


# Versions of annotators, new stories, proposals, statuses


def test_annotator_keeps_a_version_of_their_own(opened: Open, story: Path) -> None:
    before, own = story.read_bytes(), story.with_name("story.ann.jsonl")
    ann, ben = opened(story, annotator="ann"), opened(story, annotator="ben")
    assert ann.document()["file"] == "story.ann.jsonl" and not own.exists()
    change(ann, set_text("Ann's."))
    change(ben, set_text("Ben's."))
    ann.save()
    ben.save()
    assert story.read_bytes() == before
    ann.close()
    again = opened(story, annotator="ann")
    assert again.session.narratives[0].descriptions[0].text == "Ann's."
    again.close()
    assert opened(own, annotator="ann").document()["file"] == "story.ann.jsonl"


def test_edits_of_a_version_that_is_not_saved_yet_are_restored(opened: Open, story: Path) -> None:
    file = opened(story, annotator="ann")
    change(file, set_text("Ann's."))
    file.close()
    story.write_text(story.read_text().replace("Then", "Now"))
    again = opened(story, annotator="ann")
    assert (again.document()["restored"]["edits"], again.document()["disk"]) == (1, False)
    again.save()
    assert "Ann's." in story.with_name("story.ann.jsonl").read_text()


def test_name_of_an_annotator_is_part_of_a_file_name(opened: Open, story: Path) -> None:
    for name in ("", "a/b", "../x", ".", "..", ".ann", "a\0", "a\n", "-ann", "x" * 65, "a:b", "<b>"):
        with pytest.raises(UsageError, match="not a part of a file name"):
            opened(story, annotator=name)
    for name in ("ann", "J. Doe", "ann@lab.org", "Zoë", "a-b_c+d", "x" * 64):
        file = opened(story, annotator=name)
        change(file, set_text("Mine."))
        file.save()
        assert story.with_name(f"story.{name}.jsonl").exists(), name


def test_new_story_begins_with_its_sentences_and_is_written_at_the_first_save(opened: Open, tmp_path: Path) -> None:
    (story := tmp_path / "story.txt").write_text("She washes the cup.\n\n  Then she dries it. \n")
    file = opened(path := tmp_path / "new.jsonl", story=story)
    texts = [one["text"] for one in file.session.item(0)["value"]["descriptions"]]
    assert texts == ["She washes the cup.", "Then she dries it."]
    change(file, splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE]))
    assert not path.exists()
    file.close()
    sentences = story.read_text()
    story.write_text("Another.\n")
    with pytest.raises(UsageError, match="unsaved edits of another story"):
        opened(path, story=story)
    story.write_text(sentences)
    again = opened(path)
    assert again.document()["restored"]["edits"] == 1, "without the story they go on"
    again.close()
    again = opened(path, story=story)
    again.save()
    again.close()
    assert read_file(path).entries[0].narrative.graphs[0].actions == ("wash",)
    with pytest.raises(UsageError, match="there already"):
        opened(path, story=story)
    for name in ("new.json", "new.txt", "new.graphml", "new"):
        with pytest.raises(UsageError, match=r"cannot carry the sentences|no format has the ending"):
            opened(tmp_path / name, story=story)


def test_proposals_are_matched_by_id_and_the_others_are_told(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"id": "a", "descriptions": [{"text": "A."}]}\n{"id": "b", "descriptions": [{"text": "B."}]}\n')
    (proposed := tmp_path / "proposed.jsonl").write_text(
        '{"id": "c", "descriptions": [{"text": "C."}]}\n{"id": "b", "descriptions": [{"text": "B!"}]}\n'
    )
    file = opened(path, proposals=proposed)
    assert file.document()["proposals"] == "proposed.jsonl"
    assert "1 item has no version there (a); 1 of its items is not in the file" in file.notes[0]
    assert file.versions(1, "proposal")["texts"] == [{"description": 0, "mine": "B.", "other": "B!"}]
    with pytest.raises(UsageError, match="no version of this item"):
        file.versions(0, "proposal")


def test_proposals_without_ids_are_matched_by_position(opened: Open, story: Path, tmp_path: Path) -> None:
    (proposed := tmp_path / "proposed.json").write_text(json.dumps([WASH_VALUE[:2], DRY_VALUE]))
    file = opened(story, proposals=proposed)
    assert not file.notes
    (pair,) = file.versions(0, "proposal")["pairs"]
    assert (pair["description"], pair["graph"], pair["number"], pair["matched"]) == (0, 0, 0, 2)
    extra: dict[str, Any] = {"kind": "extra", "reference": None, "candidate": ["wash", "with", "hand1"], "outside": []}
    assert pair["changes"] == [extra]
    with pytest.raises(UsageError, match="no other version"):
        file.versions(0, "third")


def test_statuses_are_kept_by_item_with_annotator_and_time(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgqa"))
    file.session.set_status(1, "unsure", "which cup?")
    change(file, splice("descriptions", 0, "graphs", 0, start=3, inserted=[PUT]))
    file.save()
    lines = [json.loads(line) for line in (tmp_path / "sgqa.jsonl.annotations.jsonl").read_text().splitlines()]
    kept = [(one["item"], one["status"], one["note"]) for one in lines]
    assert kept == [("r", "unsure", "which cup?"), ("q", "open", "")]
    assert all(one["annotator"] == file.annotator and one["time"] for one in lines)
    file.close()
    assert [one["status"]["status"] for one in opened(path).document()["items"]] == ["open", "unsure"]


def test_items_of_one_id_have_statuses_of_their_own_also_after_theirs_is_read(opened: Open, tmp_path: Path) -> None:
    (path := tmp_path / "twice.jsonl").write_text('{"id": "a", "descriptions": []}\n' * 2)
    file = opened(path)
    file.session.set_status(0, "done", "")
    file.session.set_status(1, "unsure", "")
    path.write_text('{"id": "b", "descriptions": []}\n' + '{"id": "a", "descriptions": []}\n' * 2)
    listed = file.resolve("theirs")["items"]
    assert [one["status"]["status"] for one in listed] == ["open", "done", "unsure"]
    file.close()
    assert [one["status"]["status"] for one in opened(path).document()["items"]] == ["open", "done", "unsure"]


def test_statuses_that_cannot_be_kept_are_told_and_the_file_is_saved(opened: Open, story: Path) -> None:
    statuses = story.with_name("story.jsonl.annotations.jsonl")
    statuses.write_text('{"item": "cups", "status": "done", "mine": 1}\n{"item": "cups", "status": "unsure"}\n')
    file = opened(story)
    assert file.session.status(0).status == "unsure", "of two lines about an item the last counts"
    file.session.set_status(0, "done", "")
    (line,) = map(json.loads, statuses.read_text().splitlines())
    assert line["status"] == "done"
    change(file, set_text("Mine."))
    statuses.write_text("notes of mine\n")
    with pytest.raises(UsageError, match=r"story\.jsonl is saved, but .*annotations\.jsonl: line 1"):
        file.save()
    assert "Mine." in story.read_text() and not file.document()["unsaved"]
    file.close()
    with pytest.raises(UsageError, match="line 1"):
        opened(story)
    assert statuses.read_text() == "notes of mine\n"
