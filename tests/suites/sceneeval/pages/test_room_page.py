"""Tests of the page of a room: it is self-contained, and no text of a scene can become code."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import Any

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS

from tsgkit.errors import UsageError
from tsgkit.geometry import Architecture, Object, Opening, Scene, box, standing
from tsgkit.suites.sceneeval.pages.page import NAMESPACE, room_page
from tsgkit.suites.sceneeval.pages.remarks import Remark, Section

HOSTILE = "</script><script>alert(1)</script><!--<script>&\u2028]]>\"'"
ROOM = AS_IT_IS.room(5, 4, openings=[Opening("door", (1, 0), (2, 2))])


def page(*objects: Object, remarks: tuple[Remark, ...] = (), title: str = "", about: str = "") -> str:
    return room_page(Scene("den", objects, ROOM), [Section(title, remarks)], title=title, about=about)


def embedded(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    value: dict[str, Any] = json.loads(found[1])
    return value


LAMP = Object("lamp_1", box(0.2, 0.3, 0.4), standing((1, 0.5, 0.2), yaw=30), "lamp", "a small lamp")


def test_page_has_every_surface_and_facts_on_each_object() -> None:
    parts = {part["name"]: part for part in embedded(page(LAMP))["parts"]}
    assert {"lamp_1", "floor_room", "wall_north", "door_0_north"} <= set(parts)
    lamp = parts["lamp_1"]
    assert (lamp["object"], lamp["category"], lamp["about"]) == (True, "lamp", "a small lamp")
    assert (lamp["size"], lamp["place"], lamp["yaw"]) == ([0.2, 0.3, 0.4], [1, 0.5, 0.2], 30)
    corners = np.frombuffer(base64.b64decode(lamp["corners"]), dtype="<f4").reshape(-1, 3)
    assert len(corners) == 36
    assert corners.mean(axis=0) == pytest.approx([1, 0.5, 0.2], abs=1e-6)
    assert len(base64.b64decode(lamp["colours"])) == 36


def test_walls_on_page_have_a_front_and_no_rims() -> None:
    wall = next(part for part in embedded(page(LAMP))["parts"] if part["name"] == "wall_south")
    assert wall["front"] == pytest.approx([0, 1, 0])
    corners = np.frombuffer(base64.b64decode(wall["corners"]), dtype="<f4").reshape(-1, 3, 3)
    assert len(corners) == 4, "two sides of two triangles"


def test_only_our_script_and_style_may_run_and_nothing_is_loaded() -> None:
    text = page(LAMP)
    assert text == page(LAMP), "the same room makes the same page"
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none';")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert style is not None
    assert len(script) == 1
    for part in (style[1], script[0]):
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in policy[1]
    assert "unsafe" not in policy[1]
    loading = r"https?:|//[a-z]+\.|@import|url\(|fetch\(|XMLHttp|innerHTML|eval\("
    assert not re.search(loading, text.replace(NAMESPACE, ""))


def test_scene_texts_cannot_escape_their_element() -> None:
    thing = Object(HOSTILE, box(1, 1, 1), standing((0, 0, 0.5)), HOSTILE, HOSTILE)
    text = page(thing, remarks=(Remark(HOSTILE, False, (HOSTILE,), HOSTILE),), title=HOSTILE, about=HOSTILE)
    assert "alert(1)</script>" not in text
    assert text.count("<script") == 2
    assert f"<title>{html.escape(HOSTILE)}</title>" in text
    value = embedded(text)
    assert value["parts"][0]["name"] == HOSTILE
    remark = {"text": HOSTILE, "holds": False, "objects": [HOSTILE], "why": HOSTILE}
    assert value["sections"] == [{"title": HOSTILE, "remarks": [remark]}]
    assert f'<p id="about">{html.escape(HOSTILE)}</p>' in text


def test_page_shows_problems_of_an_object() -> None:
    twisted = Object("mirror", box(1, 1, 1), (1.0, 0.2, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0.5, 1.0))
    part = embedded(page(twisted))["parts"][0]
    assert part["problems"] == ["its transform is not rotation times scale"]


def test_empty_scene_has_no_page() -> None:
    with pytest.raises(UsageError, match="nothing-to-draw"):
        room_page(Scene("void", (), Architecture()))
