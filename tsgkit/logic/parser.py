"""The strict parser of formulas: one s-expression, values in single quotes, one variable per quantifier.

>>> parse("(exists ?x (and (Is ?x 'cup') (OnLeftSide ?x)))").body.parts[0]
Atom(name='Is', args=(Variable(name='?x'), Literal(text='cup')))
>>> parse("(exists ?x (Is ?x cup))")
Traceback (most recent call last):
...
tsgkit.logic.parser.FormulaProblem: line 1, column 19: found cup, expected a variable or a value in single quotes

A backslash in a value escapes a quote or another backslash. Numbers are allowed only in comparisons.
:mod:`tsgkit.logic.vocabulary` defines the known names; :mod:`tsgkit.logic.published_readers` shows how the published
programs read the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, NoReturn

from tsgkit.errors import NotationError
from tsgkit.logic import formula as fol
from tsgkit.logic.formula import Formula, Variable

TOKEN = re.compile(r"""(?P<space>\s+)|(?P<paren>[()])|'(?P<value>(?:[^'\\]|\\['\\])*)'|(?P<word>[^\s()'"]+)""")
NUMBER = re.compile(r"[-+]?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][-+]?[0-9]{1,3})?")
MOST_SHOWN = 40


class TextPosition(NamedTuple):
    """A line and a column of a text, from 1."""

    line: int
    column: int


def place_of(text: str, offset: int) -> TextPosition:
    """Return the place of an offset, which counts from 0."""
    return TextPosition(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


class FormulaProblem(NotationError):
    """A syntax error: ``found`` and ``expected`` at ``line`` and ``column`` (from 1) and ``offset`` (from 0).

    ``found`` is the text at the offset, or empty at the end of the text.
    """

    def __init__(self, text: str, offset: int, found: str, expected: str, *, hint: str = "") -> None:
        shown = (
            "the end of the text" if not found else found if len(found) <= MOST_SHOWN else found[:MOST_SHOWN] + "..."
        )
        position = place_of(text, offset)
        super().__init__(f"found {shown}, expected {expected}", line=position.line, hint=hint)
        self.offset = offset
        self.column = position.column
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class Parsed(NamedTuple):
    """A formula and the offsets at which its sub-formulas begin in the text."""

    formula: Formula
    offsets: Mapping[fol.Path, int]


def parse(text: str) -> Formula:
    """Return the formula in a text. Raise ``FormulaProblem`` on a syntax error."""
    return parse_with_places(text).formula


def parse_with_places(text: str) -> Parsed:
    """Return the formula in a text, with the offset of every sub-formula."""
    reader = _FormulaReader(text)
    formula = reader.formula(())
    if reader.next.kind != "end":
        hint = "there is a ) too many" if reader.at(")") else "join several formulas by (and ...)"
        reader.refuse(reader.next, "the end of the text", hint)
    return Parsed(formula, reader.offsets)


class _FormulaToken(NamedTuple):
    kind: str  # paren, value, word, end
    text: str
    offset: int


class _FormulaReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.offsets: dict[fol.Path, int] = {}
        self.next = next(self.tokens)

    def _tokens(self) -> Iterator[_FormulaToken]:
        at = 0
        while at < len(self.text):
            if not (match := TOKEN.match(self.text, at)):
                if self.text[at] == '"':
                    hint = "write 'cup', not \"cup\""
                    raise FormulaProblem(self.text, at, '"', "single quotes around a value", hint=hint)
                rest = self.text[at : at + MOST_SHOWN].split("\n")[0]
                hint = r"inside a value, a quote is written \' and a backslash \\"
                raise FormulaProblem(self.text, at, rest, "a value closed by a single quote", hint=hint)
            kind = match.lastgroup or ""
            if kind != "space":
                yield _FormulaToken(kind, match[kind], at)
            at = match.end()
        yield _FormulaToken("end", "", at)

    def refuse(self, token: _FormulaToken, expected: str, hint: str = "") -> NoReturn:
        found = f"'{token.text}'" if token.kind == "value" else token.text
        raise FormulaProblem(self.text, token.offset, found, expected, hint=hint)

    def take(self) -> _FormulaToken:
        token = self.next
        if token.kind != "end":
            self.next = next(self.tokens)
        return token

    def at(self, paren: str) -> bool:
        return self.next.kind == "paren" and self.next.text == paren

    def expect(self, paren: str, expected: str) -> _FormulaToken:
        if not self.at(paren):
            self.refuse(self.next, expected)
        return self.take()

    def formula(self, path: fol.Path) -> Formula:
        opened = self.expect("(", "a formula, which begins with (")
        if len(path) >= fol.MAX_DEPTH:
            self.refuse(opened, f"at most {fol.MAX_DEPTH} levels of nesting")
        self.offsets[path] = opened.offset
        head = self.take()
        if head.kind != "word":
            self.refuse(head, "a connective, a quantifier or a predicate")
        formula = self._after(head, path)
        self.expect(")", f"the ) that closes the ({head.text} of column {place_of(self.text, opened.offset).column}")
        return formula

    def _after(self, head: _FormulaToken, path: fol.Path) -> Formula:
        match head.text:
            case "and" | "or":
                parts: list[Formula] = []
                while not self.at(")"):
                    parts.append(self.formula((*path, len(parts))))
                return fol.And(tuple(parts)) if head.text == "and" else fol.Or(tuple(parts))
            case "not":
                return fol.Not(self.formula((*path, 0)))
            case "implies" | "iff":
                left, right = self.formula((*path, 0)), self.formula((*path, 1))
                return fol.Implies(left, right) if head.text == "implies" else fol.Iff(left, right)
            case "exists" | "forall":
                variable, body = self._variable(head.text), self.formula((*path, 0))
                return fol.Exists(variable, body) if head.text == "exists" else fol.Forall(variable, body)
        if head.text in fol.COMPARISONS:
            number = self._number((*path, 0))
            return fol.Comparison(head.text, number, self._number((*path, 1 if isinstance(number, fol.Count) else 0)))
        return self._atom(head)

    def _variable(self, head: str) -> Variable:
        token = self.take()
        if token.kind != "word" or not fol.VARIABLE_NAME.fullmatch(token.text):
            self.refuse(token, f"the variable of {head}, such as ?cup")
        return Variable(token.text)

    def _number(self, path: fol.Path) -> fol.Number:
        if not self.at("("):
            token = self.take()
            if token.kind != "word" or not NUMBER.fullmatch(token.text):
                self.refuse(token, "a number or (Count ?v ...)")
            if not abs(float(token.text)) < fol.MOST:
                self.refuse(token, f"a number smaller than {fol.MOST:g}")
            return int(token.text) if token.text.lstrip("+-").isdecimal() else float(token.text)
        opened, head = self.take(), self.take()
        if head.text != "Count" or head.kind != "word":
            self.refuse(head, "Count: what is compared is a number or (Count ?v ...)")
        count = fol.Count(self._variable("Count"), self.formula(path))
        self.expect(")", f"the ) that closes the (Count of column {place_of(self.text, opened.offset).column}")
        return count

    def _atom(self, head: _FormulaToken) -> fol.Atom:
        lower, is_keyword = head.text.lower(), head.text in fol.KEYWORDS
        if lower in fol.KEYWORDS or is_keyword or not fol.PREDICATE_NAME.fullmatch(head.text):
            hint = f"write {lower}" if lower in fol.KEYWORDS and not is_keyword else ""
            self.refuse(head, "a connective, a quantifier or a predicate", hint)
        args: list[fol.Term] = []
        while not self.at(")"):
            token = self.take()
            if token.kind == "value":
                args.append(fol.Literal(re.sub(r"\\(.)", r"\1", token.text)))
            elif token.kind == "word" and fol.VARIABLE_NAME.fullmatch(token.text):
                args.append(Variable(token.text))
            else:
                self.refuse(token, "a variable or a value in single quotes" + ", or )" * (token.kind == "end"))
        return fol.Atom(head.text, tuple(args))
