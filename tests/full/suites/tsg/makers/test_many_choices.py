"""Choices of many made-up stories: no slip and no shortcut in six hundred of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

from made_up_stories import made_up_story
from suites.tsg.makers.test_choices import made

from tsgkit.report.audit_report import audit_of
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES
from tsgkit.suites.tsg.makers.choices import choice_row


def test_an_audit_of_many_choices_finds_neither_slips_nor_shortcuts(tmp_path: Path) -> None:
    choices, chooser, _ = made(map(made_up_story, range(60)), 10)
    path = tmp_path / "choices.jsonl"
    path.write_text("".join(json.dumps(choice_row(story, choice)) + "\n" for story, choice in choices))
    audit = audit_of("tsg/sgds", str(path)).audit
    found = {one.check.code for one in audit.found if one.slips}
    assert found == {"hand2-first", "not-held"}, "slips of the made-up stories themselves"
    assert (audit.n, audit.errors, audit.solving) == (len(choices), 0, ())
    assert not any(spread.is_skewed for spread in audit.spreads)
    for group, sums in chooser.balance.excess.items():
        count = chooser.made[group] if group else sum(chooser.made.values())
        noise = 3 * math.sqrt(0.2 * 0.8 / count)
        for name, excess in zip((*NAMES, "learned"), sums, strict=True):
            assert excess / count < noise, (group, name, excess / count)
