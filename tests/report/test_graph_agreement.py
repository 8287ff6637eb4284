"""Agreement of two annotators of graphs: how items and graphs are matched, and what the figures are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from two_annotators import ANN, BOB, FILL, LIFT, PUT, WASH, L, action, tea, write

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import Vocabulary
from tsgkit.report.annotated_items import Versions, versions_of
from tsgkit.report.graph_agreement import Figure, GraphAgreement, agreement_value, graph_agreement


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def versions(*sides: list[dict[str, Any]]) -> Versions:
    first, second = sides
    return versions_of(write("ann.jsonl", *first), write("bob.jsonl", *second))


def agreed(*sides: list[dict[str, Any]]) -> GraphAgreement:
    return graph_agreement(versions(*sides))


def figure(found: GraphAgreement, on: str, measure: str) -> Figure:
    return next(one for one in found.figures if (one.on, one.measure) == (on, measure))


def test_figures_are_over_paired_graphs_over_all_and_by_kind_of_element() -> None:
    found = agreed([ANN], [BOB])
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
    found = agreed([ANN], [ANN])
    assert {one.value for one in found.figures} <= {1.0, None} and not found.versions.disagreements


def test_an_interval_is_over_descriptions_or_many_items_and_no_figure_depends_on_the_order_of_annotators() -> None:
    few = agreed([ANN], [BOB])
    assert (few.clusters, few.cluster_count) == ("descriptions", 3)
    many = agreed(*([tea([one], item=str(number)) for number in range(5)] for one in (WASH, FILL)))
    assert (many.clusters, many.cluster_count) == ("items", 5)
    one = agreed([tea([WASH])], [tea([FILL])])
    assert one.cluster_count == 1 and not any(figure.interval for figure in one.figures)
    first = [tea([WASH, PUT, WASH], [FILL], [LIFT]), tea([PUT], [], [LIFT], item="x")]
    second = [tea([PUT, WASH], [PUT, FILL], [LIFT, LIFT]), tea([WASH], [FILL], item="x")]
    one, two = agreed(first, second), agreed(second, first)
    assert (one.figures, one.unpaired) == (two.figures, two.unpaired[::-1])


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
    value = agreement_value(agreed([ANN], [other]))
    assert value["texts_that_differ"] == 1 and value["vocabularies_that_differ"] == ["tea"]
    turned = tea([WASH], [FILL], [LIFT], vocabulary={**L, "object": L["object"][::-1]})
    assert agreement_value(agreed([ANN], [turned]))["vocabularies_that_differ"] == []
    found = agreed([tea([WASH], [FILL], vocabulary=None)], [tea([WASH], [FILL, PUT], vocabulary=None)])
    assert found.without_vocabulary == 1 and found.outside == ()
    assert figure(found, "objects", "Cohen's kappa").n == 2 * len({"cup", "kettle", "lid"})
    first, second = (write(name, tea([WASH], vocabulary=None)) for name in ("ann.jsonl", "bob.jsonl"))
    found = graph_agreement(versions_of(first, second, Vocabulary(("mug",), ("with",), ("wash",))))
    assert found.without_vocabulary == 0 and found.outside == ("cup",)


def test_graphs_without_triplets_count_and_the_value_is_json_with_a_reason_where_something_is_undefined() -> None:
    found = agreed([tea([[]], [FILL])], [tea([[]], [FILL, []])])
    assert found.graphs == (2, 3) and found.unpaired == (0, 1)
    assert figure(found, "paired graphs", "share that is equal").value == 1.0
    for folder in ("ann", "bob"):
        Path(folder).mkdir()
        write(f"{folder}/tea.jsonl", ANN)
    assert versions_of("ann/tea.jsonl", "bob/tea.jsonl").names == ("ann/tea.jsonl", "bob/tea.jsonl")
    value = json.loads(json.dumps(agreement_value(agreed([tea([WASH])], [tea([WASH])]), by_item=True)))
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
