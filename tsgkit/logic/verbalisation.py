"""Verbalisation of formulas as instructions in plain sentences, deterministic for a formula and seed.

>>> from tsgkit.logic.parser import parse
>>> pens = "(exists ?b (and (Is ?b 'bowl') (forall ?p (implies (Is ?p 'pen') (and (Above ?p ?b) (LargerThan ?p ?b))))))"
>>> instruction(parse(pens))
'Lay out a knolling picture. It shows a bowl and at least one pen. Every pen is above and larger than the bowl.'
>>> hat = "(and (IsStyle 'photo') (exists ?m (exists ?h (and (Is ?m 'man') (Is ?h 'hat') (On ?h ?m)))))"
>>> instruction(parse(hat), "natural")
'A photo of a man and a hat. The man wears the hat.'

It is made for formulas of the usual shape of instructions: objects that exist, at most one of which stands for all of
its class, and atoms, disjunctions and negations about them. Other formulas are verbalised by
:mod:`tsgkit.logic.english`. The text also says that a ``forall`` must apply to an object ("at least one"), because
verdicts require it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tsgkit.logic.english import object_names, thing, with_article, words
from tsgkit.logic.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Literal,
    Not,
    Or,
    Variable,
    atoms_of,
    conjuncts,
    demanded_class,
    free_variables,
    refuse_deep,
    rename_apart,
)
from tsgkit.logic.plausibility import CLOTHES, PEOPLE
from tsgkit.logic.samples import Scenario

OPENINGS = (
    "Lay out a knolling picture.",
    "Make a knolling-style picture, seen from straight above.",
    "Create a flat lay in knolling style.",
    "Draw a tidy knolling arrangement, seen from above.",
)
SHOWN = ("It shows {}.", "It contains {}.", "In it there {is_are} {}.", "The things in it: {}.")
FRAME = (
    "Left and right are those of the frame.",
    "Left and right mean the viewer's left and right.",
    "All directions are those of the picture's frame.",
)
STYLES = {
    "photo": "a photo",
    "oil painting": "an oil painting",
    "cartoon": "a cartoon",
    "cyberpunk": "a cyberpunk-style picture",
    "pixel art": "a pixel art picture",
}
PLACES = {
    "OnLeftSide": "in the left half of the image",
    "OnRightSide": "in the right half of the image",
    "OnTopSide": "in the top half of the image",
    "OnBottomSide": "in the bottom half of the image",
    "InCenter": "in the centre of the image",
    "LeftOf": "to the left of {}",
    "RightOf": "to the right of {}",
    "Above": "above {}",
    "Below": "below {}",
    "AlignedHorizontally": "aligned horizontally with {}",
    "AlignedVertically": "aligned vertically with {}",
    "LargerThan": "larger than {}",
    "SmallerThan": "smaller than {}",
    "On": "on {}",
    "In": "in {}",
    "NextTo": "next to {}",
}
ORDER = ("HasState", "HasShape", "Has", "HasColor", "HasMaterial")
"""The order of adjectives."""
SWITCHED = ("on", "off")
LAST = {"AlignedHorizontally": 1, "AlignedVertically": 1, "LargerThan": 2, "SmallerThan": 2}
"""The order of predicates about an object; those not listed come first."""
MOST_SAID = 3
"""The maximum number of predicates in one sentence."""


def instruction(formula: Formula, scenario: Scenario = "knolling", seed: int = 0) -> str:
    """Verbalise a formula as an instruction. The seed selects among wordings."""
    refuse_deep(formula)
    formula = rename_apart(formula)
    text = _Text(object_names(formula), scenario, random.Random(f"wording {seed}") if seed else None)
    return " ".join(text.sentences(formula))


@dataclass
class _Text:
    """An instruction being written: the names and classes of its objects."""

    names: Mapping[Variable, str]
    scenario: Scenario
    rng: random.Random | None
    classes: dict[Variable, str] = field(default_factory=dict)

    def one_of(self, ways: Sequence[str]) -> str:
        return self.rng.choice(list(ways)) if self.rng else ways[0]

    def sentences(self, formula: Formula) -> Iterator[str]:
        parts = conjuncts(formula)
        styles = [part for part in parts if isinstance(part, Atom) and part.name == "IsStyle"]
        variables, rest = _opened([part for part in parts if part not in styles])
        self.note(variables, rest)
        foralls = [part for part in rest if isinstance(part, Forall)]
        things, rest = self.described(variables, [part for part in rest if part not in foralls])
        for forall in foralls:
            things += self.at_least_one(forall)
        yield from self.opening(formula, styles, things)
        yield from (_capital(f"{clause}.") for clause in self.clauses(rest))
        for forall in foralls:
            yield from self.every(forall)

    def note(self, variables: Sequence[Variable], parts: Sequence[Formula]) -> None:
        for variable in variables:
            self.classes[variable] = demanded_class(variable, And(tuple(parts))) or "object"

    def opening(self, formula: Formula, styles: Sequence[Formula], things: Sequence[str]) -> Iterator[str]:
        named = {atom.name for atom in atoms_of(formula)}
        shown = listed(things) or "nothing in particular"
        if self.scenario == "knolling":
            yield self.one_of(OPENINGS)
            yield self.one_of(SHOWN).format(shown, is_are="are" if len(things) > 1 else "is")
            return
        if named & {"LeftOf", "RightOf"}:
            yield self.one_of(FRAME)
        called = [_value(style) for style in styles]
        heads = [STYLES.get(one, with_article(one)) for one in called] or [self.one_of(("a picture", "a scene"))]
        yield _capital(f"{' and '.join(heads)} of {shown}.")

    def at_least_one(self, forall: Forall) -> list[str]:
        """Return the phrase for the object that a ``forall`` must apply to."""
        variable, conditions, _ = _general(forall)
        self.note([variable], conditions)
        nouns, rest = self.described([variable], conditions)
        phrase = nouns[0].split(" ", 1)[1] if nouns else "object"
        return [f"at least one {phrase}{self.such(variable, rest)}"]

    def such(self, variable: Variable, rest: Sequence[Formula]) -> str:
        said = [self.predicate(part, variable) for part in rest]
        return f" {listed([one.removeprefix('is ') for one in said])}" if said else ""

    def described(self, variables: Sequence[Variable], parts: Sequence[Formula]) -> tuple[list[str], list[Formula]]:
        """Return noun phrases with adjectives for the variables, and the remaining parts."""
        left, nouns = list(parts), []
        for variable in variables:
            about = [part for part in left if isinstance(part, Atom) and part.args[:1] == (variable,)]
            adjectives = [atom for atom in about if atom.name in ORDER and _value(atom) not in SWITCHED]
            class_atom = Atom("Is", (variable, Literal(self.classes[variable])))
            left = [part for part in left if part not in adjectives and part != class_atom]
            adjectives.sort(key=lambda atom: ORDER.index(atom.name))
            nouns.append(with_article(" ".join([*map(_value, adjectives), self.classes[variable]])))
        return nouns, left

    def clauses(self, parts: Sequence[Formula]) -> Iterator[str]:
        groups: dict[Variable | None, list[Formula]] = {}
        for part in parts:
            groups.setdefault(self.subject(part), []).append(part)
        for subject, group in groups.items():
            if subject is None:
                yield from (words(part, self.names) for part in group)
                continue
            yield from self.about(subject, group)

    def about(self, subject: Variable, group: Sequence[Formula]) -> Iterator[str]:
        """Yield clauses about one object: atoms joined in one clause, disjunctions and negations in clauses of their
        own."""
        name = self.names[subject]
        atoms = [part for part in group if isinstance(part, Atom)]
        verbs = [f"is {one}" for one in self.placed([one for one in atoms if self.atom(one).startswith("is ")])]
        for verb in ("holds", "wears"):
            objects = [said.removeprefix(f"{verb} ") for said in map(self.atom, atoms) if said.startswith(f"{verb} ")]
            verbs += [f"{verb} {listed(objects)}"] if objects else []
        for start in range(0, len(verbs), MOST_SAID):
            first, *more = verbs[start : start + MOST_SAID]  # an "is" after another one is dropped
            more = [verb.removeprefix("is ") if first.startswith("is ") else verb for verb in more]
            yield f"{name} {listed([first, *more])}"
        for part in group:
            if isinstance(part, Not) and name.startswith("every "):
                yield f"no {name[6:]} {self.predicate(part.body, subject)}"
            elif not isinstance(part, Atom):
                yield f"{name} {self.predicate(part, subject)}"

    def placed(self, atoms: Sequence[Atom]) -> list[str]:
        """Return predicates, with relations to the same object joined: "above and to the left of the cup"."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for atom in sorted(atoms, key=lambda atom: LAST.get(atom.name, 0)):
            others = tuple(self.names[arg] for arg in atom.args[1:] if isinstance(arg, Variable))
            groups.setdefault(others or (str(atom),), []).append(self.atom(atom).removeprefix("is "))
        return [
            f"{listed([one.removesuffix(others[0]).strip() for one in said])} {others[0]}" if len(said) > 1 else said[0]
            for others, said in groups.items()
        ]

    def subject(self, part: Formula) -> Variable | None:
        """Return the object a part is about; None unless it is an atom, negation or disjunction about one object."""
        atoms = part.parts if isinstance(part, Or) else (part.body,) if isinstance(part, Not) else (part,)
        found = {self.subject_of(one) for one in atoms}
        return found.pop() if len(found) == 1 else None

    def subject_of(self, atom: Formula) -> Variable | None:
        if not isinstance(atom, Atom) or atom.name not in (*PLACES, *ORDER, "Holding", "Is"):
            return None
        said = atom.args[-1] if self.is_worn(atom) else atom.args[0]
        return said if isinstance(said, Variable) else None

    def is_worn(self, atom: Atom) -> bool:
        classes = [self.classes.get(arg, "") if isinstance(arg, Variable) else "" for arg in atom.args]
        return atom.name == "On" and classes[0] in CLOTHES and classes[-1] in PEOPLE

    def predicate(self, part: Formula, subject: Variable) -> str:
        """Return the predicate of a part: "is above the cup", "holds the pen"."""
        if isinstance(part, Not) and isinstance(part.body, Atom):
            said = self.predicate(part.body, subject)
            if said.startswith("is "):
                return f"is not {said[3:]}"
            return "does not " + said.replace("holds", "hold", 1).replace("wears", "wear", 1)
        if isinstance(part, Or):
            said_all = [self.predicate(one, subject) for one in part.parts]
            if all(one.startswith("is ") for one in said_all):
                both = "" if _excludes(part) else " (or both)"
                return f"is either {' or '.join(one[3:] for one in said_all)}{both}"
            return "either " + " or ".join(said_all)
        return self.atom(part) if isinstance(part, Atom) else words(part, self.names)

    def atom(self, atom: Atom) -> str:
        others = [self.names[arg] for arg in atom.args if isinstance(arg, Variable)]
        if self.is_worn(atom):
            return f"wears {others[0]}"
        if atom.name == "Holding":
            return f"holds {others[1]}"
        if atom.name in PLACES:
            return f"is {PLACES[atom.name].format(others[-1])}"
        return f"is {_value(atom)}"

    def every(self, forall: Forall) -> Iterator[str]:
        """Yield sentences about all objects of a class, then about the objects that exist for each of them."""
        variable, conditions, consequent = _general(forall)
        nouns, rest = self.described([variable], conditions)
        noun = nouns[0].split(" ", 1)[1] + self.such(variable, rest)
        inner, parts = _opened(conjuncts(consequent))
        self.note(inner, parts)
        things, parts = self.described(inner, parts)
        own = [part for part in parts if free_variables(part).isdisjoint(inner)]
        general = {**self.names, variable: f"every {noun}"}
        direct = [part for part in own if self.subject(part) == variable]
        for clause in _Text(general, self.scenario, self.rng, self.classes).clauses(direct):
            yield _capital(f"{clause}.")
        that = {**self.names, variable: f"that {thing(self.classes[variable])}"}
        later = [part for part in parts if part not in direct]
        clauses = list(_Text(that, self.scenario, self.rng, self.classes).clauses(later))
        if inner:
            are = "are" if len(things) > 1 else "is"
            tail = f": {'; '.join(clauses)}" if clauses else ""
            yield f"For every {noun}, there {are} {listed(things)}{tail}."
        else:
            yield from (f"For every {noun}, {clause}." for clause in clauses)


