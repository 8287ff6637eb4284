"""Bytes are told whose data they are; slips are counted, and what no task could use is named with its line."""

from __future__ import annotations

import json

import pytest
from official_layout import Row, data, rows
from tsg_tasks import TASKS

from tsgkit.errors import FileProblem
from tsgkit.suites.tsg.inspection import inspect


def test_the_rows_tell_the_task_and_made_up_rows_are_clean() -> None:
    for task in TASKS:
        inspection = inspect(data(rows(task, 20)) + b"\n", "f")
        assert (inspection.task, inspection.rows, inspection.problem, inspection.counts) == (task, 20, "", {})
    [row] = rows("sgqa", 1)
    hostile = row | {"item_id": "../../etc/passwd", "data_id": "/etc/passwd", "scenario_id": "{0}\x1b[31m"}
    assert inspect(json.dumps(hostile).encode() + b"\n", "f").problem == ""


def slipped(task: str, line: int, **fields: object) -> bytes:
    made: list[Row] = rows(task, 5)
    made[line - 1] |= fields
    return data(made) + b"\n"


def slipped_rows(task: str, **fields: object) -> list[Row]:
    return [row | fields for row in rows(task, 1)]


EMPTY_TARGET = [["person", "verb", "wipe"], ["wipe", "dobj", "shelf"], ["wipe", "down", ""]]
VERBS = [["person", "verbs", "wipe"], ["wipe", "dobj", "shelf"]]


def test_slips_are_counted_and_the_data_usable() -> None:
    cases: list[tuple[bytes, dict[str, int]]] = [
        (
            slipped("sgqa", 2, context_graphs=[VERBS], qa_pairs=[]),
            {"edge-misspelt": 1, "no-action": 1, "dobj-source": 1},
        ),
        (slipped("sgds", 2, context_graphs=[EMPTY_TARGET]), {"empty-name": 1}),
        (slipped("sgds", 1, variations=["You wipe shelf 0 with item 0.", "b", "c", "d"]), {"few-candidates": 1}),
        (data(rows("sgqa", 3)), {"no-final-newline": 1}),
        (data(rows("sgqa", 3)) + b"\n\n", {"blank-line": 1}),
        (data(rows("sgqa", 3)) + b"\n \n" + data(rows("sgqa", 1)), {"blank-line": 1, "no-final-newline": 1}),
        (b"\xef\xbb\xbf" + data(rows("sgqa", 3)) + b"\n", {"byte-order-mark": 1}),
        (data(rows("sgqa", 3)).replace(b"\n", b"\r\n") + b"\r\n", {}),
    ]
    for text, counts in cases:
        inspection = inspect(text, "f")
        assert (inspection.problem, inspection.counts) == ("", counts)


def test_unusable_rows_are_named_with_their_line() -> None:
    for text, task, problem in (
        (data(rows("sgqa", 3)) + b"\n{oops\n", "sgqa", "f: line 4: broken JSON"),
        (data(rows("sgqa", 3))[:-7], "sgqa", "f: line 3: broken JSON"),
        (b"{oops", "sgqa", "f: line 1: broken JSON"),
        (data(rows("sgqa", 3)) + b"\n" + data(rows("sgds", 1)), "sgqa", "f: line 4: expected an item of the format"),
        (data(rows("sgqa", 3)) + b"\n[]", "sgqa", "f: line 4: expected an item of the format"),
        (slipped("sgqa", 3, qa_pairs=[{"Q": "x"}]), "sgqa", "f: line 3: not an sgqa row: qa_pairs.0.A"),
        (slipped("sgds", 3, position=5), "sgds", "f: line 3: item 2 has its answer at position 5"),
        (data(rows("sgds", 3)), "sgqa", "f: line 1: these are not rows of sgqa but sgds"),
        (data(rows("sa-sgg", 3) + rows("ma-sgg", 1)), "sa-sgg", "f: line 4: item 3 has k = 2"),
        (data(rows("sa-sgg", 5) + rows("ma-sgg", 1)), None, "f: line 6: item 5 has k = 2"),
        (data(rows("sa-sgg", 3)), "ma-sgg", "f: every item has one graph, so these are rows of sa-sgg"),
        (data(rows("sa-sgg", 1) + slipped_rows("ma-sgg", graphs=[])), "ma-sgg", "f: line 2: item 1 has no reference"),
        (slipped("sa-sgg", 2, graphs=[]), "sa-sgg", "f: line 2: item 1 has no reference graphs"),
        (slipped("sa-sgg", 2, mandatory_space={"object": []}), "sa-sgg", "f: line 2: vocabulary"),
        (data([row | {"item_id": "a"} for row in rows("sgqa", 2)]), "sgqa", "f: line 2: the id a occurred before"),
    ):
        assert inspect(text, "f", task).problem.startswith(problem), problem


def test_rows_of_one_graph_among_rows_of_several_are_counted() -> None:
    for several, single, task in ((5, 1, None), (1, 5, "ma-sgg"), (2, 2, None)):
        inspection = inspect(data(rows("sa-sgg", single) + rows("ma-sgg", several)) + b"\n", "f", task)
        assert (inspection.task, inspection.problem) == ("ma-sgg", "")
        assert inspection.counts == {"single-graph": single}
        assert [found.place.line for found in inspection.findings] == list(range(1, single + 1))


def test_files_without_rows_are_refused() -> None:
    for text, message in (
        (b"", "f: the file is empty"),
        (b"\n\nperson -> verb -> wipe\n", "f: line 3: not JSON"),
        (b"<html></html>", "f: this is HTML"),
        (data(rows("sgqa", 2)) + b"\n\xff", "f: line 3: not UTF-8"),
        (data(rows("sgqa", 2)).decode().encode("utf-16"), "UTF-16"),
        (data(rows("sgqa", 1)) + b"\0", "NUL"),
        (b'[[["person", "verb", "wipe"]]]', "f: line 1: these are not rows of any task but triplets"),
        (b'{"a": 1}\n{"a": 2}\n', "none of our items"),
    ):
        with pytest.raises(FileProblem) as caught:
            inspect(text, "f")
        assert message in str(caught.value)
