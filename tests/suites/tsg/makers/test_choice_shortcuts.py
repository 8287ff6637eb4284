from __future__ import annotations

from tsgkit.suites.audits.items import Item
from tsgkit.suites.audits.shortcuts import ANSWERERS, credit
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES, ChoiceView, WordBalance, credits_of

VIEW = ChoiceView(
    ("Take the cup off the shelf.", "Put the cup on the shelf.", "Take the lid, not the cup, off the big shelf."),
    names=("take", "cup", "shelf"),
    elements=("take", "cup", "shelf", "off"),
    recent=("lid",),
)


def credit_of(name: str, view: ChoiceView = VIEW) -> float:
    return dict(zip(NAMES, credits_of(view), strict=True))[name]


def test_credits_are_those_of_the_audit() -> None:
    item = Item("", "", "", options=VIEW.sentences, key=0, names=frozenset(VIEW.names))
    audited = {one.name: one.answer for one in ANSWERERS}
    for mine, theirs in (
        ("longest", "the longest option"),
        ("most alike", "the option most like the others"),
        ("graph names", "the option that mentions most names of the graph"),
    ):
        answer = audited[theirs]
        assert answer is not None
        assert credit_of(mine) == credit(item, answer(item))


def test_equal_options_share_the_credit() -> None:
    assert credit_of("fewest denials") == 0.5
    assert credit_of("fewest commas") == 0.5
    assert credit_of("graph names") == 0.5


def test_prepositions_are_elements() -> None:
    assert credit_of("graph elements") == 0.5
    assert credit_of("recent names") == 0


def test_the_learner_learns_words_of_right_sentences() -> None:
    balance = WordBalance()
    for _ in range(20):
        balance.count(("off the shelf", "on the shelf"))
    _, learned = balance.rate(["off a box", "on a box"])(("off a box", "on a box"))
    cost, wrong = balance.rate(["off a box", "on a box"])(("on a box", "off a box"))
    assert (learned, wrong) == (1, 0)
    assert cost < 0
    assert balance.appeal("off") > 0 > balance.appeal("on")
