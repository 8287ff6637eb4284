"""Rows read when they are needed, what is wrong with them and which are of one story; panels of their samples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from official_layout import data
from official_layout import rows as published
from prompt_items import TASKS, document, graph, row
from samples import lines
from shipped import DATA
from stored_samples import of_kind, panels
from tsg_tasks import prompt, rows_in, samples_of
from tsg_tasks import task as task_of_kind

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.panels import Panel, SampleView, differences_panel, graphs_panel, table_panel, text_panel
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.rows import ItemChoice, hash_of_items
from tsgkit.suites.solvers.scorers import judge_reply
from tsgkit.suites.task import Graphs
from tsgkit.suites.tsg import rows as tsg_rows
from tsgkit.suites.tsg import view as tsg_view
from tsgkit.suites.tsg.inspection import inspect


def text_of(*rows: object) -> bytes:
    return lines(*rows).encode()


def written(folder: Path, content: bytes) -> Path:
    (path := folder / "rows.jsonl").write_bytes(content)
    return path


def _longest(kind: str) -> int:
    """Return the length of the longest list of any right answer, by which schemas are made."""
    longest = prompt(kind).longest
    assert longest is not None
    return max(map(longest, rows_in(DATA / "ma-sgg.jsonl", kind)))


def test_the_samples_are_those_of_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for task, kept in (*((task, 7_000) for task in TASKS), ("sgqa", 0), ("sgds", 1_000_000)):
        monkeypatch.setattr(tsg_rows, "KEPT", kept)
        path = DATA / f"{task}.jsonl"
        lazily, whole = rows_in(path, task), samples_of(read_file(path), task)
        assert tuple(lazily) == whole, task
        assert tuple(lazily.sample(number) for number in reversed(range(len(lazily)))) == whole[::-1], task
        assert list(lazily.item_ids) == [sample.item_id for sample in whole], task
    listed = ("ma-sgg", "edges-ma", "nodes-ma", "actions")
    assert [_longest(task) for task in listed] == [7, 7, 9, 8]


def test_line_ends_and_blank_lines_change_no_sample_and_row_errors_name_their_line(tmp_path: Path) -> None:
    rows = [row("sgqa", name) for name in ("first", "second", "third")]
    for one in rows:
        del one["item_id"]  # so that the ids are the numbers of the rows
    first, *others = text_of(*rows).splitlines()
    ends = ((b"\xef\xbb\xbf\n", b"\n", b""), (b"", b"\r\n", b"\r\n"), (b"\n\n", b"\n \n\n", b"\n\n"))
    for before, between, after in ends:
        path = written(tmp_path, before + between.join((first, *others)) + after)
        found = rows_in(path, "sgqa")
        assert list(found.item_ids) == ["0/0", "1/0", "2/0"]
        assert tuple(found) == samples_of(read_file(path), "sgqa")
    for second, said in (
        (b"[]\n", "line 2: sgqa is made of sgqa rows, and this is none of our rows"),
        (text_of(row("sgds", "other")), "line 2: sgqa is made of sgqa rows, and this is sgds"),
        (text_of(row("sgqa", "first")), "line 2: the item id first"),
        (b"\xff\xfe{\x00\n", "line 2: not UTF-8 text"),
        (b"[" * 100_000 + b"\n", "line 2: "),
    ):
        path = written(tmp_path, text_of(row("sgqa", "first")) + second)
        with pytest.raises(UsageError) as raised:
            rows_in(path, "sgqa")
        assert str(raised.value).startswith(f"{path}: {said}"), raised.value
    for content in (b"", b"\n \r\n\n", b"\xef\xbb\xbf"):
        with pytest.raises(UsageError, match=r"rows\.jsonl: there are no items in it"):
            rows_in(written(tmp_path, content), "sgqa")


def test_chosen_samples_stand_in_order_and_a_file_that_changes_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tsg_rows, "KEPT", 1)
    for other in ("secone", "second"):
        path = written(tmp_path, text_of(row("sgqa", "first"), row("sgqa", "second", "mug")))
        found = rows_in(path, "sgqa")
        assert found.sample(1).item_id == "second/0"
        path.write_bytes(text_of(row("sgqa", "first"), row("sgqa", other, "cup")))
        assert found.sample(0).item_id == "first/0", "an item in memory stays"
        with pytest.raises(FileProblem, match="the file was changed while it was in use"):
            found.sample(1)
    found = rows_in(DATA / "sgqa.jsonl", "sgqa")
    ids = list(found.item_ids)
    assert list(found.chosen(ItemChoice((ids[5], ids[2], ids[5]), first=1))) == [2]
    assert list(found.chosen()) == list(found.chosen(ItemChoice(limit=10_000))) == list(range(len(found)))
    with pytest.raises(UsageError, match="there is no item nobody"):
        found.chosen(ItemChoice(("nobody",)))
    assert hash_of_items(found, [0, 1]) != hash_of_items(found, [1, 0])


STEPS = [graph(verb, "cup") for verb in ("take", "wash", "dry", "store", "lift")]
OTHER = [graph(verb, "pan") for verb in ("take", "wash", "dry")]


def choice(context: list[Any], target: object, **fields: object) -> dict[str, Any]:
    made = row("sgds", "x") | {"context_graphs": context, "triplet": target}
    del made["scenario_id"], made["item_id"]
    return made | fields


def clusters(tmp_path: Path, *rows: dict[str, Any]) -> list[str]:
    """Return the clusters of samples read one by one, which are those of the whole file read at once."""
    path = written(tmp_path, text_of(*rows))
    found = [sample.cluster for sample in rows_in(path, "sgds")]
    assert found == [sample.cluster for sample in samples_of(read_file(path), "sgds")]
    return found


def test_rows_join_where_one_continues_the_other_or_any_id_is_shared(tmp_path: Path) -> None:
    late, early, apart = choice(STEPS[:4], STEPS[4]), choice(STEPS[:2], STEPS[3]), choice(OTHER[:2], OTHER[2])
    assert clusters(tmp_path, late, early, apart) == ["story of item 0"] * 2 + [json.dumps(OTHER[:2])]
    assert clusters(tmp_path, choice(STEPS[:1], STEPS[1]), late) == ["story of item 0"] * 2
    one_shared = [choice(STEPS[:1], OTHER[1]), choice(STEPS[:3], STEPS[3]), choice([STEPS[0], *OTHER], STEPS[4])]
    assert len(set(clusters(tmp_path, *one_shared))) == 3, "one shared graph is no evidence"
    empty = [choice([], STEPS[0], target_sentence=word, variations=[word], position=0) for word in ("one", "two")]
    assert len(set(clusters(tmp_path, *empty, choice(STEPS[:2], STEPS[2])))) == 3, "nor is an empty context"
    rows = [
        choice(STEPS[:2], STEPS[2], data_id="clip", scenario_id="tea"),
        choice(OTHER[:2], OTHER[2], data_id="clip"),
        choice([], STEPS[0], scenario_id="tea", data_id="more"),
        choice(STEPS[1:4], STEPS[4], scenario_id="soup"),
    ]
    assert clusters(tmp_path, *rows) == ["tea", "tea", "tea", "soup"]
    assert clusters(tmp_path, choice(STEPS[:3], STEPS[3]), choice(STEPS[:2], STEPS[2], data_id="clip")) == ["clip"] * 2


def many(task: str, count: int = 3) -> bytes:
    return data(published(task, count))


def slipped(task: str, line: int, **fields: object) -> bytes:
    made: list[dict[str, Any]] = published(task, 5)
    made[line - 1] |= fields
    return data(made) + b"\n"


def test_inspection_tells_the_task_counts_slips_and_names_unusable_rows_with_their_line() -> None:
    wipe = ["wipe", "dobj", "shelf"]
    empty_target = [["person", "verb", "wipe"], wipe, ["wipe", "down", ""]]
    misspelt = slipped("sgqa", 2, context_graphs=[[["person", "verbs", "wipe"], wipe]])
    for text, task, counts in (
        *((many(task, 20) + b"\n", task, {}) for task in TASKS),
        (misspelt, "sgqa", {"edge-misspelt": 1, "no-action": 1, "dobj-source": 1, "answer-not-a-node": 5}),
        (slipped("sgds", 2, context_graphs=[empty_target]), "sgds", {"empty-name": 1}),
        (slipped("sgds", 1, variations=["You wipe shelf 0 with item 0.", *"bcd"]), "sgds", {"few-candidates": 1}),
        (many("sgqa") + b"\n \n" + many("sgqa", 1), "sgqa", {"blank-line": 1, "no-final-newline": 1}),
        (b"\xef\xbb\xbf" + many("sgqa") + b"\n", "sgqa", {"byte-order-mark": 1}),
        (many("sgqa").replace(b"\n", b"\r\n") + b"\r\n", "sgqa", {}),
    ):
        inspection = inspect(text, "f")
        assert (inspection.task, inspection.problem, inspection.counts) == (task, "", counts)
        assert inspection.rows == len([line for line in text.splitlines() if line.strip()])
    for several, single, named in ((5, 1, None), (1, 5, "ma-sgg"), (2, 2, None)):
        inspection = inspect(data(published("sa-sgg", single) + published("ma-sgg", several)) + b"\n", "f", named)
        assert (inspection.task, inspection.problem) == ("ma-sgg", "")
        assert inspection.counts == {"single-graph": single}
        assert [found.place.line for found in inspection.findings] == list(range(1, single + 1))
    twice = data([one | {"item_id": "a"} for one in published("sgqa", 2)])
    for text, named_task, problem in (
        (many("sgqa") + b"\n{oops\n", "sgqa", "f: line 4: broken JSON"),
        (many("sgqa") + b"\n" + many("sgds", 1), "sgqa", "f: line 4: expected an item of the format"),
        (slipped("sgqa", 3, qa_pairs=[{"Q": "x"}]), "sgqa", "f: line 3: not an sgqa row: qa_pairs.0.A"),
        (slipped("sgds", 3, position=5), "sgds", "f: line 3: item 2 has its answer at position 5"),
        (slipped("sgds", 3, position=-1), "sgds", "f: line 3: item 2 has its answer at position -1"),
        (many("sgds"), "sgqa", "f: line 1: these are not rows of sgqa but sgds"),
        (many("sa-sgg", 5) + b"\n" + many("ma-sgg", 1), None, "f: line 6: item 5 has k = 2"),
        (many("sa-sgg"), "ma-sgg", "f: every item has one graph, so these are rows of sa-sgg"),
        (slipped("sa-sgg", 2, graphs=[]), "sa-sgg", "f: line 2: item 1 has no reference graphs"),
        (slipped("sa-sgg", 2, mandatory_space={"object": []}), "sa-sgg", "f: line 2: vocabulary"),
        (twice, "sgqa", "f: line 2: the id a occurred before"),
    ):
        assert inspect(text, "f", named_task).problem.startswith(problem), problem
    for text, message in (
        (b"", "f: the file is empty"),
        (b"\n\nperson -> verb -> wipe\n", "f: line 3: not JSON"),
        (b"<html></html>", "f: this is HTML"),
        (many("sgqa", 2) + b"\n\xff", "f: line 3: not UTF-8"),
        (many("sgqa", 2).decode().encode("utf-16"), "UTF-16"),
        (many("sgqa", 1) + b"\0", "NUL"),
        (b'[[["person", "verb", "wipe"]]]', "f: line 1: these are not rows of any task but triplets"),
        (b'{"a": 1}\n{"a": 2}\n', "none of our items"),
    ):
        with pytest.raises(FileProblem) as caught:
            inspect(text, "f")
        assert message in str(caught.value)


ROWS = {"sgqa": "sgqa", "sgds": "sgds", "sa-sgg": "sa-sgg", "nodes-sa": "sa-sgg", "edges-sa": "sa-sgg"}
ANSWER = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"


def shown(kind: str, text: str | None, word: str = "cup") -> list[Panel]:
    """Return the panels of a reply to the first item of a row."""
    own, reply = task_of_kind(kind), None if text is None else CollectedReply(text)
    item = samples_of(document(row(ROWS.get(kind, "ma-sgg"), "a", word)), kind)[0]
    judged = judge_reply(own, item, reply, "zero-shot")
    return panels(SampleView(own, item, judged, None, None))


def test_differences_are_in_panels_beside_what_was_right_and_a_view_that_fails_is_a_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [value] = of_kind(shown("sa-sgg", ANSWER), "graphs")
    [pair] = value["pairs"]
    assert (pair["reference"], pair["matched"]) == (graph("wash"), 1)
    assert [one["kind"] for one in pair["changes"]] == ["reversed", "wrong hand", "extra"]
    assert pair["changes"][2]["outside"] == ["moon", "on"]
    right = "\n".join(" -> ".join(one) for one in graph("wash"))
    [missing] = of_kind(shown("ma-sgg", right), "graphs")
    assert [pair["candidate"] is None for pair in missing["pairs"]] == [False, True]
    [surplus] = of_kind(shown("ma-sgg", "\n\n".join([right] * 3)), "graphs")
    assert [(pair["reference"] is None, pair["matched"]) for pair in surplus["pairs"]] == [
        (False, 3), (False, 0), (True, 0),
    ]  # fmt: skip
    found = shown("sgds", "[D]")
    [value] = of_kind(found, "choices")
    assert [(one["label"], one["is_key"], one["is_answer"]) for one in value["options"]][1:4] == [
        ("B", True, False), ("C", False, False), ("D", False, True),
    ]  # fmt: skip
    described, before = of_kind(found, "graphs")
    assert described["pairs"] == [{"reference": None, "candidate": graph("wash"), "matched": None, "changes": []}]
    assert [pair["candidate"] for pair in before["pairs"]] == [graph("dry")]
    [graphs] = of_kind(shown("sgqa", "[hand1]"), "graphs")
    assert [pair["candidate"] for pair in graphs["pairs"]] == [graph("wash"), graph("dry")]
    for kind, text, rows in (
        ("sgqa", "[hand1]", [["~", "cup", "hand1"]]),
        ("sgqa", None, [["-", "cup", None]]),
        ("sgqa", "[cup]", [["=", "cup", "cup"]]),
        ("nodes-sa", "cup\nperson\nmoon", [["=", "cup"], ["=", "person"], ["-", "hand1"], ["+", "moon"]]),
        ("actions", "dry", [["-", "wash", ""], ["=", "dry", "dry"]]),
    ):
        [table] = of_kind(shown(kind, text), "table")
        assert sorted(table["rows"]) == sorted(rows), (kind, text)
    given_graph, answer = of_kind(shown("refine", None), "graphs")
    assert given_graph["pairs"][0]["changes"]
    assert answer["pairs"][0]["candidate"] is None

    def failing(shown: SampleView) -> Iterator[Panel]:
        yield text_panel("first", "what was made before the failure stays")
        raise RuntimeError("a key")

    monkeypatch.setattr(tsg_view, "view", failing)
    first, last = shown("sgqa", "[cup]")
    assert (first.title, last.kind) == ("first", "text")
    assert "RuntimeError" in last.value["text"] and "a key" not in last.value["text"]


NAMES = st.text(max_size=8)
DRAWN = st.lists(st.lists(st.builds(Triplet, NAMES, NAMES, NAMES), max_size=6).map(ActionGraph), max_size=3)


@given(DRAWN, DRAWN)
def test_graphs_of_any_names_make_json(references: list[ActionGraph], answers: list[ActionGraph]) -> None:
    value = differences_panel("x", Graphs(tuple(references), tuple(answers), Vocabulary())).value
    assert json.loads(json.dumps(value)) == value
    assert len(value["pairs"]) == max(len(references), len(answers))
    for pair in value["pairs"]:
        told = {tuple(one["reference"]) for one in pair["changes"] if one["reference"]}
        if pair["candidate"] is not None and pair["reference"] is not None:
            assert len(told) + pair["matched"] == len({tuple(one) for one in pair["reference"]})
    assert json.dumps(graphs_panel("x", references).value)
    cells = table_panel("x", ["a"], [[1], [None], [True], [float("nan")], [("b",)]]).value["rows"]
    assert cells == [[1], [None], [True], ["nan"], ["('b',)"]]
