"""``tsgkit agree`` and ``tsgkit audit``: judges beside people, two annotators of graphs, defects of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from samples import SGDS, SGG, SGQA
from shipped import DATA, TASKS
from two_annotators import ANN, BOB, FILL, LIFT, PUT, WASH, L, action, tea, write

from tsgkit.cli.agree import agreement_value
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import Vocabulary
from tsgkit.library.cards import load_card
from tsgkit.library.projects import find, text_of
from tsgkit.report.annotated_items import Versions, versions_of
from tsgkit.report.graph_agreement import GraphAgreement, graph_agreement
from tsgkit.scoring.agreement import Agreement, balanced_accuracy, cohens_kappa
from tsgkit.suites.spatialgen.rows import rows_in

ROWS = {row.id: row for row in rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl")}
IDS = list(ROWS)[:6]
HUMAN = "agree run --human people.jsonl"
GRAPHS = "agree ann.jsonl bob.jsonl"


def evaluated(tsgkit: CommandLine, *models: str, run: str = "run") -> None:
    named = " ".join(f"--model {model}" for model in models)
    tsgkit(f"eval --task spatialgen/questions {named} --ids {' '.join(IDS)} --out {run} --quiet")


def agreed(tsgkit: CommandLine, words: str = HUMAN) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tsgkit(f"{words} --json").json["rows"]
    return rows


def measure(row: dict[str, Any], name: str, on: str = "right or wrong") -> dict[str, Any]:
    measures: list[dict[str, Any]] = row["measures"]
    return next(one for one in measures if (one["measure"], one["on"], one["kind"]) == (name, on, None))


def rating(question: int | str = "", item: str = IDS[0], rater: str = "ann", **judged: object) -> dict[str, Any]:
    return {"item_id": item, "question": question, "rater": rater} | judged


def test_judges_are_held_against_the_majority_and_labels_compared_as_they_are_and_as_right(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/constant:C")
    ratings, truth = [rating(0, "999999", "r0", right=True)], {}
    for item in IDS:
        for number in range(10):
            votes = [True, number % 3 == 0, number % 2 == 0, *([False] if number == 1 else [])]
            ratings += [rating(number, item, f"r{n}", right=vote) for n, vote in enumerate(votes)]
            if 2 * sum(votes) != len(votes):
                truth[item, number] = "right" if 2 * sum(votes) > len(votes) else "wrong"
    write_lines("people.jsonl", *ratings)
    [row] = agreed(tsgkit)
    judge = {(item, number): "right" if ROWS[item].answers[number] == "C" else "wrong" for item, number in truth}
    assert (row["questions"], row["rated"], row["elsewhere"], row["ties"]) == (60, 60, 1, 60 - len(truth))
    assert measure(row, "balanced accuracy")["value"] == pytest.approx(balanced_accuracy(judge, truth).value)
    assert measure(row, "Cohen's kappa")["value"] == pytest.approx(cohens_kappa(judge, truth).value)
    kinds = {one["kind"] for one in row["measures"]}
    assert kinds == {None, "Foundation", "Perception", "Reasoning", "Interaction"}
    assert {one["between"] for one in row["measures"] if "alpha" in one["measure"]} == {"people", "judge and people"}
    labels = ((f"{item}/{n}", key) for item in IDS for n, key in enumerate(ROWS[item].answers))
    write_lines("people.jsonl", *({"item_id": name, "rater": "ann", "label": key} for name, key in labels))
    [row] = agreed(tsgkit)
    assert measure(row, "balanced accuracy", "answers")["value"] == pytest.approx(0.25)
    assert measure(row, "balanced accuracy")["value"] is None
    assert "every rating is 'right'" in measure(row, "balanced accuracy")["reason"]
    out = tsgkit(HUMAN).out
    assert "60 of them rated by people; 0 ties dropped" in out and "no value: every rating is 'right'" in out


def test_ratings_may_be_unsure_or_about_one_row_of_several_or_one_question_an_item(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/constant:A", "baseline/constant:C")
    unsure = rating(9, unsure=True, note="the image is dark")
    write_lines("people.jsonl", *(rating(n, right=n < 5) for n in range(9)), unsure)
    assert "it has several subjects" in tsgkit(HUMAN, code=2).err
    [row] = agreed(tsgkit, f"{HUMAN} --subject baseline/constant:A")
    assert (row["rated"], row["unsure"], row["elsewhere"]) == (9, 1, 0)
    assert "1 unsure rating left out" in tsgkit(f"{HUMAN} --subject baseline/constant:A").out
    about = (
        rating(n, subject=f"baseline/constant:{letter}", right=True)
        for letter, questions in (("A", 4), ("C", 7))
        for n in range(questions)
    )
    write_lines("people.jsonl", *about)
    rows = agreed(tsgkit)
    assert [(row["subject"], row["rated"]) for row in rows] == [("baseline/constant:A", 4), ("baseline/constant:C", 7)]
    good = rating(1, IDS[0], subject="baseline/constant:A", right=True)
    for lines, message in (
        ([rating(1)], "line 1: a rating has one of label, right and unsure"),
        ([{"item_id": IDS[0], "question": 1, "right": True}], "line 1: not a rating: rater"),
        ([good, good], f"line 2: a second rating of {IDS[0]}/1 by ann"),
        ([good | {"item_id": "000900"}], "it has no rating of an item of this run"),
        ([], "there are no ratings in it"),
    ):
        write_lines("people.jsonl", *lines)
        assert message in tsgkit(HUMAN, code=2).err, message
    tsgkit("eval --task tsg/ma-sgg --limit 4 --out single --quiet")
    ids = [json.loads(line)["item_id"] for line in Path("single/samples.jsonl").read_text().splitlines()]
    assert all(item.rpartition("/")[2].isdecimal() for item in ids), "such an id names no question"
    write_lines("people.jsonl", *({"item_id": item, "rater": "ann", "right": True} for item in ids))
    [row] = agreed(tsgkit, HUMAN.replace("run", "single"))
    assert (row["rated"], row["elsewhere"]) == (4, 0)


def test_two_annotators_agree_in_a_table_and_in_json_and_what_does_not_fit_is_told(tsgkit: CommandLine) -> None:
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)
    out = tsgkit(GRAPHS).out
    assert out.startswith("ann and bob: 1 item, 3 descriptions\n")
    for part in (
        "3 and 4 graphs; without a partner: 0 of ann, 1 of bob",
        "Krippendorff's alpha (MASI)",
        "Cohen's kappa",
        "intervals: over 3 descriptions",
        "2 graphs differ; to settle: tsgkit view ann.jsonl bob.jsonl --edit -o settled.jsonl",
    ):
        assert part in out, part
    value = tsgkit(f"{GRAPHS} --json").json
    assert value["clusters"] == {"of": "descriptions", "n": 3} and value["disagreements"] == 2
    assert {"on", "measure", "value", "low", "high", "n", "reason"} == value["measures"][0].keys()
    assert "by" not in value
    other = tea([WASH, FILL], vocabulary=None)
    other["descriptions"][0]["text"] = "She washes it."
    write("ann.jsonl", tea([WASH], [FILL]), tea([WASH], item="only\x1b[2J"))
    write("bob.jsonl", other)
    with Path("bob.jsonl").open("a") as stream:
        stream.write("{broken\n")
    ended = tsgkit(f"{GRAPHS} --by item")
    assert "only in ann: 1 item, left out: only\\x1b[2J" in ended.out and "\x1b" not in ended.out
    assert "descriptions without a partner" in ended.out and "1 item with L in one file alone: tea" in ended.out
    assert "unpaired  disagreements  F1 of triplets" in ended.out
    assert "bob.jsonl: 1 line or part not read" in ended.err
    write("ann.jsonl", tea([WASH], vocabulary=None))
    write("bob.jsonl", tea([FILL], vocabulary=None))
    assert "no intervals: all paired graphs are of one description; at least two are needed" in tsgkit(GRAPHS).out


def test_agree_and_audit_refuse_what_cannot_be_compared(tsgkit: CommandLine) -> None:
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)
    for name in ("folder", "other"):
        Path(name).mkdir()
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    Path("broken.jsonl").write_text('{"descriptions": [')
    tsgkit.refuses(
        {
            "ann.jsonl": "one file has nothing to agree with",
            "ann.jsonl folder": "a folder beside a file",
            "folder other": "two runs are compared with --with",
            "ann.jsonl bob.jsonl ann.jsonl": "3 files or runs",
            "ann.jsonl broken.jsonl": "broken.jsonl: no item can be read",
            "ann.jsonl bob.jsonl --human people.jsonl": "--human does not go with two files of graphs",
            "ann.jsonl bob.jsonl --with runs/other": "--with does not go with two files of graphs",
            "ann.jsonl bob.jsonl --subject x": "--subject does not go with two files of graphs",
            "folder --by item": "--by does not go with one run",
            "ann.jsonl picture.png": "a PNG image",
        },
        "agree",
    )
    tsgkit.refuses(
        {
            "": "nothing to audit",
            "--task sceneeval": "sceneeval: it cannot be audited\n  these can be audited: formalimg/knolling, ",
            "--task tsg/sgds -o report.txt": "a report is Markdown or HTML",
            "tsg-bench": "tsg-bench",
        },
        "audit",
    )


def audited(tsgkit: CommandLine, words: str) -> dict[str, Any]:
    [audit] = tsgkit(f"audit {words} --json").json["audits"]
    assert isinstance(audit, dict)
    return audit


def slips(audit: dict[str, Any]) -> set[tuple[str, str]]:
    return {(check["code"], slip["item_id"]) for check in audit["checks"] for slip in check["found"]}


def choice(target: str, others: list[str], graph: list[list[str]], **fields: object) -> dict[str, object]:
    """Return a row of a choice without candidate graphs."""
    row = SGDS | {"variations": [*others, target], "position": len(others), "target_sentence": target}
    row = row | {"triplet": graph, "variation_triplets": None} | fields
    return {name: value for name, value in row.items() if value is not None}


def acts(verb: str, thing: str, *tools: str) -> list[list[str]]:
    return [["person", "verb", verb], [verb, "dobj", thing], *([verb, "with", tool] for tool in tools)]


def test_reports_of_audits_are_pages_in_which_hostile_answers_are_inert(tsgkit: CommandLine) -> None:
    evil = "<script>alert(1)</script>\x1b[31m"
    write_lines("sgqa.jsonl", SGQA | {"qa_pairs": [{"Q": "What?", "A": evil}]})
    for name, begin in (("a.md", "# Audit"), ("a.html", "<!doctype html>")):
        assert tsgkit(f"audit sgqa.jsonl -o {name}").out == f"audited: {name}\n"
        assert Path(name).read_text(encoding="utf-8").startswith(begin)
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<script" not in page and "\x1b" not in page + tsgkit("audit sgqa.jsonl").out


def test_rows_that_no_evaluation_takes_and_items_that_examples_show_are_slips(tsgkit: CommandLine) -> None:
    write_lines("sgds.jsonl", SGDS, SGDS | {"position": 9, "target_sentence": "Other."})
    with Path("sgds.jsonl").open("a") as stream:
        stream.write("{broken\n")
    found = slips(audited(tsgkit, "sgds.jsonl"))
    assert ("no-key", "1") in found and "broken-line" in {code for code, _ in found}
    two = SGG | {"target_sentence": "Twice.", "graphs": [*SGG["graphs"], *SGG["graphs"]]}
    write_lines("ma-sgg.jsonl", SGG | {"item_id": "one"}, SGG | {"item_id": "lone"}, two | {"item_id": "two"})
    audit = audited(tsgkit, "--task tsg/ma-sgg ma-sgg.jsonl")
    assert {("single-graph", "one"), ("single-graph", "lone")} <= slips(audit) and audit["items"] == 3
    examples = load_card("tsg/sgqa").examples
    assert examples is not None
    write_lines("sgqa.jsonl", SGQA, json.loads(text_of(find("tasks", examples)).splitlines()[0]))
    assert "contamination" in {code for code, _ in slips(audited(tsgkit, "sgqa.jsonl"))}


def test_runs_lose_what_a_shortcut_gives_and_are_audited_task_by_task(tsgkit: CommandLine) -> None:
    rows = [json.loads(line) for line in (DATA / "sgds.jsonl").read_text("utf-8").splitlines()]
    for row in rows[:-20]:
        first, second, *others = (text for text in row["variations"] if text != row["target_sentence"])
        row |= {"variations": [first, second, row["target_sentence"], *others], "position": 2, "variation_triplets": []}
    write_lines("third.jsonl", *rows)
    tsgkit("eval --task tsg/sgds --data third.jsonl --model baseline/rules --out run --quiet")
    row = audited(tsgkit, "third.jsonl --task tsg/sgds --run run")["runs"][0]
    assert (row["shortcut"], row["n"]) == ("always the same letter", 64)
    assert row["value_left"] < row["value"] and row["right"] >= row["on_shortcuts"] > 0
    Path("data").mkdir()
    write_lines("data/sgds.jsonl", SGDS)
    write_lines("data/sgqa.jsonl", SGQA)
    tsgkit("eval --task tsg/sgds --task tsg/sgqa --data data --ids 0 0/0 --out both --quiet")
    for words, tasks in {
        "": ["tsg/sgds", "tsg/sgqa"],
        "data": ["tsg/sgds", "tsg/sgqa"],
        "--task tsg/sgqa": ["tsg/sgqa"],
        "data/sgds.jsonl": ["tsg/sgds"],
    }.items():
        ended = tsgkit(f"audit {words} --run both --json")
        audits = ended.json["audits"]
        assert (ended.err, [one["task"] for one in audits]) == ("", tasks), words
        assert all(one["items"] == 1 and one["runs"] for one in audits), words
    other = tsgkit("audit data/sgds.jsonl --run run", code=2).err
    assert "not the data that were asked about" in other and "tsgkit audit: DATA" in other


def test_choices_and_questions_are_held_against_their_graphs_and_what_is_found_is_a_warning(
    tsgkit: CommandLine,
) -> None:
    texts = ("The screws were unfastened.", "He screws the bolt in.", "Rusty screws were taken out.")
    write_lines("sgds.jsonl", *(choice(text, ["b", "c", "d", "e"], acts("unscrew", "screw")) for text in texts))
    found = slips(audited(tsgkit, "sgds.jsonl"))
    assert {item for code, item in found if code == "contradiction"} == {"1"}, "things are called like an opposite"
    washed, others, wash, dry = (
        "The cup was washed.",
        ["The cup is red.", *"bcd"],
        acts("wash", "cup"),
        acts("dry", "cup"),
    )
    graphs = [wash, acts("fill", "jar"), acts("lift", "pan"), acts("cut", "rope"), dry]
    write_lines(
        "sgds.jsonl",
        choice("It was dried.", [washed, "After that,", "c", "d"], dry, context_graphs=[wash]),
        choice("It was dried.", [*others[:2], washed, "d"], dry, context_graphs=[wash], variation_triplets=graphs),
        choice("Option A was dried.", others, dry, context_graphs=[dry]),
        choice("The lid was dried.", ["The cup was dried.", *others[1:]], dry, context_graphs=[wash]),
        choice("The lid was shut.", others, dry, context_graphs=[acts("open", "lid")]),
    )
    codes = ("earlier-step", "unfinished-option", "step-before", "lone-letter", "better-option", "strange-key")
    checks = [check for check in audited(tsgkit, "sgds.jsonl")["checks"] if check["code"] in codes]
    assert {(check["code"], slip["item_id"]) for check in checks for slip in check["found"]} == {
        *(("earlier-step", "0"), ("earlier-step", "1"), ("unfinished-option", "0"), ("step-before", "2")),
        *(("lone-letter", "2"), ("better-option", "3"), ("strange-key", "4")),
    }
    assert {check["severity"] for check in checks} == {"warning"}


def versions(*sides: list[dict[str, Any]]) -> Versions:
    first, second = sides
    return versions_of(write("ann.jsonl", *first), write("bob.jsonl", *second))


def agreement_of(*sides: list[dict[str, Any]]) -> GraphAgreement:
    return graph_agreement(versions(*sides))


def figure(found: GraphAgreement, on: str, measure: str) -> Agreement:
    return next(one for subject, one, *_ in found.measures if (subject, one.measure) == (on, measure))


def test_figures_are_over_paired_graphs_over_all_and_by_kind_of_element() -> None:
    found = agreement_of([ANN], [BOB])
    assert found.graphs == (3, 4) and found.unpaired == (0, 1)
    for on, measure, value in (
        ("triplets of paired graphs", "F1", 14 / 18),
        ("triplets of all graphs", "F1", 14 / 21),
        ("paired graphs", "mean F1 of a graph", (1 / 3 + 1 + 1) / 3),
        ("paired graphs", "share that is equal", 2 / 3),
        ("descriptions", "share with equally many graphs", 2 / 3),
        ("actions", "F1", 1.0),
        ("relationships", "F1", 1.0),
        ("objects", "F1", 2 * 3 / 8),
        ("hands", "F1", 2 / 4),
        ("node names", "F1", 2 * 10 / 24),
    ):
        assert figure(found, on, measure).value == pytest.approx(value), (on, measure)
    kappa = figure(found, "objects", "Cohen's kappa")
    assert kappa.n == 3 * 6 and kappa.value is not None and kappa.value < 0.75
    found = agreement_of([ANN], [ANN])
    assert {one.agreement.value for one in found.measures} <= {1.0, None} and not found.versions.disagreements


def test_an_interval_is_over_descriptions_or_many_items_and_no_figure_depends_on_the_order_of_annotators() -> None:
    few = agreement_of([ANN], [BOB])
    assert (few.clusters, few.cluster_count) == ("descriptions", 3)
    many = agreement_of(*([tea([one], item=str(number)) for number in range(5)] for one in (WASH, FILL)))
    assert (many.clusters, many.cluster_count) == ("items", 5)
    one = agreement_of([tea([WASH])], [tea([FILL])])
    assert one.cluster_count == 1 and not any(figure.agreement.interval for figure in one.measures)
    first = [tea([WASH, PUT, WASH], [FILL], [LIFT]), tea([PUT], [], [LIFT], item="x")]
    second = [tea([PUT, WASH], [PUT, FILL], [LIFT, LIFT]), tea([WASH], [FILL], item="x")]
    one, two = agreement_of(first, second), agreement_of(second, first)
    assert (one.measures, one.unpaired) == (two.measures, two.unpaired[::-1])


def test_items_are_matched_by_id_and_by_position_where_no_id_is_in_both() -> None:
    found = versions([tea([WASH], item="a"), tea([FILL], item="b")], [tea([FILL], item="b"), tea([PUT], item="c")])
    assert [item.item for item in found.items] == ["b"] and not found.by_position
    assert [entry.item for entry in (*found.only_first, *found.only_second)] == ["a", "c"]
    found = versions([tea([WASH], item="a")], [tea([WASH], item="b")])
    assert found.by_position and not found.disagreements
    with pytest.raises(UsageError, match="no item is in both"):
        versions([tea([WASH], item="a")], [tea([WASH], item="b"), tea([FILL], item="c")])
    found = versions([tea([WASH]), tea([FILL])], [tea([WASH]), tea([FILL])])
    assert len(found.items) == 2
    steps = [action("wash", ("dobj", name)) for name in ("cup", "mug", "cup", "mug")]
    found = versions([tea(steps)], [tea([steps[0], *steps[2:]])])
    assert [pair.graphs for pair in found.items[0].pairs if None in pair.graphs] == [(1, None)], "repeats keep step"


def test_texts_and_l_that_differ_are_counted_and_without_l_the_names_of_both_stand_for_it() -> None:
    other = tea([WASH], [FILL], [LIFT], vocabulary={**L, "object": [*L["object"], "tap"]})
    other["descriptions"][1]["text"] = "She fills it."
    value = agreement_value(agreement_of([ANN], [other]))
    assert value["texts_that_differ"] == 1 and value["vocabularies_that_differ"] == ["tea"]
    turned = tea([WASH], [FILL], [LIFT], vocabulary={**L, "object": L["object"][::-1]})
    assert agreement_value(agreement_of([ANN], [turned]))["vocabularies_that_differ"] == []
    found = agreement_of([tea([WASH], [FILL], vocabulary=None)], [tea([WASH], [FILL, PUT], vocabulary=None)])
    assert found.without_vocabulary == 1 and found.outside == ()
    assert figure(found, "objects", "Cohen's kappa").n == 2 * len({"cup", "kettle", "lid"})
    first, second = (write(name, tea([WASH], vocabulary=None)) for name in ("ann.jsonl", "bob.jsonl"))
    found = graph_agreement(versions_of(first, second, Vocabulary(("mug",), ("with",), ("wash",))))
    assert found.without_vocabulary == 0 and found.outside == ("cup",)


def test_graphs_without_triplets_count_and_the_value_is_json_with_a_reason_where_something_is_undefined() -> None:
    found = agreement_of([tea([[]], [FILL])], [tea([[]], [FILL, []])])
    assert found.graphs == (2, 3) and found.unpaired == (0, 1)
    assert figure(found, "paired graphs", "share that is equal").value == 1.0
    for folder in ("ann", "bob"):
        Path(folder).mkdir()
        write(f"{folder}/tea.jsonl", ANN)
    assert versions_of("ann/tea.jsonl", "bob/tea.jsonl").names == ("ann/tea.jsonl", "bob/tea.jsonl")
    value = json.loads(json.dumps(agreement_value(agreement_of([tea([WASH])], [tea([WASH])]), by_item=True)))
    alpha = next(one for one in value["measures"] if one["measure"].startswith("Krippendorff"))
    assert alpha["value"] is None and "chance alone" in alpha["reason"]
    assert value["by"]["item"] == [
        {"item": "tea", "graphs": [1, 1], "unpaired": 0, "disagreements": 0, "f1": 1.0, "equal": 1.0}
    ]
    Path("link.jsonl").symlink_to("ann.jsonl")
    with pytest.raises(UsageError, match="the first file again"):
        versions_of("ann.jsonl", "link.jsonl")
    with pytest.raises(FileProblem, match="no such file"):
        versions_of("ann.jsonl", "bo.jsonl")
