"""The published readers and scorers beside the strict ones; votes on several draws; scores of files and groups."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import GRAPH, SGDS, SGG, SGQA, lines
from tsg_tasks import STYLES, judge, samples_of, score, shown_answer
from tsg_tasks import task as task_named

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.reading import Reading as GraphReading
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.library.documents.reader import read_document
from tsgkit.replies import Unreadable
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import Reading
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.scoreboard import ScoreReport, report_value
from tsgkit.suites.solvers.scorers import combined
from tsgkit.suites.tsg import official, qa, selection
from tsgkit.suites.tsg.generation import MOST_GRAPHS, comparable, majority_graphs
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample
from tsgkit.suites.tsg.task import BINS, bin_of, groups_of, in_order, no_group, repeats, words_per_edge

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "dobj", "cup"))
STACK = ActionGraph.of(("person", "verb", "stack"), ("stack", "dobj", "cup"))
L = Vocabulary(("cup", "lid", "table", "tea-bag"), ("verb", "dobj", "with", "on"), ("wash", "dry", "stack", "hold"))


def choice(candidates: int = 5) -> SelectionSample:
    texts = tuple("abcde"[:candidates])
    return SelectionSample(item_id="0", cluster="", context=(), graph=WASH, candidates=texts, position=2)


def question(answer: str = "rope") -> QuestionSample:
    graphs = (ActionGraph.of(("pull", "dobj", answer)),)
    return QuestionSample(item_id="0", cluster="", graphs=graphs, question="", answer=answer)


def generation(*references: ActionGraph) -> GenerationSample:
    told: dict[str, Any] = {"item_id": "0", "cluster": "", "context": (), "sentence": "She washes it."}
    return GenerationSample(**told, vocabulary=L, references=references)


def arrows(*graphs: ActionGraph) -> str:
    return "\n\n".join(str(graph) for graph in graphs)


CHOICES = {
    "D1: the article A is taken for option A before a bracket": ("A close reading suggests [C]", "A", "C"),
    "D1: a bracket after no bare capital is read": ("the answer is [C]", "C", "C"),
    "D2: a rationale is scanned from its start": ("B is wrong, D is wrong.\nFinal answer: [C]", "B", "C"),
    "D3: lower case is not seen": ("[c]", None, "C"),
    "D4: (C) is seen": ("(C)", "C", "C"),
    "D4: C: is seen": ("C: the third", "C", "C"),
    "D5: no letter is wrong and counted": ("I cannot say", None, None),
    "D5: letters beyond E are not seen": ("[F]", None, None),
    "D4: a letter inside a word is not seen": ("CAB", None, None),
}
QUESTIONS = {
    "Q0: one word in brackets": ("[rope]", 1, 1),
    "Q0: case and spaces are folded": ("[ Rope ]", 1, 1),
    "Q1: the first bracket wins": ('From ["pull", "dobj", "rope"]: [rope]', 0, 1),
    "Q2: a bracket over two lines is not seen": ("[\nrope\n]", 0, 1),
    "Q3: a period stays": ("[rope.]", 0, 1),
    "Q3: an article stays": ("[the rope]", 0, 1),
    "Q4: a label is not understood": ("Final answer: rope", 0, 1),
    "Q4: the whole reply is compared where there is no bracket": ("rope", 1, 1),
    "Q4: brackets before the label win": ("I looked at [cup].\nFinal answer: [rope]", 0, 1),
}
ALL = arrows(WASH, DRY, STACK)
GRAPHS = {
    "G0: all right": (ALL, 1, 1),
    "G1: missing graphs are not scored": (arrows(WASH), 1, 1 / 3),
    "G2: a reply without triplets is skipped": ("I cannot do that.", None, 0),
    "G3: surplus graphs are free": (arrows(WASH, DRY, STACK, WASH), 1, 3 / 4),
    "G4: one graph forgotten at the start shifts the others": (arrows(DRY, STACK), 0, 0),
    "G6: a blank line after each triplet makes graphs of single triplets": (ALL.replace("\n", "\n\n"), (2 / 3) / 3, 1),
    "G7: a heading without a blank line fuses graphs": (
        f"Graph 1:\n{WASH}\nGraph 2:\n{DRY}\nGraph 3:\n{STACK}", 0.5, 1),
    "G9: bullets stay in the names": (re.sub("(?m)^(.)", r"- \1", ALL), 0, 1),
    "G10: other arrows give no triplets": (ALL.replace("->", "→"), None, 1),
    "G10: long arrows leave a hyphen behind": (ALL.replace("->", "-->"), 0, 1),
    "G11: case counts": (ALL.replace("person", "Person"), 0.5, 1),
    "G12: duplicates are free": (ALL + "\nstack -> dobj -> cup", 1, 1),
    "G12: reversed triplets are wrong": (ALL.replace("stack -> dobj -> cup", "cup -> dobj -> stack"), 2.5 / 3, 2.5 / 3),
    "G17: a rationale line with two arrows is a triplet": ("so first -> then -> later\n" + ALL, 2.8 / 3, 1),
}  # fmt: skip


def test_replies_are_scored_as_published_and_strictly() -> None:
    for shows, (text, published, strict) in CHOICES.items():
        judged = judge(choice(), CollectedReply(text))
        assert (official.letter(text), judged.answer) == (published, strict), shows
        values = [judged.scores[profile]["accuracy"].value for profile in ("official", "strict")]
        assert values == [published == "C", strict == "C"], shows
    for cases, sample, metric in ((QUESTIONS, question(), "exact_match"), (GRAPHS, generation(WASH, DRY, STACK), "f1")):
        for shows, (text, *expected) in cases.items():
            scores = judge(sample, CollectedReply(text)).scores
            values = [scores[profile][metric].value for profile in ("official", "strict")]
            assert values == [pytest.approx(one) for one in expected], shows
    hyphen = judge(question("tea-bag"), CollectedReply("[tea bag]")).scores
    words = [hyphen["official"]["exact_match"], hyphen["strict"]["exact_match"], hyphen["strict"]["normalised"]]
    assert [score.value for score in words] == [0, 0, 1], "Q3: hyphens and spaces differ but in the normalised metric"
    others = [
        judge(question(), CollectedReply(text)).scores["strict"]["not_a_node"].value for text in ("[ladder]", "[pull]")
    ]
    assert others == [1, 0], "Q5: other names are told apart"
    scores = judge(generation(WASH), CollectedReply(arrows(WASH, DRY))).scores
    assert (scores["official"]["f1"].value, scores["strict"]["f1"].value) == (1, 0.5), "G8: the first of several blocks"
    judged = judge(generation(WASH), CollectedReply("no"))
    assert (judged.scores["official"]["f1"].value, judged.counts["skipped_official"]) == (None, 1), "G5: none"
    judged = judge(choice(candidates=4), CollectedReply("[E]"))
    assert (official.letter("[E]"), judged.scores["official"]["accuracy"].value) == ("E", 0), "D7: beyond all"
    assert (judged.outcome, judged.notes) == ("unreadable", ("E is none of the 4 options",))
    wanted, said = ActionGraph.of(("a b", "c", "d")), ActionGraph.of(("a", "b c", "d"))
    assert official.score_graph(wanted, said).f1 == 1 and wanted != said, "G11: triplets as one string"
    right, wrong = (
        judge(generation(WASH, DRY), CollectedReply(arrows(WASH, DRY))),
        judge(generation(WASH), CollectedReply(arrows(DRY))),
    )
    averaged = [one.scores["official"]["f1"] for one in (right, wrong)]
    assert [(score.sum, score.weight) for score in averaged] == [(2, 2), (0, 1)], "G13: over paired graphs"


def test_every_strict_metric_has_its_definition_and_the_published_reader_sees_what_its_style_shows() -> None:
    mug = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "mug"))
    judged = judge(generation(WASH, DRY, STACK), CollectedReply(arrows(mug, STACK)))
    found = {name: (score.sum, score.weight) for name, score in judged.scores["strict"].items()}
    assert {name: pair for name, pair in found.items() if name != "f1_soft"} == {
        "precision": (0.5, 3), "recall": (0.5, 3), "f1": (0.5, 3), "f1_per_item": (0.5, 3), "exact_match": (0, 1),
        "micro_precision": (1, 4), "micro_recall": (1, 6), "micro_f1": (2, 10),
        "f1_in_order": (1.5, 3), "f1_aligned": (1.5, 3),
        "nodes_f1": (pytest.approx(4 / 3), 3), "edges_f1": (2, 3),
        "actions_precision": (1, 1), "actions_recall": (pytest.approx(2 / 3), 1), "actions_f1": (pytest.approx(0.8), 1),
        "hallucinated": (1, 7), "hallucinating": (1, 1),
    }  # fmt: skip
    assert {name: count for name, count in judged.counts.items() if count} == {
        "items": 1, "answered": 1, "missing_graphs": 1, "hallucinated_total": 1, "hallucinated_new": 1,
        "hallucinating_items": 1, "hallucinating_items_new": 1,
    }  # fmt: skip
    told = CollectedReply("A and B are wrong.\nFinal answer: [C]")
    seen = {style: judge(choice(), told, style).scores.get("official") for style in STYLES}
    assert {style: scores and scores["accuracy"].value for style, scores in seen.items()} == {
        "zero-shot": 0, "few-shot": 0, "cot": 1, "cot-few-shot": 1, "structured": None,
    }  # fmt: skip
    for reply, text in (
        ("Answer: A\nno wait\nAnswer: B", " B"),
        ("reasons\n### Final graphs\na -> b -> c", "\na -> b -> c"),
        ("<think>Answer: A</think>[B]", "[B]"),
        ("Answer: A\nFinal answer:\n", " A\nFinal answer:\n"),
        ("Answer:", ""),
        ("Graph 1:\na -> b -> c", "Graph 1:\na -> b -> c"),
    ):
        assert official.answer_section(reply) == text, reply
    for reply in ("[" * 500_000, "[a" * 250_000, "[\n" * 200_000 + "[x]"):
        assert official.word(reply) == ("x" if reply.endswith("]") else reply)
    for reply, reason in (
        ("[F]", "F is none of the 5 options"),
        ("[A] or [B]", "two answers: A, B"),
        ("The third one", "no answer"),
        ("Final answer:", "no answer"),
        ("7", "no answer"),
    ):
        assert selection.letter(reply, [""] * 5) == Unreadable(reason)
    for reply in ("from [table] to [Cup]", "[]", "Answer: ", "[ . ]"):
        assert isinstance(qa.word(reply), Unreadable), reply


EDGES = st.tuples(st.sampled_from(["dobj", "with", "on"]), st.sampled_from(["cup", "lid", "hand1", "hand2", "tea-bag"]))
DRAWN = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, *edge) for edge in edges)]),
    st.sampled_from(["wash", "dry", "hold"]),
    st.lists(EDGES, max_size=4),
)
REFERENCES = st.lists(DRAWN, min_size=1, max_size=4)


@given(references=REFERENCES, graphs=st.lists(DRAWN, max_size=6), data=st.data())
def test_perfect_graphs_score_one_any_have_bounded_scores_and_silence_is_never_better(
    references: list[ActionGraph], graphs: list[ActionGraph], data: st.DataObject
) -> None:
    lower = {"hallucinated", "hallucinating"}
    for scores in judge(generation(*references), CollectedReply(arrows(*references))).scores.values():
        assert all(score.value == pytest.approx(float(name not in lower)) for name, score in scores.items())
    judged = judge(generation(*references), CollectedReply(arrows(*graphs)))
    silent = judge(generation(*references), None).scores["strict"]
    for scores in judged.scores.values():
        assert all(score.value is None or 0 <= score.value <= 1 + 1e-12 for score in scores.values())
        precision, recall, f1 = (scores[name].sum for name in ("precision", "recall", "f1"))
        assert f1 <= (precision + recall) / 2 + 1e-9
    strict = judged.scores["strict"]
    if strict["f1_aligned"].weight:
        assert strict["f1"].sum <= strict["f1_in_order"].sum + 1e-9 <= strict["f1_aligned"].sum + 2e-9
    for name in ("precision", "recall", "f1", "f1_per_item", "exact_match"):
        assert silent[name].sum <= strict[name].sum and silent[name].weight == strict[name].weight
    counts = judged.counts
    assert counts["hallucinated_desc"] + counts["hallucinated_new"] == counts["hallucinated_total"]
    shuffled = [ActionGraph(data.draw(st.permutations(graph.triplets))) for graph in graphs]
    again = judge(generation(*references), CollectedReply(arrows(*shuffled))).scores["strict"]
    assert {name: one.value for name, one in again.items()} == {name: one.value for name, one in strict.items()}


@given(text=st.text(alphabet="[]aB \n\r", max_size=20))
@settings(max_examples=50)
def test_the_published_bracket_is_found_as_its_pattern_finds_it(text: str) -> None:
    match = re.search(r"\[(.*?)\]", text)
    assert official.word(text) == (match.group(1) if match else text).lower().strip()


NONE = "nothing"
UNREAD = Reading(Outcome.UNREADABLE, None, NONE)


def drawn(*found: ActionGraph) -> Reading:
    return Reading(Outcome.ANSWERED, GraphAnswer(found, GraphReading(found, (), ())))


def majority(readings: Sequence[Reading]) -> tuple[Outcome, Any]:
    """Return the outcome of some draws, and the answer or why there is none."""
    of_graphs = any(isinstance(reading.answer, GraphAnswer) for reading in readings)
    found = combined(task_named("ma-sgg") if of_graphs else task_named("sgqa"), question(), readings)
    return found.outcome, found.reason or found.answer


def test_only_draws_that_could_be_read_and_end_have_a_vote() -> None:
    cup = Reading(Outcome.ANSWERED, "cup")
    assert majority([UNREAD, Reading(Outcome.EMPTY, None), cup]) == (Outcome.ANSWERED, "cup")
    for outcome in (Outcome.EMPTY, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.MISSING):
        assert majority([Reading(outcome, None), UNREAD]) == (outcome, None)
        assert majority([UNREAD, Reading(outcome, None)]) == (Outcome.UNREADABLE, NONE)
    assert majority([]) == (Outcome.MISSING, None)
    assert majority([cup, Reading(Outcome.API_ERROR, None), cup]) == (Outcome.API_ERROR, None)
    endless = drawn(*[WASH, DRY] * MOST_GRAPHS)
    outcome, answer = majority([endless, drawn(WASH), endless, drawn(WASH), drawn(DRY)])
    note = f"2 of 5 draws had no vote: the draws hold more than {MOST_GRAPHS} graphs"
    assert (outcome, answer.graphs, answer.asides) == (Outcome.ANSWERED, (WASH,), (note,))
    too_many = f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare"
    assert majority([endless, endless]) == (Outcome.UNREADABLE, too_many)
    long, short = [WASH] * (MOST_GRAPHS - 2), [DRY, STACK]
    assert comparable([short, long, short]) == [short, short]
    assert comparable([short, long]) == [short, long]
    assert comparable([long, short, [WASH], [DRY]]) == [short, [WASH], [DRY]], "the first of the shortest"
    more = ActionGraph([*WASH, ("wash", "with", "hand1")])
    assert majority_graphs([[WASH], [more]]) == (WASH,), "half is not enough"
    assert majority_graphs([[WASH, DRY, STACK], [DRY, STACK], [WASH, DRY, STACK]]) == (WASH, DRY, STACK)
    nothing = "no triplet has a majority"
    assert majority([drawn(WASH), drawn(DRY)]) == (Outcome.UNREADABLE, nothing)


@given(draws=st.lists(REFERENCES, min_size=1, max_size=5), other=REFERENCES, place=st.integers(0, 2))
def test_two_equal_draws_of_three_win_and_every_voted_triplet_stands_in_more_than_half(
    draws: list[list[ActionGraph]], other: list[ActionGraph], place: int
) -> None:
    for graph in majority_graphs(draws):
        assert graph.triplets
        for triplet in graph:
            holding = sum(any(triplet in set(other) for other in draw) for draw in draws)
            assert holding * 2 > len(draws)
    agreed = draws[0]
    three = [agreed, agreed]
    three.insert(place, other)
    assert majority_graphs(three) == tuple(agreed) == majority_graphs([agreed] * (place + 1))


DRIED = [["person", "verb", "dry"], ["dry", "dobj", "cup"]]
MA: dict[str, Any] = {
    "item_id": "a", "domain": "kitchen", "tags": ["two_hands", "homonym"],
    "context": [], "target_sentence": "She washes and dries it.",
    "mandatory_space": {
        "object": ["cup", "hand1", "hand2"], "relationship": ["verb", "dobj", "with"], "verb": ["wash", "dry"],
    },
    "graphs": [{"triplets": GRAPH}, {"triplets": DRIED}],
}  # fmt: skip
SINGLE = MA | {"item_id": "one", "scenario_id": "s0", "graphs": [{"triplets": DRIED}]}
MA_ROWS = [MA | {"item_id": f"a{n}", "scenario_id": f"s{n}"} for n in range(4)]
QUESTION_ROWS = [SGQA | {"data_id": f"clip{n}"} for n in range(3)]
CHOICE_ROWS = [SGDS | {"target_sentence": t, "variations": ["B", t, "C", "D", "E"]} for t in ("A1", "A2", "A3")]
DATA: dict[str, list[dict[str, Any]]] = {
    "sgqa": QUESTION_ROWS,
    "sgds": CHOICE_ROWS,
    "sa-sgg": [SGG, SGG],
    "ma-sgg": MA_ROWS,
}
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


def test_perfect_replies_score_one_one_graph_of_k_a_share_and_each_outcome_is_counted_once(tmp_path: Path) -> None:
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
    assert shown["by"]["domain"]["kitchen"]["profiles"]["strict"]["f1"]["value"] == pytest.approx(5 / 6 / 4)
    first = shown["samples"][0]
    assert list(first) == ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
    assert first["evidence"][0]["changes"] == ["wrong hand: wash -> with -> hand2, expected wash -> with -> hand1"]
    assert [one["outcome"] for one in shown["samples"]] == ["answered", *["missing"] * 3]
    again = scored(tmp_path, "ma-sgg", replies, by=["k", "tag", "domain"], seed=3)
    assert report_value(again) == report_value(report), "the same seed gives the same intervals"
    structured: Any = report_value(scored(tmp_path, "sgqa", {}, style="structured"))
    assert structured["profiles"]["official"] is None and "JSON schema" in structured["reasons"]["official"]
    assert "follows" in scored(tmp_path, "sgqa", {}, style="cot").board.reasons["official.view"]


def test_an_item_of_one_graph_among_items_of_several_is_scored_as_k_1(tmp_path: Path) -> None:
    dry = "\n".join(" -> ".join(triplet) for triplet in DRIED)
    for rows in ([SINGLE, MA], [MA, SINGLE]):
        report = score("ma-sgg", *files(tmp_path, rows, {"one": f"{dry}\n\n{dry}"}))
        assert value(report, "strict", "f1") == pytest.approx(0.5 / 3), "a surplus graph counts against k = 1 too"
        assert value(report, "official", "f1") == 1, "the published code pairs one graph with one"
        assert report.notes == ("1 item of one graph among items of several, scored as k = 1: one",)
        [single] = [one for one in report.judged if one.sample.item_id == "one"]
        assert "one graph among items of several: scored as k = 1" in single.notes
        assert report.board.counts["single_graph_items"] == 1
    report = score("actions", *files(tmp_path, rows, {}))
    assert (report.board.n, report.board.counts["single_graph_items"]) == (2, 1)
    report = scored(tmp_path, "ma-sgg", {})
    assert (report.board.counts["single_graph_items"], report.notes) == (0, ())
    assert "single_graph_items" not in scored(tmp_path, "sa-sgg", {}).board.counts


def sentence_of(sentence: str, *actions: str) -> GenerationSample:
    references = (ActionGraph.of(("person", "verb", action), (action, "dobj", "cup")) for action in actions)
    return replace(generation(*references), sentence=sentence)


def test_groups_of_a_sentence_follow_from_its_words_and_stand_in_their_order() -> None:
    for sentence, actions, name in (
        ("She washes the cup and dried it.", ("wash", "dry"), "explicit"),
        ("She washes the cup.", ("wash", "dry"), "implicit"),
        ("She takes the big cup off.", ("take-off",), "explicit"),
        ("She takes the cup.", ("take-off",), "implicit"),
        ("He wrung it, then he wrung it.", ("wring", "wring"), "explicit"),
    ):
        assert groups_of(sentence_of(sentence, *actions), "implicit") == (name,), sentence
    repeated = "Stir it three times.|Repeat that.|She repeated it.|Again!|Tap it twice|Turn it 2 times|Shake 12.|SEVEN"
    single = "Sometimes stir.|Stir it once.|Use one hand.|Against the wall.|1, 01, 0||²"
    for texts, is_repeated, name in ((repeated, True, "repetition"), (single, False, "no repetition")):
        for text in texts.split("|"):
            assert (repeats(text), groups_of(sentence_of(text, "tap"), "repetition")) == (is_repeated, (name,)), text
    assert words_per_edge(sentence_of("She dries the big tea-towel.", "dry")) == 5 / 2
    assert words_per_edge(sentence_of("She dries the big tea-towel.", "dry", "lift")) == 5 / 4
    assert groups_of(sentence_of("She dries it off now.", "dry"), "descriptiveness") == ("2 to 3",)
    names = {0.99: "under 1", 1.0: "1 to 2", 1.99: "1 to 2", 4.99: "4 to 5", 5.0: "5 and more", 99.0: "5 and more"}
    assert {ratio: bin_of(ratio) for ratio in names} == names, "a step holds its lower end"
    assert in_order(reversed(BINS), "descriptiveness") == list(BINS)
    assert in_order(["10", "9", "x", "٣"], "k") == ["9", "10", "x", "٣"]
    asked = replace(question(), groups={"k": ("3",)})
    assert groups_of(asked, "k") == ("3",)
    with pytest.raises(UsageError, match="item 0: cannot be grouped by implicit"):
        groups_of(asked, "implicit")
    error = no_group("repetition", ["sgqa", "sgds"])
    assert error.message == "tsg/sgqa, tsg/sgds: cannot be grouped by repetition"
    error = no_group("implict", ["ma-sgg"])
    assert (error.message, error.hint) == ("there is no group implict", "implicit?")
