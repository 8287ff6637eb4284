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


def test_a_question_has_its_options_key_rounds_and_reason_unless_it_was_not_asked() -> None:
    found = [panels(one) for one in stored_samples("spatialgen", "judged")]
    assert all((image.kind, len(questions.value["rows"])) == ("boxes", 10) for image, questions in found)
    assert any(image.images for image, _ in found)
    shown = first()
    [value] = of_kind(panels(shown), "questions")
    for number, row in enumerate(value["rows"]):
        question = shown.sample.questions[number]
        assert (row["number"], row["key"], dict(row["options"])) == (number + 1, question.key, question.options)
        assert len(row["rounds"]) == 5
        assert row["right"] is (row["rounds"].count(question.key) >= 4)
        assert f"{row['rounds'].count(question.key)} of 5" in row["why"]
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


def test_a_file_outside_the_folder_is_never_shown_and_an_image_of_another_item_is_named() -> None:
    shown = first()

    def with_evidence(**more: str) -> Shown:
        return replace(shown, judged=replace(shown.judged, evidence={**shown.judged.evidence, **more}))

    for file in ("../../../etc/hostname", "a\x00b", "/etc/hostname", "no.png", "\udcff.png"):
        [image, _] = panels(with_evidence(file=file))
        assert image.images == {} and image.value["notes"], file
    assert [panel.kind for panel in panels(replace(shown, folder=None))] == ["questions"]
    assert "another item, 000002" in notes(panels(with_evidence(picture_of="000002")))
