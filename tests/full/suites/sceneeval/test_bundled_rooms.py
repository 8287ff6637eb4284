"""The verdicts on the good bundled rooms equal those checked by hand, by demand and by object."""

from __future__ import annotations

import json

from rooms_of_ours import ROOMS, assert_as_stored

from tsgkit.suites.sceneeval.annotation_files import read_annotation_file


def test_every_demand_and_every_object_of_good_rooms_gets_its_verdict() -> None:
    for annotation in read_annotation_file(ROOMS / "annotations.csv").usable():
        stored = json.loads((ROOMS / "expected" / f"scene_{annotation.item_id}.json").read_text())
        assert_as_stored(annotation, "good", stored["good"])
