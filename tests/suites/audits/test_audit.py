"""Audits: planted slips, shortcuts with their intervals, and a run without what they solve."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tsgkit.suites.audits import Auditable, Item, Slip, audit, without_shortcuts
from tsgkit.suites.audits.audit import Shortcut
from tsgkit.suites.audits.checks import CHECKS
from tsgkit.suites.audits.shortcuts import ANSWERERS, answered, credit, fold_of

COLOURS = "red green blue white black yellow brown pink".split()  # noqa: SIM905  (a list of words reads as one)
THINGS = "cup pen lamp chair spoon book hat ball kettle towel".split()  # noqa: SIM905
PLACES = "shelf table floor bench window door stove basket".split()  # noqa: SIM905


def clean(count: int) -> list[Item]:
    """Return clean items: a question about a thing, four different places, one of them right, and "none"."""
    draw, items = random.Random(0), []
    for number in range(count):
        places = zip(draw.sample(COLOURS, 4), draw.sample(PLACES, 4), strict=True)
        options = [f"on the {colour} {place}" for colour, place in places]
        question = f"Where does the {draw.choice(THINGS)} number {number} stand?"
        cluster, key = str(number // 5), draw.randrange(4)
        item = Item(str(number), cluster, question, options=(*options, "None"), key=key, refusal=4)
        items.append(replace(item, group=("place", "layout")[number % 2], context=f"image {number // 5}"))
    return items


def slips(items: Sequence[Item]) -> list[Slip]:
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
    assert not any(one.groups for one in audit(Auditable([replace(item, group="") for item in items[:50]])).shortcuts)
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
        ("no-key", Item("7", "1", "What is washed?", pool=("pan", "wash"))),
        ("few-options", replace(item, options=(*item.options[:3], "None"), key=0, refusal=3)),
        ("repeated-option", replace(item, options=(item.options[0], shouted, *item.options[2:]))),
        ("answer-in-question", replace(item, question=f"Where is what stands {item.right_text}?")),
        ("answer-in-question", Item("7", "1", "What was the cup washed in?", answer="cup", pool=("cup", "wash"))),
        ("answer-outside", Item("7", "1", "What is washed?", answer="cup", pool=("pan", "wash"))),
    ):
        items = clean(200)
        items[7] = replace(slipped, item_id="7")
        assert {(slip.code, slip.item_id) for slip in slips(items)} == {(code, "7")}


def shortcut(items: list[Item], name: str) -> Shortcut:
    return next(one for one in audit(Auditable(items)).shortcuts if one.name == name)


def test_a_taught_shortcut_never_learns_from_the_cluster_it_answers() -> None:
    """Were it taught by its own cluster, it would find the letter that only this cluster has."""
    items = [replace(item, key=fold_of(item.cluster) % 4) for item in clean(100)]
    answerer = next(one for one in ANSWERERS if one.name == "always the same letter")
    credit = answered(answerer, items)
    per_fold = {(fold_of(item.cluster), credit[item.item_id]) for item in items}
    assert len(per_fold) == len({fold for fold, _ in per_fold})


def test_options_that_give_themselves_away_are_found_out() -> None:
    items = [
        replace(one, options=tuple(text + " of oak" * (place == one.key) for place, text in enumerate(one.options)))
        for one in clean(200)
    ]
    assert shortcut(items, "the longest option").value == 1
    tied = [Item(str(n), str(n), "Which is it?", options=("one", "two", "six", "ten"), key=0) for n in range(20)]
    assert shortcut(tied, "the longest option").value == 0.25, "ties get their share"
    truth = "she cuts the ripe apple with a sharp knife"
    others = (
        "ripe apple with a spoon",
        "pear with a sharp knife",
        "ripe apple with a sharp edge",
        "ripe plum with a knife",
    )
    around = [
        Item(str(n), str(n), "", options=(truth, *(f"she cuts the {one}" for one in others)), key=0) for n in range(30)
    ]
    assert shortcut(around, "the option most like the others").value == 1
    items = [
        Item(str(n), str(n), f"Which is {n}?", answer="cup" if n % 5 < 3 else f"lid {n}", pool=("cup", f"lid {n}"))
        for n in range(100)
    ]
    assert shortcut(items, "the commonest answer").value == pytest.approx(0.6)
    assert credit(items[0], ()) == 0, "no answer has no credit"
    beside = [replace(item, beside=(f"What lies {item.right_text}?",)) for item in clean(200)]
    assert shortcut(beside, "the option most like the other questions").value > 0.95


def test_reading_the_prompt_is_no_shortcut_and_scenarios_are_counted_not_items() -> None:
    items = [replace(item, prompt=f"A cup stands {item.right_text}.") for item in clean(200)]
    found = audit(Auditable(items))
    reader = next(one for one in found.shortcuts if one.name == "the option most like the prompt")
    assert reader.value > 0.95 and not reader.is_blind
    assert found.to_beat is not None and found.to_beat.name != reader.name
    alone = audit(Auditable([replace(item, cluster=item.item_id) for item in clean(500)]))
    together = audit(Auditable(clean(500)))
    assert (alone.clusters, together.clusters) == (500, 100)
    assert alone.smallest_difference == pytest.approx(2.806 * ((0.2 - 0.056**2) / 500) ** 0.5, abs=1e-3)
    assert together.smallest_difference == pytest.approx(1.1 * alone.smallest_difference, rel=0.02)


def test_a_run_is_shown_without_what_each_shortcut_solves() -> None:
    items = [replace(item, key=0 if int(item.item_id) < 50 else item.key, group="") for item in clean(100)]
    found = audit(Auditable(items))
    assert found.solving == ("always the same letter",)
    assert found.spreads[0].is_skewed
    values = {item.item_id: (1.0 if item.item_id in found.solved else 0.0, item.cluster) for item in items}
    [left] = without_shortcuts("m", "", "accuracy", values, found)
    solved = len(found.solved)
    assert (left.shortcut, left.right, left.on_shortcuts) == ("always the same letter", solved, solved)
    assert (left.left, left.value_left) == (100 - solved, 0.0)
    items = []
    for number, item in enumerate(clean(300)):
        key = 0 if number % 2 else item.key
        texts = (text + " of old oak" * (place == key and number % 3 > 0) for place, text in enumerate(item.options))
        items.append(replace(item, key=key, options=tuple(texts), group=""))
    found = audit(Auditable(items))
    rows = list(without_shortcuts("m", "", "accuracy", {one.item_id: (1.0, one.cluster) for one in items}, found))
    assert [row.shortcut for row in rows] == [*found.solving, "any of these"]
    assert {"always the same letter", "the longest option"} <= set(found.solving)
    assert rows[-1].left < min(row.left for row in rows[:-1])


def test_a_shortcut_of_one_half_is_not_hidden_by_the_other() -> None:
    items = []
    for number, item in enumerate(clean(400)):
        is_easy = number % 2 == 0 and number // 2 % 100 < 77
        longest = item.key if is_easy else (item.key or 0) % 4 - 1 if number % 20 else item.key
        texts = [text + " of old oak" * (place == (longest or 0) % 4) for place, text in enumerate(item.options[:4])]
        items.append(replace(item, options=(*texts, "None"), group=("perturbed", "random")[number % 2]))
    found = audit(Auditable(items))
    longest_option = next(one for one in found.shortcuts if one.name == "the longest option")
    perturbed, others = longest_option.groups
    assert (perturbed.group, others.group) == ("perturbed", "random")
    assert perturbed.value > 0.75 and perturbed.beats_chance and others.value < 0.25
    assert longest_option.value < 0.5
    assert all(share.n == 200 and share.low is not None for share in longest_option.groups)
    assert found.worst is not None
    assert (found.worst[0].name, found.worst[1].group) == ("the longest option", "perturbed")
    assert any("the longest option" in names for names in found.solved.values())
