"""Files that are edited: every format comes back as it was, and nothing of anybody is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from edited_files import DRY_VALUE, SGDS, STORY, TEXTS, WASH_VALUE, change, set_text, splice, written

from tsgkit.errors import CannotCarry, FileProblem, UsageError
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file
from tsgkit.serve.edit_page import edited_file
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import Conflict

Open = Callable[..., EditedFile]
PUT = ["wash", "in", "sink"]
ADD_TRIPLET = splice("descriptions", 0, "graphs", 0, start=3, inserted=[PUT])


@pytest.fixture
def opened() -> Iterator[Open]:
    """A function that opens files, which are closed at the end."""
    with ExitStack() as kept:

        def open_file(*words: Any, **options: Any) -> EditedFile:  # noqa: ANN401
            file = edited_file(*words, **options)
            kept.callback(file.close)
            return file

        yield open_file


def last_graph(file: EditedFile) -> tuple[int, int]:
    descriptions = file.session.item(0)["value"]["descriptions"]
    number = next(at for at in reversed(range(len(descriptions))) if descriptions[at]["graphs"])
    return number, len(descriptions[number]["graphs"]) - 1


# Formats


@pytest.mark.parametrize("format", TEXTS)
def test_an_edited_triplet_is_saved_in_the_same_format(format: str, opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, format)
    before = read_file(path)
    file = opened(path)
    description, graph = last_graph(file)
    change(file, splice("descriptions", description, "graphs", graph, start=0, inserted=[PUT]))
    assert file.save()["items"] == [0]
    after = read_file(path)
    assert (after.format, after.findings) == (before.format, before.findings)
    assert [one.narrative for one in after.entries] == list(file.session.narratives)
    assert list(after.entries[0].narrative.graphs[-1].triplets[0]) == PUT
    assert [one.narrative for one in after.entries[1:]] == [one.narrative for one in before.entries[1:]]


@pytest.mark.parametrize("format", TEXTS)
def test_an_edit_that_is_undone_writes_the_same_values(format: str, opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, format)
    file = opened(path)
    description, graph = last_graph(file)
    where = ("descriptions", description, "graphs", graph)
    change(file, splice(*where, start=0, inserted=[PUT]))
    file.save()
    change(file, splice(*where, start=0, removed=1))
    file.save()
    text, original = path.read_text(), TEXTS[format][1]
    if format in ("arrow", "graphml"):
        assert text == original
    elif original.count("\n") > 1 and "list" not in format and format not in ("triplets", "node-link"):
        assert [json.loads(one) for one in text.splitlines()] == [json.loads(one) for one in original.splitlines()]
    else:
        assert json.loads(text) == json.loads(original)


@pytest.mark.parametrize("format", TEXTS)
def test_changes_that_the_format_cannot_carry_are_refused(format: str, opened: Open, tmp_path: Path) -> None:
    file = opened(written(tmp_path, format))
    can, (description, graph) = file.document()["can"], last_graph(file)
    names = {"object": ["cup"], "relationship": [], "verb": []}
    ops = {
        "texts": set_text("Another sentence.", description),
        "borders": splice("descriptions", start=0, inserted=[{"text": "New.", "graphs": []}]),
        "graphs": splice("descriptions", description, "graphs", start=graph + 1, inserted=[DRY_VALUE]),
        "vocabulary": {"path": ["vocabulary"], "value": names},
    }
    before = file.session.item(0)
    for what, op in ops.items():
        if not can[what]:
            with pytest.raises(UsageError, match=file.document()["format"]):
                change(file, op)
    assert file.session.item(0) == before
    for what in ("vocabulary", "texts", "graphs", "borders"):
        if can[what]:
            change(file, ops[what])
    file.save()
    assert [one.narrative for one in read_file(file.path).entries] == list(file.session.narratives)


def test_rows_of_selection_keep_one_target_whose_candidate_follows(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgds"))
    with pytest.raises(UsageError, match="sgds: graphs cannot be added"):
        change(file, splice("descriptions", 1, "graphs", start=1, inserted=[WASH_VALUE]))
    change(file, splice("descriptions", 1, "graphs", 0, start=2, removed=1))
    file.save()
    row = json.loads(path.read_text())
    assert row == SGDS | {"triplet": DRY_VALUE[:2], "variation_triplets": [WASH_VALUE, DRY_VALUE[:2]]}


def test_all_of_a_story_is_kept_beside_its_edits(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, splice("descriptions", start=1, removed=1))
    file.save()
    (entry,) = read_file(path).entries
    kept = entry.narrative
    assert (kept.descriptions, kept.id, kept.summaries, kept.facts) == (
        STORY.descriptions[:1],
        STORY.id,
        STORY.summaries,
        STORY.facts,
    )


@pytest.mark.parametrize(
    ("format", "bad", "reason"),
    [
        ("arrow", ["wash", "dobj", ""], "it is empty"),
        ("arrow", ["a -> b", "dobj", "c"], "it holds an arrow"),
        ("graphml", ["wash", "dobj", "c\x07p"], "control character"),
    ],
)
def test_a_name_that_the_format_cannot_carry_is_named_and_nothing_is_written(
    format: str, bad: list[str], reason: str, opened: Open, tmp_path: Path
) -> None:
    path = written(tmp_path, format)
    before, file = path.read_bytes(), opened(path)
    change(file, splice("descriptions", 0, "graphs", 1, start=0, inserted=[bad]))
    with pytest.raises(CannotCarry, match=r"item 0, graph 1: ") as error:
        file.save()
    assert reason in error.value.message
    assert path.read_bytes() == before
    assert file.document()["unsaved"]


def test_a_graph_without_triplets_is_not_dropped_from_arrow_text(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "arrow"))
    change(file, splice("descriptions", 0, "graphs", 0, start=0, removed=3))
    with pytest.raises(CannotCarry, match="item 0, graph 0: it has no triplets"):
        file.save()
    assert len(read_file(path).entries[0].graphs) == 2


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ('{"descriptions": []}\n{"descriptions": [}\n', "line 2", "tsgkit check"),
        ('{"descriptions": []}\n{"descriptions": [], "mood": "good"}\n', "no field 'mood'", "tsgkit check"),
        ('[[["a", "b", "c"], ["a", "b"]]]', "graph 0: triplet 1", "tsgkit check"),
        ("wash -> dobj -> cup\nwash -> dobj ->\n", "line 2", "tsgkit check"),
        ("digraph {\n a -> b;\n}\n", "written, never read", "tsgkit convert FILE"),
        ("flowchart LR\n a --> b\n", "written, never read", "tsgkit convert FILE"),
        ('{"answer": "person -> verb -> wash"}', "its JSON is none of the formats", "tsgkit convert"),
        ("", "the file is empty", ""),
        ("A story about a cup.\n", "no triplet", ""),
    ],
)
def test_what_saving_would_drop_is_not_edited(text: str, problem: str, hint: str, opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text)
    with pytest.raises(FileProblem, match=problem) as error:
        opened(path)
    assert hint in error.value.hint
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


@pytest.mark.parametrize("name", ["links.json", "links.jsonl"])
@pytest.mark.parametrize("more", [{"graph": {"camera": "left"}}, {"camera": "left"}])
def test_attributes_of_whole_node_link_graphs_are_losses(
    more: dict[str, Any], name: str, opened: Open, tmp_path: Path
) -> None:
    value = json.loads(TEXTS["node-link lines"][1].splitlines()[0])
    (path := tmp_path / name).write_text(json.dumps(value | more) + "\n")
    assert opened(path).document()["losses"] == ["other fields: camera"]


@pytest.mark.parametrize(("remark", "loss"), [("<desc>left</desc>", "descriptions"), ("<!-- left -->", "comments")])
def test_remarks_in_graphml_are_losses(remark: str, loss: str, opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "graphml")
    path.write_text(path.read_text().replace("<graph ", f"{remark}<graph ", 1))
    assert opened(path).document()["losses"] == [f"other fields: {loss}"]


# The file on disk


def test_a_file_that_changed_on_disk_is_not_overwritten(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("She washes the mug."))
    path.write_text(theirs := path.read_text().replace("Then dry", "Now dry"))
    assert file.changes(0)["disk"] and file.document()["disk"]
    with pytest.raises(Conflict, match=r"changed on disk") as conflict:
        file.save()
    assert conflict.value.value["disk"] is True
    assert path.read_text() == theirs
    texts = file.versions(0, "disk")["texts"]
    assert [(one["mine"], one["other"]) for one in texts] == [
        ("She washes the mug.", "She washes the cup."),
        ("Then dry it with the towel.", "Now dry it with the towel."),
    ]


def test_mine_replaces_what_is_on_disk_then_and_nothing_later(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("She washes the mug."))
    path.write_text(path.read_text().replace("Then", "Now"))
    assert file.resolve("mine")["disk"] is False
    path.write_text(path.read_text().replace("Now", "Later"))
    with pytest.raises(Conflict):
        file.save()
    file.resolve("mine")
    file.save()
    assert read_file(path).entries[0].narrative == file.session.narratives[0]
    assert file.session.narratives[0].descriptions[0].text == "She washes the mug."


def test_theirs_is_read_again_and_unsaved_edits_go(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    revision = change(file, set_text("She washes the mug."))["revision"]
    path.write_text(path.read_text().replace("Then", "Now") + '{"id": "more", "descriptions": []}\n')
    document = file.resolve("theirs")
    assert [one["item"] for one in document["items"]] == ["cups", "more"]
    assert not document["disk"] and not document["unsaved"]
    assert file.session.item(0)["revision"] > revision
    assert file.session.item(0)["value"]["descriptions"][1]["text"] == "Now dry it with the towel."
    file.close()
    assert opened(path).document()["restored"] is None


def test_theirs_has_the_statuses_of_its_items(opened: Open, tmp_path: Path) -> None:
    (path := tmp_path / "twice.jsonl").write_text('{"id": "a", "descriptions": []}\n' * 2)
    file = opened(path)
    file.session.set_status(0, "done", "")
    file.session.set_status(1, "unsure", "")
    path.write_text('{"id": "b", "descriptions": []}\n' + '{"id": "a", "descriptions": []}\n' * 2)
    listed = file.resolve("theirs")["items"]
    assert [one["status"]["status"] for one in listed] == ["open", "done", "unsure"]


def test_theirs_is_refused_while_it_cannot_be_read(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("She washes the mug."))
    path.write_text("broken {")
    with pytest.raises(FileProblem):
        file.resolve("theirs")
    assert file.session.item(0)["value"]["descriptions"][0]["text"] == "She washes the mug."
    with pytest.raises(UsageError, match="expected mine or theirs"):
        file.resolve("both")


def test_a_deleted_file_is_told_and_written_anew_on_request(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("She washes the mug."))
    path.unlink()
    assert file.document()["disk"]
    with pytest.raises(Conflict, match="was deleted"):
        file.save()
    with pytest.raises(UsageError, match="the file is gone"):
        file.versions(0, "disk")
    file.resolve("mine")
    file.save()
    assert read_file(path).entries[0].narrative == file.session.narratives[0]


def test_saving_without_edits_writes_nothing(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "story.jsonl"
    path.write_text(json.dumps(narratives.to_value(STORY), indent=2))
    before = path.stat().st_mtime_ns, path.read_bytes()
    assert opened(path).save()["items"] == []
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def test_the_file_behind_a_link_is_edited_and_the_link_stays(opened: Open, tmp_path: Path) -> None:
    real = written(tmp_path, "narrative")
    (link := tmp_path / "link.jsonl").symlink_to(real)
    file = opened(link)
    with pytest.raises(UsageError, match="another tsgkit edits this file"):
        opened(real)
    change(file, set_text("She washes the mug."))
    file.save()
    assert link.is_symlink()
    assert "She washes the mug." in real.read_text()


def test_the_rights_of_a_file_stay(opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "narrative")
    path.chmod(0o640)
    file = opened(path)
    change(file, set_text("She washes the mug."))
    file.save()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_read_only_file_is_refused_before_work_begins(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "narrative")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda place, _: place != path)  # the superuser may write it
    with pytest.raises(FileProblem, match="the file is read-only") as error:
        opened(path)
    assert "--annotator NAME" in error.value.hint
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileProblem, match="the file is read-only") as error:
        opened(path)
    assert "copy it to a folder" in error.value.hint
    opened(path, annotator="ann")


def test_a_file_that_was_made_read_only_meanwhile_is_not_replaced(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "narrative")
    file, before = opened(path), path.read_bytes()
    change(file, ADD_TRIPLET)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileProblem, match="the file is read-only"):
        file.save()
    assert path.read_bytes() == before
    assert file.session.unsaved == [0]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.jsonl", "no such file"),
        ("folder", "this is a folder"),
        ("none/story.jsonl", "there is no folder"),
        ("-", "standard input"),
        ("a\0b", "not a file name"),
    ],
)
def test_what_is_no_file_is_refused(
    name: str, problem: str, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=problem):
        opened(name)


def test_a_missing_file_can_be_begun_from_sentences(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as error:
        opened(tmp_path / "story.jsonl")
    assert "--story TEXTFILE" in error.value.hint


def test_a_full_disk_refuses_the_edit_and_loses_nothing(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("She washes the mug."))
    write = os.write

    def full(handle: int, data: bytes) -> int:
        write(handle, data[:7])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(FileProblem, match=r"the edit cannot be kept: No space left on device"):
            change(file, set_text("Refused."))
    change(file, set_text("She washes the jug."))
    file.close()
    again = opened(path)
    assert again.document()["restored"]["edits"] == 2
    assert again.session.item(0)["value"]["descriptions"][0]["text"] == "She washes the jug."


def test_a_failed_save_leaves_file_and_draft(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    before = path.read_bytes()
    change(file, set_text("She washes the mug."))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(FileProblem, match="No space left on device"):
            file.save()
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == [".story.jsonl.draft", "story.jsonl"]
    file.save()
    assert b"mug" in path.read_bytes()


# Versions of annotators, proposals, new stories, statuses


def test_an_annotator_keeps_a_version_of_their_own(opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "narrative")
    before = path.read_bytes()
    ann, ben = opened(path, annotator="ann"), opened(path, annotator="ben")
    own = tmp_path / "story.ann.jsonl"
    assert ann.document()["file"] == "story.ann.jsonl" and not own.exists()
    change(ann, set_text("Ann's."))
    change(ben, set_text("Ben's."))
    ann.save()
    ben.save()
    assert path.read_bytes() == before
    ann.close()
    again = opened(path, annotator="ann")
    assert again.session.narratives[0].descriptions[0].text == "Ann's."
    again.close()
    assert opened(own, annotator="ann").document()["file"] == "story.ann.jsonl"


def test_edits_of_a_version_that_is_not_saved_yet_are_restored(opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "narrative")
    file = opened(path, annotator="ann")
    change(file, set_text("Ann's."))
    file.close()
    path.write_text(path.read_text().replace("Then", "Now"))
    again = opened(path, annotator="ann")
    assert (again.document()["restored"]["edits"], again.document()["disk"]) == (1, False)
    again.save()
    assert "Ann's." in (tmp_path / "story.ann.jsonl").read_text()


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".", "..", ".ann", "a\0", "a\n", "-ann", "x" * 65, "a:b", "<b>"])
def test_names_that_are_no_part_of_a_file_name_are_refused(name: str, opened: Open, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a part of a file name"):
        opened(written(tmp_path, "narrative"), annotator=name)


@pytest.mark.parametrize("name", ["ann", "J. Doe", "ann@lab.org", "Zoë", "a-b_c+d"])
def test_usual_names_are_taken(name: str, opened: Open, tmp_path: Path) -> None:
    file = opened(written(tmp_path, "narrative"), annotator=name)
    change(file, set_text("Mine."))
    file.save()
    assert (tmp_path / f"story.{name}.jsonl").exists()


def test_a_new_story_begins_with_its_sentences_and_is_written_at_the_first_save(opened: Open, tmp_path: Path) -> None:
    (story := tmp_path / "story.txt").write_text("She washes the cup.\n\n  Then she dries it. \n")
    file = opened(path := tmp_path / "new.jsonl", story=story)
    assert [one["text"] for one in file.session.item(0)["value"]["descriptions"]] == [
        "She washes the cup.",
        "Then she dries it.",
    ]
    assert not path.exists()
    change(file, splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE]))
    assert not path.exists()
    file.close()
    again = opened(path, story=story)
    assert again.document()["restored"]["edits"] == 1
    again.save()
    again.close()
    assert read_file(path).entries[0].narrative.graphs[0].actions == ("wash",)
    with pytest.raises(UsageError, match="there already"):
        opened(path, story=story)


def test_unsaved_edits_of_another_story_are_not_mixed_in(opened: Open, tmp_path: Path) -> None:
    (story := tmp_path / "story.txt").write_text("She washes the cup.\n")
    file = opened(path := tmp_path / "new.jsonl", story=story)
    change(file, splice("descriptions", 0, "graphs", start=0, inserted=[WASH_VALUE]))
    file.close()
    story.write_text("Another.\n")
    with pytest.raises(UsageError, match="unsaved edits of another story"):
        opened(path, story=story)
    assert opened(path).document()["restored"]["edits"] == 1, "without the story they go on"


@pytest.mark.parametrize("name", ["new.json", "new.txt", "new.graphml", "new"])
def test_formats_without_texts_begin_no_story(name: str, opened: Open, tmp_path: Path) -> None:
    (story := tmp_path / "story.txt").write_text("She washes the cup.\n")
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


def test_proposals_without_ids_are_matched_by_position(opened: Open, tmp_path: Path) -> None:
    (proposed := tmp_path / "proposed.json").write_text(json.dumps([WASH_VALUE[:2], DRY_VALUE]))
    file = opened(written(tmp_path, "narrative"), proposals=proposed)
    assert not file.notes
    (pair,) = file.versions(0, "proposal")["pairs"]
    assert (pair["description"], pair["graph"], pair["number"], pair["matched"]) == (0, 0, 0, 2)
    assert pair["changes"] == [
        {"kind": "extra", "reference": None, "candidate": ["wash", "with", "hand1"], "outside": []}
    ]
    with pytest.raises(UsageError, match="no other version"):
        file.versions(0, "third")


def test_statuses_are_kept_by_item_with_annotator_and_time(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "sgqa"))
    file.session.set_status(1, "unsure", "which cup?")
    change(file, splice("descriptions", 0, "graphs", 0, start=3, inserted=[PUT]))
    file.save()
    lines = [json.loads(line) for line in (tmp_path / "sgqa.jsonl.annotations.jsonl").read_text().splitlines()]
    assert [(one["item"], one["status"], one["note"]) for one in lines] == [
        ("r", "unsure", "which cup?"),
        ("q", "open", ""),
    ]
    assert all(one["annotator"] == file.annotator and one["time"] for one in lines)
    file.close()
    assert [one["status"]["status"] for one in opened(path).document()["items"]] == ["open", "unsure"]


def test_a_file_is_told_as_saved_where_its_statuses_cannot_be_kept(opened: Open, tmp_path: Path) -> None:
    file = opened(path := written(tmp_path, "narrative"))
    change(file, set_text("Mine."))
    (tmp_path / "story.jsonl.annotations.jsonl").write_text("notes of mine\n")
    with pytest.raises(UsageError, match=r"story\.jsonl is saved, but .*annotations\.jsonl: line 1"):
        file.save()
    assert "Mine." in path.read_text() and not file.document()["unsaved"]


def test_items_of_one_id_have_statuses_of_their_own(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"id": "a", "descriptions": []}\n{"id": "a", "descriptions": []}\n')
    file = opened(path)
    file.session.set_status(1, "done", "")
    file.close()
    assert [one["status"]["status"] for one in opened(path).document()["items"]] == ["open", "done"]


def test_of_two_lines_about_an_item_the_last_counts_and_one_is_left(opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "narrative")
    statuses = tmp_path / "story.jsonl.annotations.jsonl"
    statuses.write_text('{"item": "cups", "status": "done", "mine": 1}\n{"item": "cups", "status": "unsure"}\n')
    file = opened(path)
    assert file.session.status(0).status == "unsure"
    file.session.set_status(0, "done", "")
    (line,) = map(json.loads, statuses.read_text().splitlines())
    assert line["status"] == "done"


def test_a_file_of_something_else_in_the_place_of_statuses_is_not_touched(opened: Open, tmp_path: Path) -> None:
    path = written(tmp_path, "narrative")
    (other := tmp_path / "story.jsonl.annotations.jsonl").write_text("notes of mine\n")
    with pytest.raises(UsageError, match="line 1"):
        opened(path)
    assert other.read_text() == "notes of mine\n"
