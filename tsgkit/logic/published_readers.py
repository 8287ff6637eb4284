r"""The three readers of the published programs, which differ, and the lifting between two of them.

>>> taken = as_published("(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen')))))")
>>> taken.lifted
"(and (exists ?y (Is ?y 'pen')) (exists ?x (Is ?x 'cup')))"
>>> [condition.code for condition in taken.conditions], taken.differ
(['engine-refuses', 'rest-ignored'], True)

The *engine* (clause forms, validity) keeps quotes and refuses texts that are not one whole expression. *Lifting*
ignores quotes: it splits at blanks and parentheses. The *verifier* reads the output of lifting, strips quotes and keeps
escapes. On plain texts they agree. If they do not, a condition explains the published verdict. The behaviour is that of
the FormalImG programs, but none of their code is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tsgkit.errors import NotationError
from tsgkit.logic.formula import MAX_DEPTH

Raw: TypeAlias = "str | int | float | tuple[Raw, ...]"
"""An expression as the published readers represent it: a token or a list of expressions."""

ENGINE_TOKEN = re.compile(r"""[()]|'(?:[^'\\]|\\.)*'|"[^"]*"|[^\s()]+""", re.DOTALL)
VERIFIER_TOKEN = re.compile(r"""[()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s()]+""", re.DOTALL)
MOST_NESTED = 2 * MAX_DEPTH + 2
"""The maximum depth for the readers: lifting puts at most one conjunction around each quantifier."""
FOLDED_HEADS = frozenset({"and", "or", "not", "implies", "forall", "exists"})
CONDITIONS = {
    "too-deep": f"the text is nested deeper than {MAX_DEPTH} levels and is not evaluated",
    "engine-refuses": "the engine refuses the text, so it has no clause form and no K",
    "lifting-crashes": "lifting crashes: the item is left out of the published figures",
    "verifier-crashes": "the verifier cannot read the output of lifting: the item counts as failed",
    "rest-ignored": "text after the first whole expression is ignored in the verdict",
    "quotes-broken": "lifting ignores quotes: a value differs from the text between them",
    "escapes-kept": "the verifier keeps the backslashes of a value",
    "numbers": "a value without quotes is read as a number",
    "value-as-variable": "a quoted value that begins with ? is looked up as a variable",
    "heads-not-lifted": "an operator in upper case is evaluated but not lifted, and unknown to the engine",
}


class ReaderCrash(NotationError):
    """A crash of one of the published readers on a text."""


class Condition(NamedTuple):
    """A property of a text that makes the published readers differ or fail."""

    code: str
    message: str


class Taken(NamedTuple):
    """A text as each published program reads it; None for a reader that crashes.

    ``lifted`` is the text passed to the verifier. An item without it is not counted.
    """

    engine: Raw | None
    lifted: str | None
    verifier: Raw | None
    conditions: tuple[Condition, ...]

    @property
    def differ(self) -> bool:
        """True if the readers disagree about the text."""
        return bool(self.conditions)


def as_published(text: str) -> Taken:
    """Read a text with each published reader, and list the conditions under which they differ."""
    if is_too_deep(text):
        return Taken(None, None, None, (Condition("too-deep", CONDITIONS["too-deep"]),))
    engine, split = _attempt(read_engine, text), _attempt(read_lifting, text)
    lifted = None if split is None else raw_text(lift(split))
    verifier = None if lifted is None else _attempt(read_verifier, lifted)
    codes = dict.fromkeys(_codes(text, engine, split, verifier))
    return Taken(engine, lifted, verifier, tuple(Condition(code, CONDITIONS[code]) for code in codes))


def is_too_deep(text: str) -> bool:
    """Return whether a text is nested deeper than :data:`MAX_DEPTH`."""
    if text.count("(") <= MAX_DEPTH:
        return False
    level = deepest = 0
    for letter in re.findall("[()]", text):
        level = max(0, level + (1 if letter == "(" else -1))
        deepest = max(deepest, level)
    return deepest > MAX_DEPTH


