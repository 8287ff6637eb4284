"""Formulas in plain English: readings, one sentence or more per conjunct, and instructions for a picture.

>>> from tsgkit.logic.parser import parse
>>> reading_of(parse("(exists ?b (exists ?g (and (Is ?b 'bowl') (Has ?b 'red') (Is ?g 'glove') (LargerThan ?b ?g))))"))
'There are a red bowl and a glove. The bowl is larger than the glove.'
>>> reading_of(parse("(forall ?d (implies (Is ?d 'drill') (exists ?e (and (Is ?e 'drill') (LeftOf ?e ?d)))))"))
'For every drill (drill 1): there is a drill (drill 2) such that drill 2 is left of drill 1.'
>>> pens = "(exists ?b (and (Is ?b 'bowl') (forall ?p (implies (Is ?p 'pen') (and (Above ?p ?b) (LargerThan ?p ?b))))))"
>>> instruction(parse(pens))
'Lay out a knolling picture. It shows a bowl and at least one pen. Every pen is above and larger than the bowl.'
>>> hat = "(and (IsStyle 'photo') (exists ?m (exists ?h (and (Is ?m 'man') (Is ?h 'hat') (On ?h ?m)))))"
>>> instruction(parse(hat), "natural")
'A photo of a man and a hat. The man wears the hat.'

Both walk the same clauses (:func:`words`) and share the words for predicates (:data:`VERBS`) and nouns. A reading is
for people who do not read s-expressions; any formula has one. An instruction joins what is said of an object, and also
says that a ``forall`` must apply to an object ("at least one"), because verdicts require it. It is made for formulas of
the usual shape of instructions: objects that exist, at most one of which stands for all of its class, and atoms,
disjunctions and negations about them; other parts are worded as in readings.

An object is named by its class, with a number if several share the class, and ``object 1`` if it has none. Texts are
deterministic for a formula and a seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from tsgkit.logic import formula as fol
from tsgkit.logic.formula import Formula, Variable, atoms_of, conjuncts, demanded_class, free_variables, peeled
from tsgkit.logic.plausibility import CLOTHES, PEOPLE
from tsgkit.logic.samples import Scenario

Names = Mapping[Variable, str]

MEASURES = dict.fromkeys(("scissors", "glasses", "headphones", "jeans", "pliers", "shoes"), "pair") | {"keys": "bunch"}
PLURALS = (
    {"man": "men", "woman": "women", "child": "children", "person": "people", "mouse": "mice", "fish": "fish"}
    | {"knife": "knives", "watch": "watches", "wrench": "wrenches", "bench": "benches"}
    | {"box": "boxes", "bus": "buses", "bunch": "bunches"}
)
READING, INSTRUCTION = 0, 1
ALIKE = {"Above": "is above", "Below": "is below", "LargerThan": "is larger than", "SmallerThan": "is smaller than"} | {
    "On": "is on",
    "In": "is in",
    "Holding": "holds",
    "NextTo": "is next to",
}
"""The verbs that are the same in readings and in instructions."""
VERBS: Mapping[str, tuple[str, str]] = {
    "OnLeftSide": ("is on the left side", "is in the left half of the image"),
    "OnRightSide": ("is on the right side", "is in the right half of the image"),
    "OnTopSide": ("is on the top side", "is in the top half of the image"),
    "OnBottomSide": ("is on the bottom side", "is in the bottom half of the image"),
    "InCenter": ("is in the centre", "is in the centre of the image"),
    "LeftOf": ("is left of", "is to the left of"),
    "RightOf": ("is right of", "is to the right of"),
    "AlignedHorizontally": ("is at the height of", "is aligned horizontally with"),
    "AlignedVertically": ("is in one column with", "is aligned vertically with"),
    **{name: (verb, verb) for name, verb in ALIKE.items()},
}
"""The verb of each predicate in readings and in instructions."""
LOOKS = (("Has", "HasColor", "HasMaterial", "HasShape"), ("HasState", "HasShape", "Has", "HasColor", "HasMaterial"))
"""The attributes that become adjectives of a noun in readings, as written, and in instructions, in this order."""
ATTRIBUTES = frozenset(LOOKS[INSTRUCTION])
ADJECTIVES = frozenset({"wooden", "fluffy"})
COMPARED = {"Equals": "is", "GreaterThan": "is more than", "LessThan": "is less than"}
COMPARED |= {"GreaterThanOrEquals": "is at least", "LessThanOrEquals": "is at most"}


def reading_of(formula: Formula) -> str:
    """Verbalise a formula: one sentence or more per conjunct."""
    fol.refuse_deep(formula)
    formula = fol.rename_apart(formula)
    names = object_names(formula)
    clauses = (clause for part in conjuncts(formula) or [formula] for clause in _clauses(part, names))
    return " ".join(_capital(f"{clause}.") for clause in clauses)


def _clauses(formula: Formula, names: Names) -> Iterator[str]:
    """Verbalise the objects that exist, then the statements about them: later sentences use the names introduced."""
    if not isinstance(formula, fol.Exists):
        yield words(formula, names)
        return
    intro, rest = _existence(formula, names)
    yield intro
    for part in rest:
        yield from _clauses(part, names)


def object_names(formula: Formula) -> dict[Variable, str]:
    """Return a name for each variable of a formula. Each variable must be bound once, as :func:`rename_apart`
    ensures."""
    classes: dict[Variable, str] = {}
    for _, part in fol.walk(formula):
        match part:
            case fol.Exists(variable, body):
                classes[variable] = class_of(variable, body) or ""
            case fol.Forall(variable, body):  # without a condition, the body applies to every object
                conditional = isinstance(peeled(body)[1], fol.Implies)
                classes[variable] = (class_of(variable, body) if conditional else None) or ""
            case fol.Comparison():
                classes |= {count.variable: class_of(count.variable, count.body) or "" for count in part.counts}
    for variable in sorted(free_variables(formula), key=attrgetter("name")):
        classes.setdefault(variable, "")
    many, numbers, names = Counter(classes.values()), Counter[str](), {}
    for variable, name in classes.items():
        numbers[name] += 1
        numbered = many[name] > 1 or not name
        noun = thing(name or "object")
        names[variable] = f"{noun} {numbers[name]}" if numbered else f"the {noun}"
    return names


def class_of(variable: Variable, body: Formula) -> str | None:
    """Return the class that a quantified body requires of a variable, or None.

    For an implication it is the class its antecedent requires: a ``forall`` says nothing about other objects.
    """
    _, body = peeled(body)
    return demanded_class(variable, body.antecedent if isinstance(body, fol.Implies) else body)


def with_article(noun: str) -> str:
    """Return a noun phrase with its indefinite article.

    >>> with_article("cutting_board"), with_article("apple"), with_article("red scissors")
    ('a cutting board', 'an apple', 'a pair of red scissors')
    """
    noun = thing(noun)
    return f"{'an' if noun[:1] in tuple('aeiou') else 'a'} {noun}"


def thing(noun: str) -> str:
    """Return a class name, with or without adjectives, as a singular noun phrase.

    >>> thing("game_controller"), thing("gray scissors"), thing("keys")
    ('game controller', 'pair of gray scissors', 'bunch of keys')
    """
    noun = noun.replace("_", " ")
    measure = MEASURES.get(noun.rsplit(" ", 1)[-1])
    return f"{measure} of {noun}" if measure and not noun.startswith(measure) else noun


def _adjective(value: str) -> str:
    return f"switched-{value}" if value in ("on", "off") else value


def _noun(variable: Variable, label: str, parts: Sequence[Formula], style: int) -> tuple[str, list[Formula]]:
    """Return the noun phrase of an object of a class, with the adjectives that atoms among some parts give it, and the
    remaining parts."""
    looks, adjectives, rest = LOOKS[style], list[tuple[int, str]](), list[Formula]()
    for part in parts:
        match part:
            case fol.Atom(name, (first, fol.Literal(text))) if first == variable and name in looks:
                adjectives.append((looks.index(name), _adjective(text)))
            case fol.Atom("Is", (first, fol.Literal(text))) if first == variable and text == label:
                pass
            case _:
                rest.append(part)
    if style == INSTRUCTION:
        adjectives.sort(key=lambda adjective: adjective[0])
    return thing(" ".join([*(text for _, text in adjectives), label])), rest


def _introduced(
    variables: Sequence[Variable], parts: Sequence[Formula], names: Names, determiner: str
) -> tuple[list[str], list[Formula]]:
    """Return noun phrases for new objects, built from atoms about each alone, and the remaining conjuncts."""
    rest, nouns = list(parts), []
    for variable in variables:
        label = demanded_class(variable, fol.And(tuple(part for part in rest if isinstance(part, fol.Atom))))
        noun, rest = _noun(variable, label, rest, READING) if label else ("object", rest)
        if determiner == "many":
            first, *more = noun.split(" of ", 1)
            *before, last = first.split()
            nouns.append(" of ".join([" ".join([*before, PLURALS.get(last, last + "s")]), *more]))
            continue
        name = names.get(variable, variable.name)
        alias = "" if name.startswith("the ") else f" ({name})"
        nouns.append((with_article(noun) if determiner == "a" else f"{determiner} {noun}") + alias)
    return nouns, rest


def words(formula: Formula, names: Names) -> str:
    """Verbalise a formula as a clause, without capital letter and full stop."""
    match formula:
        case fol.Atom():
            return atom_words(formula, names)
        case fol.Not(fol.Atom() as atom):
            return atom_words(atom, names, negated=True)
        case (fol.Exists() as quantifier) | fol.Not(fol.Exists() as quantifier):
            intro, rest = _existence(quantifier, names, no=isinstance(formula, fol.Not))
            return intro + _such(rest, names)
        case fol.Not(body):
            return f"it is not so that {_nested(body, names)}"
        case fol.And(()):
            return "anything is fine"
        case fol.Or(()):
            return "nothing is fine"
        case fol.And(parts):
            return _joined([_nested(part, names) for part in parts], "and")
        case fol.Or(parts):
            return "either " + _joined([_nested(part, names) for part in parts], "or")
        case fol.Implies(antecedent, consequent):
            return f"if {_nested(antecedent, names)}, then {_nested(consequent, names)}"
        case fol.Iff(left, right):
            return f"{_nested(left, names)} exactly when {_nested(right, names)}"
        case fol.Forall():
            variables, body = peeled(formula)
            condition, consequent = (
                (body.antecedent, body.consequent) if isinstance(body, fol.Implies) else (fol.TRUE, body)
            )
            nouns, rest = _introduced(variables, conjuncts(condition), names, "every")
            return f"for {_joined(nouns, 'and')}{_such(rest, names)}: {words(consequent, names)}"
        case fol.Comparison(name, left, right):
            return f"{_number(left, names)} {COMPARED[name]} {_number(right, names)}"


def atom_words(atom: fol.Atom, names: Names, *, negated: bool = False) -> str:
    """Verbalise an atom or its negation.

    >>> atom = fol.Atom("LeftOf", (Variable("?a"), Variable("?b")))
    >>> atom_words(atom, {Variable("?a"): "the cup"}, negated=True)
    'the cup is not left of ?b'
    """
    args = [names.get(arg, arg.name) if isinstance(arg, Variable) else arg.text for arg in atom.args]
    if atom.name == "IsStyle" and len(args) == 1:
        return f"the style is {'not ' * negated}{args[0]}"
    verb = verb_of(atom)
    if verb is None:
        holds = "does not hold" if negated else "holds"
        return f"{atom.name} {holds} of {_joined(args, 'and')}" if args else f"{atom.name} {holds}"
    others = args[1:] if atom.name in VERBS else []
    return " ".join([args[0], _denied(verb) if negated else verb, *others])


def verb_of(atom: fol.Atom, style: int = READING) -> str | None:
    """Return the words between the first and the second argument of an atom, or None for unknown predicates."""
    if len(atom.args) == 2 and isinstance(value := atom.args[1], fol.Literal):
        text = value.text
        if atom.name == "Is":
            return f"is {with_article(text)}"
        if atom.name == "HasMaterial" and text not in ADJECTIVES and style == READING:
            return f"is made of {text}"
        if atom.name in ATTRIBUTES:
            return f"is {text if style == READING else _adjective(text)}"
    return VERBS[atom.name][style] if atom.name in VERBS and atom.args else None


def _denied(predicate: str) -> str:
    if predicate.startswith("is "):
        return f"is not {predicate[3:]}"
    return "does not " + predicate.replace("holds", "hold", 1).replace("wears", "wear", 1)


def _nested(formula: Formula, names: Names) -> str:
    """Verbalise a formula inside another one, in parentheses if it is compound."""
    clause = words(formula, names)
    return clause if isinstance(formula, fol.Atom | fol.Not | fol.Comparison) else f"({clause})"


def _joined(items: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def _existence(formula: fol.Exists, names: Names, *, no: bool = False) -> tuple[str, list[Formula]]:
    """Introduce the objects of directly nested quantifiers; return the phrase and the remaining conjuncts."""
    variables, body = [formula.variable], formula.body
    while isinstance(body, fol.Exists) and not no:
        variables.append(body.variable)
        body = body.body
    nouns, rest = _introduced(variables, conjuncts(body), names, "no" if no else "a")
    return f"there {'are' if len(variables) > 1 else 'is'} {_joined(nouns, 'and')}", rest


def _such(rest: Sequence[Formula], names: Names) -> str:
    return f" such that {_joined([_nested(part, names) for part in rest], 'and')}" if rest else ""


def _number(number: fol.Number, names: Names) -> str:
    if not isinstance(number, fol.Count):
        return str(number)
    nouns, rest = _introduced([number.variable], conjuncts(number.body), names, "many")
    return f"the number of {nouns[0]}{_such(rest, names)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Instructions.

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
LAST = {"AlignedHorizontally": 1, "AlignedVertically": 1, "LargerThan": 2, "SmallerThan": 2}
"""The order of predicates about an object; those not listed come first."""
MOST_JOINED = 3
"""The maximum number of predicates in one sentence."""


def instruction(formula: Formula, scenario: Scenario = "knolling", seed: int = 0) -> str:
    """Verbalise a formula as an instruction. The seed selects among wordings."""
    fol.refuse_deep(formula)
    formula = fol.rename_apart(formula)
    rng = random.Random(f"wording {seed}") if seed else None

    def wording(wordings: Sequence[str]) -> str:
        return rng.choice(wordings) if rng else wordings[0]

    parts = conjuncts(formula)
    styles = [part for part in parts if isinstance(part, fol.Atom) and part.name == "IsStyle"]
    variables, rest = _opened([part for part in parts if part not in styles])
    text = _InstructionText(object_names(formula))
    nouns, rest = text.introduced(variables, rest)
    foralls = [part for part in rest if isinstance(part, fol.Forall)]
    rest = [part for part in rest if part not in foralls]
    general = [text.general(forall) for forall in foralls]
    objects = [*map(with_article, nouns), *(f"at least one {noun}" for noun in general)]
    shown = listed(objects) or "nothing in particular"
    if scenario == "knolling":
        sentences = [wording(OPENINGS)]
        sentences.append(wording(SHOWN).format(shown, is_are="are" if len(objects) > 1 else "is"))
    else:
        sentences = [wording(FRAME)] if {atom.name for atom in atoms_of(formula)} & {"LeftOf", "RightOf"} else []
        terms = [style.args[-1] for style in styles if style.args]
        names = [term.text for term in terms if isinstance(term, fol.Literal)]
        heads = [STYLES.get(name, with_article(name)) for name in names] or [wording(("a picture", "a scene"))]
        sentences.append(_capital(f"{' and '.join(heads)} of {shown}."))
    sentences += [_capital(f"{clause}.") for clause in text.clauses(rest)]
    for forall, noun in zip(foralls, general, strict=True):
        sentences += text.every(forall, noun)
    return " ".join(sentences)


@dataclass
class _InstructionText:
    """The names and classes of the objects of an instruction, and the clauses about them."""

    names: Names
    classes: dict[Variable, str] = field(default_factory=dict)

    def introduced(self, variables: Sequence[Variable], parts: Sequence[Formula]) -> tuple[list[str], list[Formula]]:
        """Note the classes of variables; return their nouns with adjectives, and the remaining parts."""
        for variable in variables:
            self.classes[variable] = demanded_class(variable, fol.And(tuple(parts))) or "object"
        rest, nouns = list(parts), []
        for variable in variables:
            noun, rest = _noun(variable, self.classes[variable], rest, INSTRUCTION)
            nouns.append(noun)
        return nouns, rest

    def general(self, forall: fol.Forall) -> str:
        """Return the noun phrase for the objects that a ``forall`` applies to."""
        conditions = conjuncts(forall.body.antecedent) if isinstance(forall.body, fol.Implies) else []
        [noun], rest = self.introduced([forall.variable], conditions)
        predicates = [self.predicate(part, forall.variable).removeprefix("is ") for part in rest]
        return " ".join(filter(None, (noun, listed(predicates))))

    def every(self, forall: fol.Forall, noun: str) -> Iterator[str]:
        """Yield sentences about all objects of a class, then about the objects that exist for each of them."""
        variable, body = forall.variable, forall.body
        inner, parts = _opened(conjuncts(body.consequent if isinstance(body, fol.Implies) else body))
        nouns, parts = self.introduced(inner, parts)
        direct = [part for part in parts if self.subject(part) == variable and free_variables(part).isdisjoint(inner)]
        for clause in replace(self, names={**self.names, variable: f"every {noun}"}).clauses(direct):
            yield _capital(f"{clause}.")
        that = replace(self, names={**self.names, variable: f"that {thing(self.classes[variable])}"})
        clauses = list(that.clauses([part for part in parts if part not in direct]))
        if inner:
            are = "are" if len(nouns) > 1 else "is"
            tail = f": {'; '.join(clauses)}" if clauses else ""
            yield f"For every {noun}, there {are} {listed(list(map(with_article, nouns)))}{tail}."
        else:
            yield from (f"For every {noun}, {clause}." for clause in clauses)

    def clauses(self, parts: Sequence[Formula]) -> Iterator[str]:
        """Yield clauses about one object after the other: atoms joined, disjunctions and negations in clauses of their
        own."""
        groups: dict[Variable | None, list[Formula]] = {}
        for part in parts:
            groups.setdefault(self.subject(part), []).append(part)
        for subject, group in groups.items():
            if subject is None:
                yield from (words(part, self.names) for part in group)
                continue
            name = self.names[subject]
            predicates = self.joined([part for part in group if isinstance(part, fol.Atom)])
            for start in range(0, len(predicates), MOST_JOINED):
                first, *more = predicates[start : start + MOST_JOINED]  # an "is" after another one is dropped
                more = [predicate.removeprefix("is ") if first.startswith("is ") else predicate for predicate in more]
                yield f"{name} {listed([first, *more])}"
            for part in group:
                if isinstance(part, fol.Not) and name.startswith("every "):
                    yield f"no {name[6:]} {self.predicate(part.body, subject)}"
                elif not isinstance(part, fol.Atom):
                    yield f"{name} {self.predicate(part, subject)}"

    def joined(self, atoms: Sequence[fol.Atom]) -> list[str]:
        """Return predicates, with relations to the same object joined ("is above and to the left of the cup"), then
        what the object holds, then what it wears."""
        groups: dict[tuple[str, str], list[str]] = {}
        for atom in sorted(atoms, key=lambda atom: LAST.get(atom.name, 0)):
            verb, _, rest = self.atom(atom).partition(" ")
            others = [self.names[arg] for arg in atom.args[1:] if isinstance(arg, Variable)]
            shared = "" if verb != "is" else others[0] if others else str(atom)
            groups.setdefault((verb, shared), []).append(rest)
        predicates, order = [], ("is", "holds", "wears")
        for (verb, shared), phrases in sorted(groups.items(), key=lambda group: order.index(group[0][0])):
            if verb == "is" and len(phrases) > 1:
                phrases = [f"{listed([phrase.removesuffix(shared).strip() for phrase in phrases])} {shared}"]
            predicates.append(f"{verb} {listed(phrases)}")
        return predicates

    def subject(self, part: Formula) -> Variable | None:
        """Return the object a part is about; None unless it is an atom, negation or disjunction about one object."""
        subjects = set[Variable | None]()
        for atom in part.parts if isinstance(part, fol.Or) else (part.body,) if isinstance(part, fol.Not) else (part,):
            term = None
            if isinstance(atom, fol.Atom) and (atom.name in VERBS or atom.name in ATTRIBUTES or atom.name == "Is"):
                term = atom.args[-1 if self.is_worn(atom) else 0]
            subjects.add(term if isinstance(term, Variable) else None)
        return subjects.pop() if len(subjects) == 1 else None

    def is_worn(self, atom: fol.Atom) -> bool:
        classes = [self.classes.get(arg, "") if isinstance(arg, Variable) else "" for arg in atom.args]
        return atom.name == "On" and classes[0] in CLOTHES and classes[-1] in PEOPLE

    def predicate(self, part: Formula, subject: Variable) -> str:
        """Return the predicate of a part: "is above the cup", "holds the pen"."""
        if isinstance(part, fol.Not) and isinstance(part.body, fol.Atom):
            return _denied(self.predicate(part.body, subject))
        if isinstance(part, fol.Or):
            predicates = [self.predicate(inner, subject) for inner in part.parts]
            if not all(predicate.startswith("is ") for predicate in predicates):
                return "either " + " or ".join(predicates)
            atoms = {inner.name for inner in part.parts if isinstance(inner, fol.Atom)}
            opposites = ({"LeftOf", "RightOf"}, {"Above", "Below"})
            exclusive = (len(atoms) == 1 and atoms <= ATTRIBUTES) or atoms in opposites
            both = "" if exclusive else " (or both)"
            return f"is either {' or '.join(predicate[3:] for predicate in predicates)}{both}"
        return self.atom(part) if isinstance(part, fol.Atom) else words(part, self.names)

    def atom(self, atom: fol.Atom) -> str:
        names = [self.names[arg] for arg in atom.args if isinstance(arg, Variable)]
        if self.is_worn(atom):
            return f"wears {names[0]}"
        return " ".join([verb_of(atom, INSTRUCTION) or "is", *names[1:]])


def _opened(parts: Sequence[Formula]) -> tuple[list[Variable], list[Formula]]:
    """Return the variables that conjuncts bind by ``exists``, and the conjuncts of their bodies."""
    variables, rest = [], []
    for part in parts:
        if isinstance(part, fol.Exists):
            inner, more = _opened(conjuncts(part.body))
            variables += [part.variable, *inner]
            rest += more
        else:
            rest.append(part)
    return variables, rest


def listed(items: Sequence[str]) -> str:
    """Return items as a list in words.

    >>> listed(["a cup"]), listed(["a cup", "a pen"]), listed(["a cup", "a pen", "a hat"])
    ('a cup', 'a cup and a pen', 'a cup, a pen, and a hat')
    """
    if len(items) < 3:
        return (", and " if any(" and " in item for item in items) else " and ").join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"
