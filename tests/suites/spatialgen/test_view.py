"""Panels of the samples of spatialgen: the image as it is today, and the questions with all rounds."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from stored_samples import STORED, of_kind, panels, stored_samples

from tsgkit.suites.image_panels import OTHER_IMAGE
from tsgkit.suites.panels import Panel, Shown
from tsgkit.suites.task import Folder


def first(at: Path = STORED) -> Shown:
    return next(stored_samples("spatialgen", "judged", at=at))


def notes(found: list[Panel]) -> str:
    [value] = of_kind(found, "boxes")
    return " ".join(value["notes"])


def test_every_sample_of_a_stored_run_has_ten_questions_and_its_image() -> None:
    found = [panels(one) for one in stored_samples("spatialgen", "judged")]
    assert found
    for image, questions in found:
        assert image.kind == "boxes"
        assert len(questions.value["rows"]) == 10
    assert any(image.images for image, _ in found)


def test_a_question_has_its_options_key_rounds_and_reason() -> None:
    shown = first()
    [value] = of_kind(panels(shown), "questions")
    for number, row in enumerate(value["rows"]):
        question = shown.sample.questions[number]
        assert (row["number"], row["key"]) == (number + 1, question.key)
        assert dict(row["options"]) == question.options
        assert len(row["rounds"]) == 5
        assert row["right"] is (row["rounds"].count(question.key) >= 4)
        assert f"{row['rounds'].count(question.key)} of 5" in row["why"]


def test_unasked_questions_are_neither_right_nor_wrong() -> None:
    shown = first()
    lost = replace(shown, judged=replace(shown.judged, evidence=None, answer=None), transcript=None)
    [value] = of_kind(panels(lost), "questions")
    assert {(row["right"], row["answer"], row["why"]) for row in value["rows"]} == {(None, None, "")}


def test_a_missing_folder_and_a_changed_image_are_told(tmp_path: Path) -> None:
    shown = first()
    gone = replace(shown, folder=Folder("gone", "images", tmp_path / "gone"))
    assert "no such folder" in notes(panels(gone))
    shutil.copytree(STORED / "spatialgen", tmp_path / "spatialgen")
    for path in (tmp_path / "spatialgen" / "pictures").iterdir():
        path.write_bytes((STORED / "formalimg" / "natural" / "0.png").read_bytes())
    changed = [notes(panels(one)) for one in stored_samples("spatialgen", "judged", at=tmp_path)]
    assert any(OTHER_IMAGE in one for one in changed)


def test_a_file_outside_the_folder_is_never_shown() -> None:
    shown = first()
    for file in ("../../../etc/hostname", "a\x00b", "/etc/hostname", "no.png", "\udcff.png"):
        odd = replace(shown, judged=replace(shown.judged, evidence={**shown.judged.evidence, "file": file}))
        [image, _] = panels(odd)
        assert image.images == {}, file
        assert image.value["notes"], file


def test_a_baseline_has_no_image_and_that_of_another_item_is_named() -> None:
    assert [panel.kind for panel in panels(replace(first(), folder=None))] == ["questions"]
    shown = first()
    evidence = {**shown.judged.evidence, "picture_of": "000002"}
    assert "another item, 000002" in notes(panels(replace(shown, judged=replace(shown.judged, evidence=evidence))))
