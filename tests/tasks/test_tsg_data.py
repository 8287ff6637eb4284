"""The bundled scenarios are what their data card says, and a blind answerer learns nothing from them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Indel
from tsg_tasks import TASKS, samples_of, score

from tsgkit.graph.model import ActionGraph, Narrative, Triplet, Vocabulary
from tsgkit.graph.notation import arrow
from tsgkit.graph.reading import read
from tsgkit.graph.rules import RULES, WARNING, check_graph, check_narrative
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import mentions
from tsgkit.library.bundle import bundled
from tsgkit.library.documents.lint import check
from tsgkit.library.documents.reader import read_file
from tsgkit.library.documents.rows import sgg_rows
from tsgkit.suites.tsg.makers.generation_rows import tags_of
from tsgkit.suites.tsg.makers.question_paths import answer, hops_needed
from tsgkit.suites.tsg.makers.sentences import Sentence

DATA = Path(str(bundled("tasks"))) / "tsg" / "data" / "tsgkit-1"
POOL = DATA.parent / "few-shot"
POOLS = (DATA, POOL)
FINE = {"homonym-loop", "no-dobj"}
"""Warnings that ask for a second look, and got it."""
NEGATIONS = re.compile(
    r"\b(?:not|no|never|without|nothing|none|nobody|neither|nor|instead|skip\w*|ignor\w*)\b|n't", re.I
)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stories(folder: Path) -> dict[str, Narrative]:
    return {entry.narrative.id: entry.narrative for entry in read_file(folder / "narratives.jsonl").entries}


def generation(folder: Path) -> list[dict[str, Any]]:
    found = {row["item_id"]: row for name in ("sa-sgg", "ma-sgg") for row in rows(folder / f"{name}.jsonl")}
    order = [row["item_id"] for story in stories(folder).values() for row in sgg_rows(story)]
    assert sorted(order) == sorted(found)
    return [found[item_id] for item_id in order]


def everything() -> Iterator[Narrative]:
    for folder in POOLS:
        yield from stories(folder).values()


def choices() -> list[dict[str, Any]]:
    return rows(DATA / "sgds.jsonl")


def questions(folder: Path) -> Iterator[tuple[Timeline, dict[str, Any]]]:
    told = stories(folder)
    for row in rows(folder / "sgqa.jsonl"):
        timeline = Timeline(told[row["scenario_id"]])
        yield from ((timeline, pair) for pair in row["qa_pairs"])


def elements(vocabulary: Vocabulary) -> set[str]:
    return {*vocabulary.nodes, *vocabulary.relationships}


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def test_there_are_eighteen_scenarios_of_as_many_domains_and_three_more_for_examples() -> None:
    for folder, count in zip(POOLS, (18, 3), strict=True):
        found = stories(folder).values()
        assert len(found) == len({dict(story.facts)["domain"] for story in found}) == count
        assert all(8 <= len(story.descriptions) <= 12 for story in found)
    assert Counter(row["k"] for row in rows(DATA / "ma-sgg.jsonl")).keys() == {2, 3, 4, 5, 6}
    assert len(rows(DATA / "ma-sgg.jsonl")) >= 60
    assert [len(row["qa_pairs"]) for row in rows(DATA / "sgqa.jsonl")] == [5] * 18
    for task in TASKS:
        samples = samples_of(read_file(DATA / f"{task}.jsonl"), task)
        assert len({sample.cluster for sample in samples}) == 18
        assert all(sample.groups["domain"] != ("(none)",) for sample in samples)


def test_rows_are_what_the_narratives_tell() -> None:
    for folder in POOLS:
        derived = [row for story in stories(folder).values() for row in sgg_rows(story)]
        assert [{name: row[name] for name in derived[0]} for row in generation(folder)] == derived
        told = {name: [[list(t) for t in graph] for graph in story.graphs] for name, story in stories(folder).items()}
        for row in rows(folder / "sgqa.jsonl"):
            assert row["context_graphs"] == told[row["scenario_id"]]
        for row in rows(folder / "sgds.jsonl"):
            graphs = [*row["context_graphs"], row["triplet"]]
            assert graphs == told[row["scenario_id"]][: len(graphs)]


def test_our_own_rules_find_no_error_and_the_hands_keep_theirs() -> None:
    for story in everything():
        found = [*check_narrative(story)]
        found += [finding for graph in story.graphs for finding in check_graph(graph, story.vocabulary)]
        assert {finding.code for finding in found} <= FINE, story.id
    assert all(RULES[code].severity == WARNING for code in FINE)
    for path in DATA.rglob("*.jsonl"):
        if path.parent.name != "example-replies":
            assert [str(finding) for finding in check(path).findings if finding.severity != WARNING] == [], path


def test_references_parse_and_write_exactly() -> None:
    for row in (*generation(POOLS[0]), *generation(POOLS[1])):
        graphs = graphs_of(row)
        assert read(arrow.write(graphs), row["k"]).graphs == graphs


def graphs_of(row: dict[str, Any]) -> tuple[ActionGraph, ...]:
    return tuple(ActionGraph(Triplet(*triplet) for triplet in graph["triplets"]) for graph in row["graphs"])


def test_every_element_is_in_l_which_holds_a_quarter_more_than_is_used() -> None:
    for story in everything():
        assert story.vocabulary is not None
        allowed, used = elements(story.vocabulary), elements(Vocabulary.of(story.graphs))
        assert used <= allowed, f"{story.id}: {used - allowed}"
        assert len(allowed) >= 1.25 * len(used), story.id


def test_tags_say_what_is_so() -> None:
    seen: Counter[str] = Counter()
    for folder in POOLS:
        timelines = {name: Timeline(story) for name, story in stories(folder).items()}
        for row in generation(folder):
            timeline, number = timelines[row["scenario_id"]], int(row["item_id"].rpartition("/")[2])
            steps = [step for step in timeline.steps if step.description == number]
            expected = set(tags_of(Sentence(row["target_sentence"]), steps, has_synonyms=bool(row.get("synonyms"))))
            assert set(row["tags"]) == expected, row["item_id"]
            seen.update(expected)
    assert all(seen[tag] >= 5 for tag in ("implicit", "repetition", "synonym", "homonym", "two_hands", "transfer"))


def test_every_synonym_is_said_where_its_element_is_not_and_stands_for_one_of_l() -> None:
    for row in (*generation(POOLS[0]), *generation(POOLS[1])):
        graphs = graphs_of(row)
        named = {part for graph in graphs for triplet in graph for part in triplet}
        allowed = {name for names in row["mandatory_space"].values() for name in names}
        for word, element in row.get("synonyms", {}).items():
            where = f"{row['item_id']}: {word} for {element}"
            assert element in named, where
            assert mentions(row["target_sentence"], word), where
            assert mentions(row["target_sentence"], element) is None, where
            assert word not in allowed, where


def test_the_path_of_every_question_leads_to_its_answer_which_it_does_not_contain() -> None:
    for folder in POOLS:
        for timeline, pair in questions(folder):
            assert answer(timeline, pair["path"]) == pair["A"], pair["Q"]
            assert mentions(pair["Q"], pair["A"]) is None, pair["Q"]
            assert pair["A"] not in words(pair["Q"]), pair["Q"]
    hops = [hops_needed(pair["path"]) for _, pair in questions(DATA)]
    assert sum(number >= 2 for number in hops) >= len(hops) / 2
    counts = Counter(pair["A"] for _, pair in questions(DATA))
    assert counts.most_common(1)[0][1] <= 9 and len(counts) >= 45, "no answer is common enough to be guessed"


def test_there_are_sixty_choices_half_of_them_perturbed_with_balanced_positions() -> None:
    assert len({row["target_sentence"] for row in choices()}) == 60
    assert Counter((row["tags"][0], row["position"]) for row in choices()) == {
        (kind, position): 6 for kind in ("perturbed", "unrelated") for position in range(5)
    }


def test_candidates_of_a_choice_are_of_like_length_and_deny_nothing() -> None:
    for row in choices():
        lengths = [len(text.split()) for text in row["variations"]]
        assert max(lengths) <= 2 * min(lengths), row["item_id"]
        assert len(set(row["variations"])) == 5
        if row["tags"] == ["perturbed"]:
            assert not any(NEGATIONS.search(text) for text in row["variations"]), row["item_id"]


Candidates = list[str]
BLIND: dict[str, Callable[[Candidates], int]] = {
    **{f"always {letter}": (lambda _, n=n: n) for n, letter in enumerate("ABCDE")},  # type: ignore[misc]
    "the longest": lambda texts: max(range(5), key=lambda n: len(texts[n])),
    "the shortest": lambda texts: min(range(5), key=lambda n: len(texts[n])),
    "the one most like the others": lambda texts: max(range(5), key=lambda n: likeness(texts, n)),
    "the one least like the others": lambda texts: min(range(5), key=lambda n: likeness(texts, n)),
    "the one most like the others by letters": lambda texts: max(range(5), key=lambda n: -distance(texts, n)),
    "the first without a negation": lambda texts: min(range(5), key=lambda n: len(NEGATIONS.findall(texts[n]))),
    "the one with most commas": lambda texts: max(range(5), key=lambda n: texts[n].count(",")),
}


def likeness(texts: Candidates, n: int) -> float:
    mine = set(words(texts[n]))
    return sum(len(mine & set(words(other))) / len(mine | set(words(other))) for other in texts if other != texts[n])


def distance(texts: Candidates, n: int) -> float:
    return sum(Indel.normalized_distance(texts[n], other) for other in texts)


def test_a_blind_answerer_stays_within_chance() -> None:
    for kind, name in [(kind, name) for kind in ("perturbed", "unrelated", "all") for name in BLIND]:
        asked = [row for row in choices() if kind in ("all", row["tags"][0])]
        right = sum(BLIND[name](row["variations"]) == row["position"] for row in asked)
        noise = 2.2 * math.sqrt(len(asked) * 0.2 * 0.8)
        assert right <= 0.2 * len(asked) + noise, f"{name}: {right} of {len(asked)} {kind}"


def test_no_example_shares_a_scenario_a_domain_or_a_sentence_with_what_is_asked() -> None:
    tested, shown = (stories(folder) for folder in POOLS)
    assert not set(tested) & set(shown)
    assert not {dict(story.facts)["domain"] for story in tested.values()} & {
        dict(story.facts)["domain"] for story in shown.values()
    }
    asked = {text for row in choices() for text in row["variations"]}
    assert not asked & {text for row in rows(POOLS[1] / "sgds.jsonl") for text in row["variations"]}


def test_the_pool_holds_at_least_twelve_examples_a_task_each_with_a_rationale() -> None:
    for task in TASKS:
        found = rows(POOL / f"{task}.jsonl")
        items = [pair for row in found for pair in row["qa_pairs"]] if task == "sgqa" else found
        assert len(items) >= 12
        assert all(15 <= len(item["rationale"].split()) <= 80 for item in items), task


def test_no_two_descriptions_share_a_template() -> None:
    masked = [(where, mask(text, vocabulary)) for where, text, vocabulary in descriptions()]
    for (one, first), (other, second) in combinations(masked, 2):
        assert Indel.normalized_similarity(first, second) < 0.65, f"{one} and {other}: {' '.join(first)}"


def descriptions() -> Iterator[tuple[str, str, Vocabulary]]:
    for story in everything():
        assert story.vocabulary is not None
        for number, description in enumerate(story.descriptions):
            yield f"{story.id}/{number}", description.text or "", story.vocabulary


def mask(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the words of a text, those that name an element replaced by a blank."""
    blanks = {
        n for name in vocabulary.nodes if (found := mentions(text, name)) for span in found.spans for n in range(*span)
    }
    return tuple("_" if word.start() in blanks else word.group() for word in re.finditer(r"[a-z]+", text.lower()))


def test_the_example_replies_show_every_outcome() -> None:
    for task in TASKS:
        counts = score(task, DATA / f"{task}.jsonl", DATA / "example-replies" / f"{task}.jsonl").board.counts
        shown = ("answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error")
        assert [outcome for outcome in shown if not counts[outcome]] == [], task