def _codes(text: str, engine: Raw | None, split: Raw | None, verifier: Raw | None) -> Iterator[str]:
    if engine is None:
        yield "engine-refuses"
    if split is None:
        yield "lifting-crashes"
    elif verifier is None:
        yield "verifier-crashes"
    if split is not None and len(_padded(text)) > _size(split):
        yield "rest-ignored"
    if (quoted := _attempt(read_verifier, text)) is not None and split is not None:
        again = _attempt(read_verifier, raw_text(split))
        if repr(quoted) != repr(again):  # nan differs from itself
            yield "quotes-broken"
    for token in VERIFIER_TOKEN.findall(text.replace("\n", " ")):
        if token[0] in "'\"" and len(token) > 1 and token[-1] == token[0]:
            if "\\" in token:
                yield "escapes-kept"
            if token[1] == "?":
                yield "value-as-variable"
        elif not isinstance(_number(token), str):
            yield "numbers"
    if any(head.lower() in FOLDED_HEADS and head.lower() != head for head in re.findall(r"\(\s*([^\s()]+)", text)):
        yield "heads-not-lifted"


def _attempt(reader: Callable[[str], Raw], text: str) -> Raw | None:
    try:
        return reader(text)
    except ReaderCrash:
        return None


def read_engine(text: str) -> Raw:
    """Read a text as the engine does: quotes are kept; raise ``Unreadable`` unless it is one whole expression."""
    tokens = ENGINE_TOKEN.findall(text)
    expression, after = _expression(tokens, 0, _number)
    if after < len(tokens):
        raise ReaderCrash(f"{tokens[after]} follows the expression")
    return expression


def read_lifting(text: str) -> Raw:
    """Read a text as lifting does: only blanks and parentheses separate tokens; text after the expression is
    ignored."""
    return _expression(_padded(text), 0, str)[0]


def read_verifier(text: str) -> Raw:
    """Read a text as the verifier does.

    Outer quotes are stripped, bare tokens are tried as numbers, and text after the expression is ignored.
    """
    return _expression(VERIFIER_TOKEN.findall(text.replace("\n", " ")), 0, _unquoted)[0]


def lift(expression: Raw) -> Raw:
    """Move conjuncts out of each ``exists`` whose variable they do not mention; drop quantifiers left without
    conjuncts.

    >>> raw_text(lift(read_lifting("(exists ?x (and (Is ?x 'cup') (forall ?y (OnTopSide ?y))))")))
    "(and (forall ?y (OnTopSide ?y)) (exists ?x (Is ?x 'cup')))"
    """
    if not isinstance(expression, tuple):
        return expression
    if len(expression) != 3 or expression[0] != "exists":
        return tuple(map(lift, expression))
    _, variable, unlifted = expression
    body = lift(unlifted)
    if not isinstance(body, tuple) or not body or body[0] != "and":
        return ("exists", variable, body)
    staying = [part for part in body[1:] if mentions(part, variable)]
    leaving = [part for part in body[1:] if not mentions(part, variable)]
    if staying or not leaving:
        leaving.append(("exists", variable, staying[0] if len(staying) == 1 else ("and", *staying)))
    return leaving[0] if len(leaving) == 1 else ("and", *leaving)


def mentions(expression: Raw, name: Raw) -> bool:
    """Return whether an expression contains a token."""
    return expression == name or (isinstance(expression, tuple) and any(mentions(part, name) for part in expression))


def raw_text(expression: Raw) -> str:
    """Return an expression as text, with single blanks."""
    if isinstance(expression, tuple):
        return f"({' '.join(map(raw_text, expression))})"
    return str(expression)


def _padded(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split()


def _size(expression: Raw) -> int:
    """Return the number of tokens in an expression."""
    return 2 + sum(map(_size, expression)) if isinstance(expression, tuple) else 1


def _expression(tokens: Sequence[str], at: int, value: Callable[[str], Raw], level: int = 0) -> tuple[Raw, int]:
    if at >= len(tokens):
        raise ReaderCrash("the text ends inside an expression")
    if level > MOST_NESTED:
        raise ReaderCrash(f"the text is nested deeper than {MOST_NESTED} levels")
    first, at = tokens[at], at + 1
    if first == ")":
        raise ReaderCrash("found ), expected an expression")
    if first != "(":
        return value(first), at
    parts: list[Raw] = []
    while at >= len(tokens) or tokens[at] != ")":
        part, at = _expression(tokens, at, value, level + 1)
        parts.append(part)
    return tuple(parts), at + 1


def _unquoted(token: str) -> Raw:
    if len(token) > 1 and token[0] in "'\"" and token[-1] == token[0]:
        return token[1:-1]
    return _number(token)


def _number(token: str) -> Raw:
    if not (token[0].isdigit() or token[0] in "+-.iInN"):  # an int, a float, inf or nan starts with one of these
        return token
    for kind in (int, float):
        try:
            return kind(token)
        except ValueError:
            pass
    return token
