"""Panels of the samples of formalimg: boxes of layouts and images, formulas with the parts that failed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from formula_items import CUP, KEYS, PEN, judge_layout, lines, paint, sample
from stored_samples import STORED, of_kind, panels, stored_samples

from tsgkit.library.cards import load_card
from tsgkit.logic.parser import parse
from tsgkit.suites.formalimg.formula_tree import LEFT_OUT, Judgement, formula_tree, leaves_of
from tsgkit.suites.formalimg.layout import LayoutTask
from tsgkit.suites.image_panels import OTHER_IMAGE
from tsgkit.suites.panels import Panel, Shown
from tsgkit.suites.replies import Reply


def shown(number: int, *objects: dict[str, Any], text: str | None = None) -> list[Panel]:
    """Return the panels of a layout for the item of a row."""
    item = sample(number)
    judged = judge_layout(item, Reply(text if text is not None else f"[{', '.join(lines([one]) for one in objects)}]"))
    return panels(Shown(LayoutTask(load_card("formalimg/layout")), item, judged, None, None))


def test_boxes_and_parts_are_right_or_marked_with_the_reason() -> None:
    boxes, formula = shown(0, CUP, PEN)
    assert [(one["label"], one["state"]) for one in boxes.value["boxes"]] == [
        ("the cup", "right"),
        ("the pen", "right"),
    ]
    assert formula.value["tree"]["holds"] is True
    assert all(one["holds"] for one in leaves_of(formula.value["tree"]))
    boxes, formula = shown(0, CUP | {"box_2d": [700, 100, 800, 200]}, PEN, KEYS)
    [failed] = [one for one in leaves_of(formula.value["tree"]) if not one["holds"]]
    assert failed["text"] == "(LeftOf ?c ?p)"
    assert failed["why"] == "the cup is left of no pen: the cup ends at x = 800, the pen's centre is at x = 620"
    assert failed["names"] == ["the cup", "the pen"]
    assert [one["state"] for one in boxes.value["boxes"]] == ["wrong", "wrong", ""]
    cup = {"label": "the cup", "x": 700, "y": 100, "width": 100, "height": 100, "state": "wrong"}
    assert boxes.value["boxes"][0] == cup


def test_absent_classes_and_objects_without_a_box_are_noted() -> None:
    [value] = of_kind(shown(0, {"label": "cup"}), "boxes")
    assert value["boxes"] == []
    assert value["notes"] == ["Object 0 (cup) has no box that can be drawn.", "There is no pen."]


def test_a_condition_stands_above_what_follows_from_it() -> None:
    [formula] = of_kind(shown(1, KEYS | {"box_2d": [0, 900, 50, 950]}), "formula")
    tree = formula["tree"]
    assert (tree["text"], tree["parts"][0]["text"]) == ("for every ?k", "if (Is ?k 'keys')")
    assert tree["parts"][0]["parts"][0]["text"] == "(OnTopSide ?k)"


def test_any_reply_has_panels_and_without_a_layout_nothing_is_decided() -> None:
    for text in ("", "I cannot.", "[1, 2]", '[{"label": 3, "box_2d": "x"}]', "[]"):
        boxes, formula = shown(0, text=text)
        assert boxes.value["notes"], text
        assert formula.value["tree"]["holds"] is not True, text
    boxes, formula = shown(0, text="I cannot.")
    assert "There is no layout" in boxes.value["notes"][0]
    assert {one["holds"] for one in leaves_of(formula.value["tree"])} == {None}


def test_hostile_labels_stay_text() -> None:
    [value] = of_kind(shown(0, CUP, PEN | {"label": "<script>\u202e(["}), "boxes")
    assert value["boxes"][1]["label"] == "the <script>\u202e(["


def test_a_huge_formula_is_cut() -> None:
    clause = "(OnTopSide ?c)"
    formula = parse(f"(exists ?c (and (Is ?c 'cup') {' '.join([f'(or {clause} {clause})'] * 600)}))")
    tree = formula_tree(formula, Judgement(True, "", set(), [CUP]))
    assert len(list(leaves_of(tree))) <= 602
    assert tree["parts"][-1]["text"] == LEFT_OUT


def test_every_sample_of_a_stored_run_has_boxes_and_a_formula() -> None:
    for run in ("layout", "judged-knolling", "judged-natural"):
        found = [panels(one) for one in stored_samples("formalimg", run)]
        assert found, run
        assert all([panel.kind for panel in one] == ["boxes", "formula"] for one in found), run
        assert any(panel.images for one in found for panel in one) is (run != "layout"), run


def notes_of_stored(at: Path) -> list[str]:
    return [
        note for one in stored_samples("formalimg", "judged-natural", at=at) for note in panels(one)[0].value["notes"]
    ]


def test_changed_missing_and_broken_images_are_told(tmp_path: Path) -> None:
    shutil.copytree(STORED / "formalimg", tmp_path / "formalimg")
    folder = tmp_path / "formalimg" / "natural"
    images = list(folder.glob("*.png"))
    for path in images:
        paint(path)
    assert OTHER_IMAGE in notes_of_stored(tmp_path)
    for path in images:
        path.write_text("no image")
    assert any("cannot be shown" in note for note in notes_of_stored(tmp_path))
    for path in images:
        path.unlink()
    assert "The folder has no image of this item any more." in notes_of_stored(tmp_path)
    shutil.rmtree(folder)
    assert any("no such folder" in note for note in notes_of_stored(tmp_path))


def test_a_sample_that_ended_in_an_error_has_panels() -> None:
    one = next(stored_samples("formalimg", "layout"))
    lost = replace(one.judged, answer=None, evidence=None)
    boxes, formula = panels(replace(one, judged=lost, transcript=None))
    assert formula.value["tree"]["holds"] is None
    assert boxes.value["notes"]