def _general(forall: Forall) -> tuple[Variable, list[Formula], Formula]:
    body = forall.body
    if isinstance(body, Implies):
        return forall.variable, conjuncts(body.antecedent), body.consequent
    return forall.variable, [], body


def _opened(parts: Sequence[Formula]) -> tuple[list[Variable], list[Formula]]:
    """Return the variables that conjuncts bind by ``exists``, and the conjuncts of their bodies."""
    variables, rest = [], []
    for part in parts:
        if isinstance(part, Exists):
            inner, more = _opened(conjuncts(part.body))
            variables += [part.variable, *inner]
            rest += more
        else:
            rest.append(part)
    return variables, rest


def _value(part: Formula) -> str:
    """Return the adjective, or the class with its article, that an atom gives."""
    value = part.args[-1] if isinstance(part, Atom) else None
    text = value.text if isinstance(value, Literal) else ""
    if isinstance(part, Atom) and part.name == "Is":
        return with_article(text)
    return f"switched-{text}" if text in SWITCHED else text


def _excludes(part: Or) -> bool:
    """Return whether the parts of a disjunction exclude each other, such as two colors of one object."""
    names = [one.name for one in part.parts if isinstance(one, Atom)]
    return (len(set(names)) == 1 and names[0] in ORDER) or set(names) in ({"LeftOf", "RightOf"}, {"Above", "Below"})


def listed(items: Sequence[str]) -> str:
    """Return items as a list in words.

    >>> listed(["a cup"]), listed(["a cup", "a pen"]), listed(["a cup", "a pen", "a hat"])
    ('a cup', 'a cup and a pen', 'a cup, a pen, and a hat')
    """
    if len(items) < 3:
        return (", and " if any(" and " in item for item in items) else " and ").join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
