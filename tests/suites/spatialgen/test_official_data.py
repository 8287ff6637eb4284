"""Tests on the published rows, if a folder with them is given."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tsgkit.llm.reply import Reply
from tsgkit.suites.judges.shown_images import NOT_SHOWN, ShownImage
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.judge_requests import orders_of, parse_protocol, shown
from tsgkit.suites.spatialgen.rows import SpatialSample, rows_in, written
from tsgkit.suites.spatialgen.scores import judged, label_of
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS, published_scene
from tsgkit.suites.transcript import LabelledReply, Transcript

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
FULL = "SpatialGenEval_T2I_Prompts.jsonl"


def test_a_judge_that_says_every_key_misses_two_questions_of_the_full_file() -> None:
    """Two keys are not among the options. Strict reads no answer there; official ignores options and counts them."""
    paths = [path for path in (Path(FOLDER, FULL), Path(FOLDER, "eval", FULL)) if path.is_file()]
    rows = list(rows_in(paths[0])) if paths else []
    if len(rows) != 1230:
        pytest.skip(f"TSGKIT_OFFICIAL_DATA has no {FULL} (nor eval/{FULL}) of 1,230 rows")
    assert [written(row) for row in rows] == paths[0].read_text(encoding="utf-8").splitlines()
    assert all(row.types == SUB_DOMAINS and published_scene(int(row.id)) == row.scene for row in rows)
    found = Counter(one.code for one in findings(rows))
    codes = ("missing-option", "key-without-option", "no-options", "no-refusal")
    assert tuple(found[code] for code in codes) == (210, 2, 0, 0)
    for protocol in ("published", "ours"):
        way, right = parse_protocol(protocol), Counter[str]()
        for sample in map(SpatialSample, rows):
            orders = orders_of(sample, way.base, 0)
            texts = ["\n".join(question.key for question in shown(sample, turn)) for turn in orders]
            said = (LabelledReply(label_of(turn), Reply(text)) for turn, text in enumerate(texts))
            records = tuple(tuple(order.record for order in turn) for turn in orders)
            one = judged(sample, Transcript((*said, ShownImage(NOT_SHOWN, orders=records).said)), way)
            right.update({profile: int(scores["accuracy"].sum) for profile, scores in one.scores.items()})
        assert right == {"strict": 12_298, **({"official": 12_300} if protocol == "published" else {})}
