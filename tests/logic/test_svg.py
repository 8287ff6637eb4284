"""Images of layouts: valid SVG that shows every box, whatever the labels."""

from __future__ import annotations

from xml.etree import ElementTree

from tsgkit.logic.layouts import Box, Layout, Thing
from tsgkit.logic.svg import drawn

SPACE = "{http://www.w3.org/2000/svg}"


def test_svg_draws_every_box_with_label_and_color() -> None:
    layout = Layout((Thing("cutting_board", Box(10, 20, 210, 120), "brown"), Thing("pen", Box(300, 0, 310, 200.5))))
    root = ElementTree.fromstring(drawn(layout, title="a layout"))  # noqa: S314  (our own text)
    _, board, pen = root.findall(f"{SPACE}rect")
    assert (board.get("x"), board.get("y"), board.get("width"), board.get("height")) == ("10", "20", "200", "100")
    assert pen.get("height") == "200.5"
    assert [text.text for text in root.findall(f"{SPACE}text")] == ["brown cutting board", "pen"]
    assert root.findtext(f"{SPACE}title") == "a layout"


def test_svg_blueprint_has_no_colors() -> None:
    layout = Layout((Thing("cup", Box(0, 0, 100, 100), "red", "glass", "round"),))
    root = ElementTree.fromstring(drawn(layout, blueprint=True))  # noqa: S314
    assert [text.text for text in root.findall(f"{SPACE}text")] == ["cup"]
    assert drawn(layout, blueprint=True) == drawn(Layout((Thing("cup", Box(0, 0, 100, 100)),)), blueprint=True)


def test_svg_escapes_hostile_labels() -> None:
    for label in ("<script>alert(1)</script>", "a \"quoted\" & 'other'", "\x00\x07\ud800", "", "漢字"):
        image = drawn(Layout((Thing(label, Box(0, 0, 100, 100), label),)), title=label)
        root = ElementTree.fromstring(image.encode())  # noqa: S314
        assert "<script" not in image
        assert len(list(root)) == 3 + bool(label), label
