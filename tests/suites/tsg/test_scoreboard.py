"""Scores of whole files: perfect replies, every outcome, groups, reasons, and the agreed JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from samples import GRAPH, SGDS, SGG, SGQA, lines
from tsg_tasks import samples_of, score

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.documents.reader import read_document, read_file
from tsgkit.suites.scoreboard import ScoreReport, report_value
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample

DRY = [["person", "verb", "dry"], ["dry", "dobj", "cup"]]
MA = {
    "item_id": "a",
    "domain": "kitchen",
    "tags": ["two_hands", "homonym"],
    "context": [],
    "target_sentence": "She washes and dries it.",
    "mandatory_space": {
        "object": ["cup", "hand1", "hand2"],
        "relationship": ["verb", "dobj", "with"],
        "verb": ["wash", "dry"],
    },
    "graphs": [{"triplets": GRAPH}, {"triplets": DRY}],
}
MA_ROWS = [MA | {"item_id": f"a{n}", "scenario_id": f"s{n}"} for n in range(4)]
QUESTIONS = [SGQA | {"data_id": f"clip{n}"} for n in range(3)]
CHOICES = [SGDS | {"target_sentence": t, "variations": ["B", t, "C", "D", "E"]} for t in ("A1", "A2", "A3")]
DATA: dict[str, list[dict[str, Any]]] = {"sgqa": QUESTIONS, "sgds": CHOICES, "sa-sgg": [SGG, SGG], "ma-sgg": MA_ROWS}


def perfect(sample: AnySample) -> str:
    if isinstance(sample, GenerationSample):
        return "\n\n".join(map(str, sample.references))
    assert isinstance(sample, QuestionSample | SelectionSample)
    return f"[{sample.answer}]"


def scored(folder: Path, task: str, replies: dict[str, Any], **options: Any) -> ScoreReport:  # noqa: ANN401
    (folder / "data.jsonl").write_text(lines(*DATA[task]))
    rows = [{"item_id": item_id, **(r if isinstance(r, dict) else {"reply": r})} for item_id, r in replies.items()]
    (folder / "replies.jsonl").write_text(lines(*rows))
    return score(task, folder / "data.jsonl", folder / "replies.jsonl", **options)


def samples(task: str) -> tuple[AnySample, ...]:
    return samples_of(read_document(lines(*DATA[task]), "f"), task)


def value(report: ScoreReport, profile: str, metric: str) -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


HEADLINE = {"sgqa": "exact_match", "sgds": "accuracy", "sa-sgg": "f1", "ma-sgg": "f1"}


@pytest.mark.parametrize("task", DATA)
def test_perfect_replies_score_one_in_both_profiles(task: str, tmp_path: Path) -> None:
    report = scored(tmp_path, task, {sample.item_id: perfect(sample) for sample in samples(task)})
    assert value(report, "strict", HEADLINE[task]) == 1
    assert value(report, "official", HEADLINE[task]) == 1
    assert report.board.counts["answered"] == report.board.n


def test_one_graph_of_k_scores_one_as_published_and_a_share_strictly(tmp_path: Path) -> None:
    replies = {sample.item_id: perfect(sample).split("\n\n")[0] for sample in samples("ma-sgg")}
    report = scored(tmp_path, "ma-sgg", replies)
    assert value(report, "official", "f1") == 1
    assert value(report, "strict", "f1") == 0.5
    assert report.board.counts["missing_graphs"] == 4


def test_no_replies_are_zero_strictly_and_undefined_as_published(tmp_path: Path) -> None:
    report = scored(tmp_path, "ma-sgg", {})
    assert value(report, "strict", "f1") == 0
    assert value(report, "official", "f1") is None
    assert "divides by zero" in report.board.reasons["official.f1"]
    assert report.board.counts["missing"] == report.board.counts["skipped_official"] == 4


def test_every_outcome_is_counted_once(tmp_path: Path) -> None:
    replies = {
        "a0": {"reply": "person -> verb -> wash", "outcome": "truncated"},
        "a1": {"reply": None},
        "a2": {"reply": "I cannot."},
    }
    counts = scored(tmp_path, "ma-sgg", replies).board.counts
    assert {name: counts[name] for name in ("items", "missing", "empty", "truncated", "unreadable", "answered")} == {
        "items": 4, "missing": 1, "empty": 1, "truncated": 1, "unreadable": 1, "answered": 0,
    }  # fmt: skip
    assert list(counts)[:13] == [
        "items", "answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error", "error",
        "repaired", "missing_graphs", "surplus_graphs", "skipped_official",
    ]  # fmt: skip


def test_a_repaired_reply_is_counted_and_scores_the_same(tmp_path: Path) -> None:
    replies = {sample.item_id: perfect(sample).replace("->", "→") for sample in samples("ma-sgg")}
    report = scored(tmp_path, "ma-sgg", replies)
    assert value(report, "strict", "f1") == 1
    assert report.board.counts["repaired"] == 4


def test_groups_come_with_their_own_values_and_counts(tmp_path: Path) -> None:
    replies = {"a0": perfect(samples("ma-sgg")[0])}
    report = scored(tmp_path, "ma-sgg", replies, by=["k", "tag", "domain"])
    shown: Any = report_value(report)["by"]
    assert list(shown) == ["k", "tag", "domain"]
    assert list(shown["tag"]) == ["homonym", "two_hands"]
    assert shown["k"]["2"]["n"] == 4
    assert shown["domain"]["kitchen"]["profiles"]["strict"]["f1"]["value"] == 0.25


def test_structured_replies_have_no_official_score(tmp_path: Path) -> None:
    report = scored(tmp_path, "sgqa", {}, style="structured")
    shown: Any = report_value(report)
    assert shown["profiles"]["official"] is None
    assert "JSON schema" in shown["reasons"]["official"]


def test_for_reasoning_styles_the_report_says_what_the_published_reader_saw(tmp_path: Path) -> None:
    assert "after" in scored(tmp_path, "sgqa", {}, style="cot").board.reasons["official.view"].replace(
        "follows", "after"
    )


def test_the_json_has_the_agreed_shape(tmp_path: Path) -> None:
    report = scored(tmp_path, "ma-sgg", {"a0": perfect(samples("ma-sgg")[0]).replace("hand1", "hand2")})
    shown: Any = json.loads(json.dumps(report_value(report, with_samples=True)))
    assert list(shown) == ["task", "style", "seed", "n", "profiles", "counts", "reasons", "samples"]
    assert set(shown["profiles"]["strict"]["f1"]) == {"value", "low", "high", "n"}
    first = shown["samples"][0]
    assert list(first) == ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
    assert first["evidence"][0]["changes"] == ["wrong hand: wash -> with -> hand2, expected wash -> with -> hand1"]
    assert shown["samples"][1]["outcome"] == "missing"


def test_items_of_one_scenario_make_no_interval_alone(tmp_path: Path) -> None:
    rows = [MA | {"item_id": f"a{n}", "scenario_id": "one"} for n in range(4)]
    (tmp_path / "data.jsonl").write_text(lines(*rows))
    (tmp_path / "replies.jsonl").write_text("")
    found = (score("ma-sgg", tmp_path / "data.jsonl", tmp_path / "replies.jsonl").board.profiles["strict"] or {})["f1"]
    assert found is not None
    assert (found.low, found.high, found.n) == (None, None, 8)


def test_the_same_seed_gives_the_same_interval(tmp_path: Path) -> None:
    replies = {"a0": perfect(samples("ma-sgg")[0])}
    first = report_value(scored(tmp_path, "ma-sgg", replies, seed=3))
    assert first == report_value(scored(tmp_path, "ma-sgg", replies, seed=3))


@pytest.mark.parametrize(
    ("replies", "message"),
    [
        ('{"item_id": "x", "reply": ""}', "line 1: the data have no item x"),
        ('{"item_id": "a0", "reply": ""}\n{"item_id": "a0", "reply": ""}', "line 2: a second reply to item a0"),
        ('{"item_id": "a0"}', "line 1: not a reply: reply"),
        ('{"item_id": "a0", "reply": ["a", "b"]}', "line 1: not a reply: reply"),
        ('{"item_id": "a0", "reply": "", "outcome": "lost"}', "line 1: not a reply: outcome"),
        ("\n{oops", "line 2: broken JSON"),
    ],
)
def test_replies_that_do_not_fit_are_named_with_their_line(replies: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(lines(*MA_ROWS))
    (tmp_path / "replies.jsonl").write_text(replies)
    with pytest.raises(UsageError, match=message):
        score("tsg/ma-sgg", tmp_path / "data.jsonl", tmp_path / "replies.jsonl")


@pytest.mark.parametrize(
    ("task", "rows", "message"),
    [
        ("ma-sgg", [SGG, SGG], "every item has one graph, so these are rows of sa-sgg, not ma-sgg"),
        ("actions", [SGG], "every item has one graph, so these are rows of sa-sgg, not ma-sgg"),
        ("sa-sgg", [MA], "has k = 2, so it belongs to ma-sgg"),
        ("sgqa", [SGG], "sgg is not data of sgqa"),
        ("sgx", [SGG], "there is no task sgx"),
        ("ma-sgg", [MA, MA], "the item id a occurs twice"),
        ("ma-sgg", [MA | {"graphs": []}], "item a has no reference graphs"),
        ("sa-sgg", [SGG | {"graphs": [{"triplets": []}]}], "item 0 has no reference graphs, or one without triplets"),
        ("sgds", [SGDS | {"position": 5}], "item 0 has its answer at position 5 of 5 candidates"),
        ("sgds", [SGDS | {"position": -1}], "item 0 has its answer at position -1 of 5 candidates"),
        ("ma-sgg", [MA, {"mandatory_space": 3}], "line 2: not an sgg row"),
    ],
)
def test_data_that_are_not_the_tasks_are_refused(task: str, rows: list[Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(lines(*rows))
    with pytest.raises(UsageError, match=message):
        score(task, tmp_path / "data.jsonl", tmp_path / "none.jsonl")


SINGLE = MA | {"item_id": "one", "scenario_id": "s0", "graphs": [{"triplets": DRY}]}


@pytest.mark.parametrize("first", [True, False])
def test_an_item_of_one_graph_among_items_of_several_is_scored_as_k_1(first: bool, tmp_path: Path) -> None:
    rows = [SINGLE, MA] if first else [MA, SINGLE]
    (tmp_path / "data.jsonl").write_text(lines(*rows))
    dry = "\n".join(" -> ".join(triplet) for triplet in DRY)
    (tmp_path / "replies.jsonl").write_text(lines({"item_id": "one", "reply": f"{dry}\n\n{dry}"}))
    report = score("ma-sgg", tmp_path / "data.jsonl", tmp_path / "replies.jsonl")
    assert value(report, "strict", "f1") == pytest.approx(0.5 / 3), "a surplus graph counts against k = 1 too"
    assert value(report, "official", "f1") == 1, "the published code pairs one graph with one"
    assert report.board.counts["single_graph_items"] == 1
    assert report.notes == ("1 item of one graph among items of several, scored as k = 1: one",)
    [single] = [one for one in report.judged if one.sample.item_id == "one"]
    assert "one graph among items of several: scored as k = 1" in single.notes


def test_items_of_several_graphs_count_no_single_ones(tmp_path: Path) -> None:
    report = scored(tmp_path, "ma-sgg", {})
    assert (report.board.counts["single_graph_items"], report.notes) == (0, ())
    assert "single_graph_items" not in scored(tmp_path, "sa-sgg", {}).board.counts


@pytest.mark.parametrize("task", ["nodes-ma", "edges-ma", "actions"])
def test_tasks_derived_of_several_graphs_take_single_ones_too(task: str, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(lines(MA, SINGLE))
    (tmp_path / "replies.jsonl").write_text("")
    report = score(task, tmp_path / "data.jsonl", tmp_path / "replies.jsonl")
    assert (report.board.n, report.board.counts["single_graph_items"]) == (2, 1)


def test_the_command_says_which_items_have_one_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.jsonl").write_text(lines(MA, *[SINGLE | {"item_id": f"one{n}"} for n in range(5)]))
    (tmp_path / "replies.jsonl").write_text("")
    words = ["--data", str(tmp_path / "data.jsonl"), "--replies", str(tmp_path / "replies.jsonl")]
    assert main(["score", "--task", "tsg/ma-sgg", *words]) == 0
    said = capsys.readouterr().out
    assert "note: 5 items of one graph among items of several, scored as k = 1: one0, one1, one2 and 2 more" in said
    assert "5 single_graph_items" in said


def test_question_ids_are_the_rows_and_their_number_unless_they_have_their_own() -> None:
    pairs = [{"Q": "?", "A": "cup"}, {"Q": "!", "A": "cup", "item_id": "mine"}]
    rows = [SGQA | {"item_id": "r", "qa_pairs": pairs}, SGQA | {"qa_pairs": pairs[:1]}]
    assert [sample.item_id for sample in samples_of(read_document(lines(*rows), "f"), "sgqa")] == ["r/0", "mine", "1/0"]


def test_clusters_are_scenarios_else_clips_else_what_is_shared() -> None:
    def cluster(**fields: object) -> str:
        return str(samples_of(read_document(lines(MA | fields), "f"), "ma-sgg")[0].cluster)

    assert cluster(scenario_id="s", data_id="d") == "s"
    assert cluster(data_id="d") == "d"
    assert cluster() == cluster(target_sentence="Other.", item_id="b")


def test_the_command_prints_both_profiles_and_never_fails_for_a_low_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored(tmp_path, "ma-sgg", {"a0": "person -> verb -> wash"})
    files = ["--data", str(tmp_path / "data.jsonl"), "--replies", str(tmp_path / "replies.jsonl")]
    assert main(["score", "--task", "tsg/ma-sgg", *files, "--by", "k", "--samples"]) == 0
    out = capsys.readouterr().out
    assert "strict                   official" in out
    assert "k 2: 4 items" in out
    assert '"outcome": "missing"' in out
    assert main(["score", "--task", "tsg/ma-sgg", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["missing"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--task", "tsg/none"], "there is no task tsg/none"),
        (["--task", "tsg/ma-sgg", "--style", "odd"], "there is no style odd"),
        (["--task", "tsg/ma-sgg", "--by", "colour"], "there is no group colour"),
        (["--task", "tsg/ma-sgg", "--replies", "nosuch"], "nosuch: no such file"),
        (["--task", "tsg/ma-sgg", "--data", "-", "--replies", "-"], "--data and --replies are both standard input"),
        (["--task", "tsg/ma-sgg", "--data", "tsg-bench"], "the data of ma-sgg of tsg-bench are not on this machine"),
    ],
)
def test_wrong_words_are_said(
    words: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "data"))
    scored(tmp_path, "ma-sgg", {})
    files = ["--data", str(tmp_path / "data.jsonl"), "--replies", str(tmp_path / "replies.jsonl")]
    assert main(["score", *files, *words]) == 2
    assert message in capsys.readouterr().err


def test_folders_of_rows_can_be_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scored(tmp_path, "ma-sgg", {"a0": "person -> verb -> wash"})
    (tmp_path / "data.jsonl").rename(tmp_path / "ma-sgg.jsonl")
    words = ["score", "--task", "ma-sgg", "--data", str(tmp_path), "--replies", str(tmp_path / "replies.jsonl")]
    assert main(words) == 0
    assert "tsg/ma-sgg: 4 items" in capsys.readouterr().out


@pytest.mark.skipif(
    not os.environ.get("TSGKIT_OFFICIAL_DATA"), reason="TSGKIT_OFFICIAL_DATA names no folder with published rows"
)
@pytest.mark.parametrize(("task", "n"), [("sgqa", 30), ("sgds", 12)])
def test_published_rows_score_one_against_their_own_references(task: str, n: int, tmp_path: Path) -> None:
    data = Path(os.environ["TSGKIT_OFFICIAL_DATA"], f"tsg_{task}_sample.jsonl")
    asked = samples_of(read_file(data), task)
    (tmp_path / "replies.jsonl").write_text(
        lines(*({"item_id": sample.item_id, "reply": perfect(sample)} for sample in asked))
    )
    report = score(task, data, tmp_path / "replies.jsonl")
    assert report.board.n == n
    assert value(report, "strict", HEADLINE[task]) == value(report, "official", HEADLINE[task]) == 1


def test_a_number_is_an_item_id_too() -> None:
    rows = [MA | {"item_id": 0}, MA | {"item_id": 7}]
    assert [sample.item_id for sample in samples_of(read_document(lines(*rows), "f"), "ma-sgg")] == ["0", "7"]
