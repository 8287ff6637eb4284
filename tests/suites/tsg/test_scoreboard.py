"""Scores of whole files: perfect replies, every outcome, reasons, the agreed JSON, and groups of sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from samples import GRAPH, SGDS, SGG, SGQA, lines
from tsg_tasks import samples_of, score, shown_answer
from tsg_tasks import task as task_named

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.library.documents.reader import read_document
from tsgkit.suites.scoreboard import ScoreReport, report_value
from tsgkit.suites.tsg.groups import BINS, bin_of, groups_of, in_order, no_group, repeats, words_per_edge
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample

DRY = [["person", "verb", "dry"], ["dry", "dobj", "cup"]]
MA: dict[str, Any] = {
    "item_id": "a", "domain": "kitchen", "tags": ["two_hands", "homonym"],
    "context": [], "target_sentence": "She washes and dries it.",
    "mandatory_space": {
        "object": ["cup", "hand1", "hand2"], "relationship": ["verb", "dobj", "with"], "verb": ["wash", "dry"],
    },
    "graphs": [{"triplets": GRAPH}, {"triplets": DRY}],
}  # fmt: skip
SINGLE = MA | {"item_id": "one", "scenario_id": "s0", "graphs": [{"triplets": DRY}]}
MA_ROWS = [MA | {"item_id": f"a{n}", "scenario_id": f"s{n}"} for n in range(4)]
QUESTIONS = [SGQA | {"data_id": f"clip{n}"} for n in range(3)]
CHOICES = [SGDS | {"target_sentence": t, "variations": ["B", t, "C", "D", "E"]} for t in ("A1", "A2", "A3")]
DATA: dict[str, list[dict[str, Any]]] = {"sgqa": QUESTIONS, "sgds": CHOICES, "sa-sgg": [SGG, SGG], "ma-sgg": MA_ROWS}
HEADLINE = {"sgqa": "exact_match", "sgds": "accuracy", "sa-sgg": "f1", "ma-sgg": "f1"}


def files(folder: Path, rows: list[dict[str, Any]], replies: dict[str, Any]) -> tuple[Path, Path]:
    """Write data and replies (texts, or fields beside the id)."""
    data, said = folder / "data.jsonl", folder / "replies.jsonl"
    data.write_text(lines(*rows))
    fields = {item_id: one if isinstance(one, dict) else {"reply": one} for item_id, one in replies.items()}
    said.write_text(lines(*({"item_id": item_id, **one} for item_id, one in fields.items())))
    return data, said


def scored(folder: Path, task: str, replies: dict[str, Any], **options: Any) -> ScoreReport:  # noqa: ANN401
    return score(task, *files(folder, DATA[task], replies), **options)


def samples(task: str) -> tuple[AnySample, ...]:
    return samples_of(read_document(lines(*DATA[task]), "f"), task)


def value(report: ScoreReport, profile: str, metric: str) -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


def test_perfect_replies_score_one_and_one_graph_of_k_a_share_in_strict_alone(tmp_path: Path) -> None:
    for task, metric in HEADLINE.items():
        report = scored(tmp_path, task, {sample.item_id: shown_answer(sample) for sample in samples(task)})
        assert value(report, "strict", metric) == value(report, "official", metric) == 1, task
        assert report.board.counts["answered"] == report.board.n == len(samples(task)), task
    replies = {sample.item_id: shown_answer(sample).split("\n\n")[0].replace("->", "→") for sample in samples("ma-sgg")}
    counts = scored(tmp_path, "ma-sgg", replies).board.counts
    assert (counts["missing_graphs"], counts["repaired"]) == (4, 4)
    report = scored(tmp_path, "ma-sgg", {item_id: text.replace("→", "->") for item_id, text in replies.items()})
    assert (value(report, "official", "f1"), value(report, "strict", "f1")) == (1, 0.5)
    report = scored(tmp_path, "ma-sgg", {})
    assert (value(report, "strict", "f1"), value(report, "official", "f1")) == (0, None)
    assert "divides by zero" in report.board.reasons["official.f1"]
    assert report.board.counts["missing"] == report.board.counts["skipped_official"] == 4


def test_every_outcome_is_counted_once(tmp_path: Path) -> None:
    first = {"reply": "person -> verb -> wash", "outcome": "truncated"}
    counts = scored(tmp_path, "ma-sgg", {"a0": first, "a1": {"reply": None}, "a2": "I cannot."}).board.counts
    assert {name: count for name, count in counts.items() if count} == {
        "items": 4, "missing": 1, "empty": 1, "truncated": 1, "unreadable": 1, "missing_graphs": 8,
        "skipped_official": 3,
    }  # fmt: skip
    assert list(counts)[:13] == [
        "items", "answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error", "error",
        "repaired", "missing_graphs", "surplus_graphs", "skipped_official",
    ]  # fmt: skip


def test_a_report_has_groups_with_their_own_values_and_the_agreed_json(tmp_path: Path) -> None:
    replies = {"a0": shown_answer(samples("ma-sgg")[0]).replace("hand1", "hand2")}
    report = scored(tmp_path, "ma-sgg", replies, by=["k", "tag", "domain"], seed=3)
    shown: Any = json.loads(json.dumps(report_value(report, with_samples=True)))
    assert list(shown) == ["task", "style", "seed", "n", "profiles", "counts", "reasons", "by", "samples"]
    assert set(shown["profiles"]["strict"]["f1"]) == {"value", "low", "high", "n"}
    assert [*shown["by"], *shown["by"]["tag"]] == ["k", "tag", "domain", "homonym", "two_hands"]
    assert shown["by"]["k"]["2"]["n"] == 4
    assert shown["by"]["domain"]["kitchen"]["profiles"]["strict"]["f1"]["value"] == pytest.approx(5 / 6 / 4)
    first = shown["samples"][0]
    assert list(first) == ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
    assert first["evidence"][0]["changes"] == ["wrong hand: wash -> with -> hand2, expected wash -> with -> hand1"]
    assert [one["outcome"] for one in shown["samples"]] == ["answered", *["missing"] * 3]
    again = scored(tmp_path, "ma-sgg", replies, by=["k", "tag", "domain"], seed=3)
    assert report_value(again) == report_value(report), "the same seed gives the same intervals"
    structured: Any = report_value(scored(tmp_path, "sgqa", {}, style="structured"))
    assert structured["profiles"]["official"] is None
    assert "JSON schema" in structured["reasons"]["official"]
    assert "follows" in scored(tmp_path, "sgqa", {}, style="cot").board.reasons["official.view"]


def test_replies_that_do_not_fit_are_named_with_their_line(tmp_path: Path) -> None:
    data, replies = files(tmp_path, MA_ROWS, {})
    for text, message in (
        ('{"item_id": "x", "reply": ""}', "line 1: the data have no item x"),
        ('{"item_id": "a0", "reply": ""}\n{"item_id": "a0", "reply": ""}', "line 2: a second reply to item a0"),
        ('{"item_id": "a0"}', "line 1: not a reply: reply"),
        ('{"item_id": "a0", "reply": "", "outcome": "lost"}', "line 1: not a reply: outcome"),
        ("\n{oops", "line 2: broken JSON"),
    ):
        replies.write_text(text)
        with pytest.raises(UsageError, match=message):
            score("tsg/ma-sgg", data, replies)


def test_data_that_are_not_the_tasks_are_refused(tmp_path: Path) -> None:
    cases: list[tuple[str, list[dict[str, Any]], str]] = [
        ("actions", [SGG], "every item has one graph, so these are rows of sa-sgg, not ma-sgg"),
        ("nodes-sa", [MA], "has k = 2, so it belongs to ma-sgg"),
        ("sgqa", [SGG], "sgg is not data of sgqa"),
        ("sgx", [SGG], "there is no task sgx"),
        ("ma-sgg", [MA, MA], "the item id a occurs twice"),
        ("sa-sgg", [SGG | {"graphs": [{"triplets": []}]}], "item 0 has no reference graphs, or one without triplets"),
        ("sgds", [SGDS | {"position": 5}], "item 0 has its answer at position 5 of 5 candidates"),
        ("sgds", [SGDS | {"position": -1}], "item 0 has its answer at position -1 of 5 candidates"),
    ]
    for task, rows, message in cases:
        with pytest.raises(UsageError, match=message):
            score(task, *files(tmp_path, rows, {}))


def test_an_item_of_one_graph_among_items_of_several_is_scored_as_k_1(tmp_path: Path) -> None:
    dry = "\n".join(" -> ".join(triplet) for triplet in DRY)
    for rows in ([SINGLE, MA], [MA, SINGLE]):
        report = score("ma-sgg", *files(tmp_path, rows, {"one": f"{dry}\n\n{dry}"}))
        assert value(report, "strict", "f1") == pytest.approx(0.5 / 3), "a surplus graph counts against k = 1 too"
        assert value(report, "official", "f1") == 1, "the published code pairs one graph with one"
        assert report.board.counts["single_graph_items"] == 1
        assert report.notes == ("1 item of one graph among items of several, scored as k = 1: one",)
        [single] = [one for one in report.judged if one.sample.item_id == "one"]
        assert "one graph among items of several: scored as k = 1" in single.notes
    report = score("actions", *files(tmp_path, rows, {}))
    assert (report.board.n, report.board.counts["single_graph_items"]) == (2, 1)
    report = scored(tmp_path, "ma-sgg", {})
    assert (report.board.counts["single_graph_items"], report.notes) == (0, ())
    assert "single_graph_items" not in scored(tmp_path, "sa-sgg", {}).board.counts


def test_the_command_prints_profiles_groups_and_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    singles = [SINGLE | {"item_id": f"one{n}"} for n in range(5)]
    data, said = files(tmp_path, [MA, *singles], {"a": "person -> verb -> wash"})
    words = ["score", "--task", "tsg/ma-sgg", "--data", str(data), "--replies", str(said)]
    assert main([*words, "--by", "k", "--samples"]) == 0, "a low score is no failure"
    out = capsys.readouterr().out
    assert "strict                   official" in out
    assert "k 2: 1 item" in out and '"outcome": "missing"' in out and "5 single_graph_items" in out
    assert "note: 5 items of one graph among items of several, scored as k = 1: one0, one1, one2 and 2 more" in out
    data.rename(tmp_path / "ma-sgg.jsonl")
    assert main(["score", "--task", "ma-sgg", "--data", str(tmp_path), "--replies", str(said)]) == 0
    assert "tsg/ma-sgg: 6 items" in capsys.readouterr().out
    for wrong, message in (
        (["--by", "colour"], "there is no group colour"),
        (["--data", "-", "--replies", "-"], "--data and --replies are both standard input"),
    ):
        assert main([*words, *wrong]) == 2
        assert message in capsys.readouterr().err


def sentence_of(sentence: str, *actions: str) -> GenerationSample:
    graphs = tuple(ActionGraph.of(("person", "verb", action), (action, "dobj", "cup")) for action in actions)
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence=sentence, vocabulary=Vocabulary(), references=graphs
    )


def test_a_sentence_is_explicit_where_it_mentions_every_action_in_some_form() -> None:
    for sentence, actions, name in (
        ("She washes the cup and dried it.", ("wash", "dry"), "explicit"),
        ("She washes the cup.", ("wash", "dry"), "implicit"),
        ("She takes the big cup off.", ("take-off",), "explicit"),
        ("She takes the cup.", ("take-off",), "implicit"),
        ("He wrung it, then he wrung it.", ("wring", "wring"), "explicit"),
    ):
        assert groups_of(sentence_of(sentence, *actions), "implicit") == (name,), sentence


def test_repetition_is_told_by_cue_words_alone() -> None:
    repeated = (
        "Stir it three times.|Repeat that.|She repeated it.|Again!|Tap it twice|Turn it 2 times|Shake 12.|Fold SEVEN."
    )
    single = "Sometimes stir.|Stir it once.|Use one hand.|Against the wall.|1, 01, 0||²"
    for texts, is_repeated in ((repeated, True), (single, False)):
        for text in texts.split("|"):
            assert repeats(text) is is_repeated, text
            assert groups_of(sentence_of(text, "tap"), "repetition") == (
                "repetition" if is_repeated else "no repetition",
            )
    assert words_per_edge(sentence_of("She dries the big tea-towel.", "dry")) == 5 / 2
    assert words_per_edge(sentence_of("She dries the big tea-towel.", "dry", "lift")) == 5 / 4
    assert groups_of(sentence_of("She dries it off now.", "dry"), "descriptiveness") == ("2 to 3",)
    names = {0.99: "under 1", 1.0: "1 to 2", 1.99: "1 to 2", 4.99: "4 to 5", 5.0: "5 and more", 99.0: "5 and more"}
    assert {ratio: bin_of(ratio) for ratio in names} == names, "a step holds its lower end"


def test_groups_stand_in_their_order_and_tasks_without_a_sentence_have_none_of_sentences() -> None:
    assert in_order(reversed(BINS), "descriptiveness") == list(BINS)
    assert in_order(["10", "9", "x", "٣"], "k") == ["9", "10", "x", "٣"]
    question = QuestionSample(item_id="q", cluster="", graphs=(), question="?", answer="cup", groups={"k": ("3",)})
    assert groups_of(question, "k") == ("3",)
    with pytest.raises(UsageError, match="item q: cannot be grouped by implicit"):
        groups_of(question, "implicit")
    assert "repetition" in task_named("ma-sgg").groups and "repetition" not in task_named("sgqa").groups
    error = no_group("repetition", ["sgqa", "sgds"])
    assert error.message == "tsg/sgqa, tsg/sgds: cannot be grouped by repetition"
    error = no_group("implict", ["ma-sgg"])
    assert (error.message, error.hint) == ("there is no group implict", "implicit?")
