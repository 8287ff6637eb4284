"""No text and no layout makes a reader or a verifier fail otherwise than it says."""

from __future__ import annotations

import itertools
import json
from hashlib import sha256
from random import Random
from typing import Any

from logic import made_up_formulas

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import clause_form
from tsgkit.logic.english import reading_of
from tsgkit.logic.lint import check
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, NATURAL

PIECES = (
    *"()'\"\\?; \n\t\0éあ",
    "(and ", "(or ", "(not ", "(implies ", "(iff ", "(exists ", "(forall ", "(Count ", "(Equals ", "(Is ", "(LeftOf ",
    "?x", "?y", "'cup'", "'?x'", "'a b'", "nan", "1e999", "-5", "AND", "(AND ", "()", "''",
)  # fmt: skip
LONG = ("(", ")", "'", '"', "\\", "?", "(not ", "(and (", "(exists ?x ", "'a' ", " ", "\n", "x", "(Is ?x 'cup') ")


def texts(count: int) -> list[str]:
    """Pieces strung together, and formulas with letters changed, cut out and put in."""
    made = []
    for number in range(count):
        random = Random(f"hostile/{number}")
        if number % 2:
            made.append("".join(random.choice(PIECES) for _ in range(random.randrange(30))))
            continue
        text = text_of(made_up_formulas.formula(random, deepest=5))
        for _ in range(random.randrange(1, 4)):
            place = random.randrange(len(text) + 1)
            text = text[:place] + random.choice(PIECES) * random.randrange(2) + text[place + random.randrange(3) :]
        made.append(text)
    return made


def is_read(text: str, messages: Any) -> bool:  # noqa: ANN401  (a digest)
    """Put a text through every reader and verifier. Return whether it is a formula."""
    scene = made_up_formulas.layout(Random(text[:50]), apart=True)
    taken = as_published(text)
    assert (taken.lifted is None) == (verify(text, scene, "official").status == "uncounted")
    for vocabulary in (KNOLLING, NATURAL):
        checked = check(text, vocabulary)
        messages.update(repr([*map(str, checked.findings), checked.published_fault]).encode())
        assert checked.formula is not None or checked.findings[0].code == "syntax"
    try:
        formula = parse(text)
    except FormulaProblem as problem:
        assert 0 <= problem.offset <= len(text)
        messages.update(str(problem).encode(errors="replace"))
        return False
    assert parse(text_of(formula)) == formula
    assert reading_of(formula)
    for judged in (lambda: clause_form(formula), lambda: verify(formula, scene)):
        try:
            judged()
        except UsageError as error:
            assert error.message
    return True


def test_strange_and_long_texts_are_read_or_refused() -> None:
    messages = sha256()
    assert {is_read(text, messages) for text in texts(600)} == {True, False}
    assert messages.hexdigest()[:16] == "020fbbf8530cee93", "see that the change is meant, and write it down"
    for piece in LONG:
        assert not is_read(piece * 5_000, messages)
        assert not is_read("(exists ?x (and " + piece * 1_000, messages)


SCALARS: tuple[Any, ...] = (None, True, 0, -1, 1.5, 10**400, float("nan"), float("inf"), "", "cup", "1", [], {}, [[]])
KEYS = ("objects", "label", "color", "material", "shape", "box_2d", "other")


def strange(random: Random, deepest: int) -> Any:  # noqa: ANN401
    """Return a value that JSON could hold, somewhat like a layout."""
    if deepest == 0 or random.random() < 0.2:
        return random.choice(SCALARS)
    if random.random() < 0.3:
        return [strange(random, deepest - 1) for _ in range(random.randrange(6))]
    value = {key: strange(random, deepest - 1) for key in random.sample(KEYS, random.randrange(1, 7))}
    if random.random() < 0.7:
        value["box_2d"] = [
            random.choice([*SCALARS, *range(0, 1000, 100)]) for _ in range(random.choice((3, 4, 4, 4, 5)))
        ]
    return value


def test_strange_layouts_get_a_verdict() -> None:
    seen = set()
    for number in range(600):
        random = Random(f"layout/{number}")
        formula = made_up_formulas.formula(random, deepest=4)
        scene = strange(random, 2)
        if random.random() < 0.8:
            scene = {"objects": [strange(random, 1) for _ in range(random.randrange(4))]}
        for profile in ("official", "strict"):
            verdict = verify(formula, scene, profile)
            assert verdict.truth is not None
            assert json.dumps(verdict.value())
            seen.add((profile, verdict.status))
    assert seen == {
        *itertools.product(["official"], ["decided", "crashed"]),
        *itertools.product(["strict"], ["decided", "rejected"]),
    }
