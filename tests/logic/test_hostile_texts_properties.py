"""No text makes a reader or a verifier fail otherwise than it says."""

from __future__ import annotations

from random import Random

import pytest
from logic import made_up_formulas

from tsgkit.errors import UsageError
from tsgkit.logic.checking import check
from tsgkit.logic.clauses import clause_form
from tsgkit.logic.parsing import FormulaProblem, parse
from tsgkit.logic.printing import text_of
from tsgkit.logic.published import as_published
from tsgkit.logic.reading import reading_of
from tsgkit.logic.verifying import verify
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


def put_through(text: str) -> None:
    scene = made_up_formulas.layout(Random(text[:50]), apart=True)
    taken = as_published(text)
    assert (taken.lifted is None) == (verify(text, scene, "official").status == "uncounted")
    for vocabulary in (KNOLLING, NATURAL):
        checked = check(text, vocabulary)
        assert checked.formula is not None or checked.findings[0].code == "syntax"
    try:
        formula = parse(text)
    except FormulaProblem as problem:
        assert 0 <= problem.offset <= len(text)
        return
    assert parse(text_of(formula)) == formula
    assert reading_of(formula)
    for judged in (lambda: clause_form(formula), lambda: verify(formula, scene)):
        try:
            judged()
        except UsageError as error:
            assert error.message


@pytest.mark.parametrize("chunk", range(4))
def test_strange_texts_are_read_or_refused(chunk: int) -> None:
    for text in texts(3_000)[chunk::4]:
        put_through(text)


@pytest.mark.parametrize("piece", LONG)
def test_long_texts_are_read_or_refused(piece: str) -> None:
    put_through(piece * 20_000)
    put_through("(exists ?x (and " + piece * 2_000)
