"""Audits: planted slips, shortcuts with their intervals, and a run without what they solve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from random import Random
from typing import Any

import pytest

from tsgkit.cli.suites.tsg.benchmark_work import blames_of, to_blame
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.report.audit_report import TaskAudit
from tsgkit.suites.audits import Auditable, AuditedItem, Slip, audit, without_shortcuts
from tsgkit.suites.audits.audit import Shortcut
from tsgkit.suites.audits.items import CHECKS
from tsgkit.suites.audits.shortcuts import ANSWERERS, FOLDS, answered, credit, fold_of
from tsgkit.suites.tsg.audit import learned_graphs, learned_names, rivals
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample

COLOURS = "red green blue white black yellow brown pink".split()  # noqa: SIM905  (a list of words reads as one)
THINGS = "cup pen lamp chair spoon book hat ball kettle towel".split()  # noqa: SIM905
PLACES = "shelf table floor bench window door stove basket".split()  # noqa: SIM905


def clean(count: int) -> list[AuditedItem]:
    """Return clean items: a question about a thing, four different places, one of them right, and "none"."""
    draw, items = Random(0), []
    for number in range(count):
        options = map("on the {} {}".format, draw.sample(COLOURS, 4), draw.sample(PLACES, 4))
        question = f"Where does the {draw.choice(THINGS)} number {number} stand?"
        cluster, key = str(number // 5), draw.randrange(4)
        item = AuditedItem(str(number), cluster, question, options=(*options, "None"), key=key, refusal=4)
        items.append(replace(item, group=("place", "layout")[number % 2], context=f"image {number // 5}"))
    return items


def slips(items: Sequence[AuditedItem]) -> list[Slip]:
    return [slip for check in CHECKS for slip in check.find(items)]


def test_a_planted_slip_is_found_where_it_is_and_clean_items_raise_no_alarm() -> None:
    items = clean(1000)
    assert slips(items) == []
    found = audit(Auditable(items))
    assert found.chance == pytest.approx(0.25)
    assert [one.name for one in found.shortcuts if one.value > 0.30] == []
    assert not any(spread.is_skewed for spread in found.spreads)
    [left] = without_shortcuts("m", "", "accuracy", {item.item_id: (1.0, item.cluster) for item in items}, found)
    assert (found.solving, found.solved) == ((), {})
    assert (left.shortcut, left.left, left.on_shortcuts, left.value_left) == ("", 1000, 0, 1.0)
    kinds = [replace(item, group=f"kind {int(item.item_id) % 10}") for item in items]
    assert audit(Auditable(kinds)).worst is None, "nor in any group"
    nothing = audit(Auditable([]))
    assert (nothing.n, nothing.to_beat, nothing.smallest_difference) == (0, None, 1.0)
    third, item = clean(200)[3], clean(200)[7]
    moved = [option if option == third.right_text else f"on moon {place}" for place, option in enumerate(third.options)]
    shouted = f"{item.options[0].upper()}."
    for code, slipped in (
        ("duplicate", third),
        ("twin", replace(third, options=(*moved[:4], "None"))),
        ("repeated-question", replace(third, context="another image")),
        ("no-key", replace(item, key=4)),
        ("no-key", replace(item, key=9)),
        ("no-key", AuditedItem("7", "1", "What is washed?", pool=("pan", "wash"))),
        ("few-options", replace(item, options=(*item.options[:3], "None"), key=0, refusal=3)),
        ("repeated-option", replace(item, options=(item.options[0], shouted, *item.options[2:]))),
        ("answer-in-question", replace(item, question=f"Where is what stands {item.right_text}?")),
        (
            "answer-in-question",
            AuditedItem("7", "1", "What was the cup washed in?", answer="cup", pool=("cup", "wash")),
        ),
        ("answer-outside", AuditedItem("7", "1", "What is washed?", answer="cup", pool=("pan", "wash"))),
    ):
        items = clean(200)
        items[7] = replace(slipped, item_id="7")
        assert {(slip.code, slip.item_id) for slip in slips(items)} == {(code, "7")}


def shortcut(items: list[AuditedItem], name: str) -> Shortcut:
    return next(one for one in audit(Auditable(items)).shortcuts if one.name == name)


Plant = Callable[[AuditedItem, int, Random], Iterable[str]]


def each(mine: str, others: str = "{}") -> Plant:
    return lambda item, key, _: ((mine if n == key else others).format(one) for n, one in enumerate(item.options[:4]))


def denials(item: AuditedItem, key: int, draw: Random) -> Iterable[str]:
    """Word options as "into, not off, the box"; most wrong ones deny what the right one says."""
    said = draw.sample(("into", "from", "under", "over", "beside", "off"), 4)
    denied = [said[key if n != key and draw.random() < 0.6 else n - 1] for n in range(4)]
    return (f"{mine}, not {word}, the box" for mine, word in zip(said, denied, strict=True))


def variants(item: AuditedItem, key: int, draw: Random, more: int = 0) -> Iterable[str]:
    """Make the wrong options of the right one, or of another, by a change of one word each."""
    _, _, colour, place = item.options[(key + more) % 4].split()
    changed = (f"by the {colour} {place}", f"on the old {place}", f"on the {colour} moon", f"on a {colour} {place}")
    return (item.options[key] if n == key else text for n, text in enumerate(changed))


def pairs(item: AuditedItem, key: int, draw: Random) -> Iterable[str]:
    turns = (draw.randrange(1, 8) * (n != key) for n in range(4))
    return (f"{COLOURS[n]} {PLACES[(n + turn) % 8]}" for n, turn in zip(draw.sample(range(8), 4), turns, strict=True))


def planted(items: list[AuditedItem], plant: Plant, percent: int = 100) -> list[AuditedItem]:
    draw = Random(1)
    drawn = [(one, plant(one, one.key or 0, draw)) if draw.randrange(100) < percent else (one, ()) for one in items]
    return [replace(item, options=(*texts, "None")) if (texts := (*made,)) else item for item, made in drawn]


def test_a_classifier_names_planted_leaks_that_the_gate_shows_and_no_leak_of_shuffled_keys() -> None:
    learned = "what a classifier learns from other items"
    for name, percent, plant in (
        ("words that other options deny (for)", 15, denials),
        ("the word 'here' (for)", 100, each("{} here")),
        ("the words 'and new' (for)", 100, each("{} old and new", "{} new and old")),
        ("the character ; (for)", 100, each("{};")),
        ("most characters (for)", 100, lambda item, _, draw: each(f"{{}}{draw.choice(THINGS)}")(item, _, draw)),
        ("the first word 'by' (for)", 100, each("by {}", "{} by")),
        ("words of no other option (for)", 100, partial(variants, more=1)),
        ("most likeness to the other options (for)", 100, variants),
        ("word pairs of right options elsewhere (for)", 100, pairs),
    ):
        found = shortcut(planted(clean(150 if percent == 100 else 400), plant, percent), learned)
        assert found.beats_chance and any(name in one for one in found.carriers), (name, percent, found)
    asked = [replace(item, question=f"What is {item.right_text.split()[2]}?") for item in clean(150)]
    assert "words of the question (for)" in str(shortcut(asked, learned).carriers)
    items = [replace(item, group="") for item in planted(clean(90), denials)]
    audited = TaskAudit("tsg/sgds", "", "", audit(Auditable(items)))
    blamed = {one.message.partition(":")[0]: one for one in blames_of([audited]) if one.code == "shortcut"}
    assert (
        "words that other options deny (for)" in blamed[learned].message
        and "the option whose words the other options deny" in blamed
    )
    redrawn = to_blame([audited], [blamed[learned]], Random(0))["choices"]
    assert len(redrawn) == 1 + ceil(90 * (shortcut(items, learned).value - 0.25))
    copies = ([replace(one, key=Random(f"{seed}/{one.item_id}").randrange(4)) for one in items] for seed in range(20))
    assert sum(shortcut(copy, learned).beats_chance for copy in copies) <= 1


def test_names_graphs_and_letters_are_learned_from_other_scenarios_and_chance_is_that_of_the_kind() -> None:
    items = [replace(item, key=fold_of(item.cluster) % 4) for item in clean(100)]  # a letter of its own in each fold
    credits_ = answered(next(one for one in ANSWERERS if one.name == "always the same letter"), items)
    assert len({(fold_of(item.cluster), credits_[item.item_id]) for item in items}) == FOLDS
    draw, asked, told = Random(0), {}, {}
    for n in map(str, range(150)):
        names = draw.sample(THINGS, 4)
        graphs = [ActionGraph.of(("person", "verb", n), (n, "dobj", thing)) for thing in [*names, names[3]]]
        asked[n] = QuestionSample(item_id=n, cluster=n, graphs=tuple(graphs), question="What?", answer=names[3])
        known = Vocabulary(objects=tuple(names), relationships=("with",), verbs=(f"go-{n}", n))
        fields: dict[str, Any] = {"vocabulary": known, "references": graphs[3:4]}
        told[n] = GenerationSample(item_id=n, cluster=n, context=(), sentence="", **fields)
    items = [AuditedItem(n, n, "What?", answer=one.answer, pool=tuple(one.nodes)) for n, one in asked.items()]
    found = audit(Auditable(items, answerers=(learned_names(asked),))).shortcuts[-1]
    assert (found.value, found.chance, found.carriers[0]) == (1, 0.25, "more mentions in the graphs (for)")
    fair = [replace(item, answer=draw.choice(list(rivals(asked[item.item_id].graphs, item.answer)))) for item in items]
    assert not audit(Auditable(fair, answerers=(learned_names(asked),))).shortcuts[-1].beats_chance
    guess = learned_graphs(told, lambda item, text: float(text == str(told[item.item_id].references[0])))
    assert set(answered(guess, items).values()) == {1.0}, "the second verb and the last thing of L, with no hand"


def test_options_that_give_themselves_away_are_found_out() -> None:
    tied = [AuditedItem(str(n), str(n), "Which is it?", options=("one", "two", "six", "ten"), key=0) for n in range(20)]
    assert shortcut(tied, "the longest option").value == 0.25, "ties get their share"
    assert shortcut(planted(clean(50), variants), "the option most like the others").beats_chance
    items = [
        AuditedItem(str(n), str(n), "?", answer=("cup", str(n))[n % 5 > 2], pool=("cup", str(n))) for n in range(100)
    ]
    assert shortcut(items, "the commonest answer").value == pytest.approx(0.6)
    assert credit(items[0], ()) == 0, "no answer has no credit"
    beside = [replace(item, beside=(f"What lies {item.right_text}?",)) for item in clean(200)]
    assert shortcut(beside, "the option most like the other questions").value > 0.95
    found = audit(Auditable([replace(item, prompt=f"A cup stands {item.right_text}.") for item in clean(200)]))
    reader = next(one for one in found.shortcuts if one.name == "the option most like the prompt")
    assert reader.value > 0.95 and not reader.is_blind
    assert found.to_beat is not None and found.to_beat.name != reader.name


def test_a_run_is_shown_without_what_each_shortcut_solves() -> None:
    halves = [replace(item, key=0 if n % 2 else item.key, group="") for n, item in enumerate(clean(300))]
    items = planted(halves, each("{} of old oak"), 67)
    found = audit(Auditable(items))
    assert found.spreads[0].is_skewed
    rows = list(without_shortcuts("m", "", "accuracy", {one.item_id: (1.0, one.cluster) for one in items}, found))
    assert [row.shortcut for row in rows] == [*found.solving, "any of these"]
    assert {"always the same letter", "the longest option"} <= set(found.solving)
    assert rows[-1].left < min(row.left for row in rows[:-1])
    assert [row.right - row.on_shortcuts for row in rows] == [row.left for row in rows]


def test_a_shortcut_of_one_half_is_not_hidden_by_the_other() -> None:
    halves = [replace(one, group=("perturbed", "random")[n % 2]) for n, one in enumerate(clean(400))]
    found = audit(Auditable([*planted(halves[::2], each("{} of old oak"), 77), *halves[1::2]]))
    longest_option = next(one for one in found.shortcuts if one.name == "the longest option")
    perturbed, others = longest_option.groups
    assert (perturbed.group, others.group) == ("perturbed", "random")
    assert perturbed.value > 0.75 and perturbed.beats_chance and others.value < 0.35
    assert longest_option.value < 0.6 and perturbed.n == 200 and perturbed.low is not None
    assert found.worst is not None and found.worst[1].group == "perturbed"
    assert any("the longest option" in names for names in found.solved.values())
