"""Deterministic verbalisation of formulas in plain English, for people who do not read s-expressions.

>>> from tsgkit.logic.parser import parse
>>> reading_of(parse("(exists ?b (exists ?g (and (Is ?b 'bowl') (Has ?b 'red') (Is ?g 'glove') (LargerThan ?b ?g))))"))
'There are a red bowl and a glove. The bowl is larger than the glove.'
>>> reading_of(parse("(forall ?d (implies (Is ?d 'drill') (exists ?e (and (Is ?e 'drill') (LeftOf ?e ?d)))))"))
'For every drill (drill 1): there is a drill (drill 2) such that drill 2 is left of drill 1.'

An object is named by its class, with a number if several share the class, and ``object 1`` if it has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tsgkit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Literal,
    Not,
    Number,
    Or,
    Variable,
    conjuncts,
    demanded_class,
    free_variables,
    peeled,
    refuse_deep,
    rename_apart,
    walk,
)

Names = Mapping[Variable, str]

MEASURES = dict.fromkeys(("scissors", "glasses", "headphones", "jeans", "pliers", "shoes"), "pair") | {"keys": "bunch"}
PLURALS = {"man": "men", "woman": "women", "child": "children", "person": "people", "mouse": "mice", "fish": "fish"} | {
    "knife": "knives",
    "watch": "watches",
    "wrench": "wrenches",
    "bench": "benches",
    "box": "boxes",
    "bus": "buses",
    "bunch": "bunches",
}
ADJECTIVES = frozenset({"wooden", "fluffy"})
VERBS = {
    "OnLeftSide": "is on the left side",
    "OnRightSide": "is on the right side",
    "OnTopSide": "is on the top side",
    "OnBottomSide": "is on the bottom side",
    "InCenter": "is in the centre",
    "LeftOf": "is left of",
    "RightOf": "is right of",
    "Above": "is above",
    "Below": "is below",
    "AlignedHorizontally": "is at the height of",
    "AlignedVertically": "is in one column with",
    "LargerThan": "is larger than",
    "SmallerThan": "is smaller than",
    "On": "is on",
    "In": "is in",
    "Holding": "holds",
    "NextTo": "is next to",
}
ATTRIBUTES = frozenset({"Has", "HasColor", "HasShape", "HasState"})
COMPARED = {
    "Equals": "is",
    "GreaterThan": "is more than",
    "LessThan": "is less than",
    "GreaterThanOrEquals": "is at least",
    "LessThanOrEquals": "is at most",
}


def reading_of(formula: Formula) -> str:
    """Verbalise a formula: one sentence or more per conjunct."""
    refuse_deep(formula)
    formula = rename_apart(formula)
    names = object_names(formula)
    said = [one for part in conjuncts(formula) or [formula] for one in _sentences(part, names)]
    return " ".join(one[:1].upper() + one[1:] + "." for one in said)


def _sentences(formula: Formula, names: Names) -> Iterator[str]:
    """Verbalise the objects that exist, then the statements about them: later sentences use the names introduced."""
    if not isinstance(formula, Exists):
        yield words(formula, names)
        return
    intro, rest = _opened(formula, names)
    yield intro
    for part in rest:
        yield from _sentences(part, names)


def object_names(formula: Formula) -> dict[Variable, str]:
    """Return a name for each variable of a formula. Each variable must be bound once, as :func:`rename_apart`
    ensures."""
    classes: dict[Variable, str] = {}
    for _, part in walk(formula):
        match part:
            case Exists(variable, body):
                classes[variable] = class_of(variable, body) or ""
            case Forall(variable, body):  # without a condition, the body applies to every object
                conditional = isinstance(peeled(body)[1], Implies)
                classes[variable] = (class_of(variable, body) if conditional else None) or ""
            case Comparison(_, left, right):
                counts = [side for side in (left, right) if isinstance(side, Count)]
                classes |= {count.variable: class_of(count.variable, count.body) or "" for count in counts}
    for variable in sorted(free_variables(formula), key=lambda one: one.name):
        classes.setdefault(variable, "")
    many, seen, names = Counter(classes.values()), Counter[str](), {}
    for variable, name in classes.items():
        seen[name] += 1
        numbered = many[name] > 1 or not name
        called = thing(name or "object")
        names[variable] = f"{called} {seen[name]}" if numbered else f"the {called}"
    return names


def class_of(variable: Variable, body: Formula) -> str | None:
    """Return the class that a quantified body requires of a variable, or None.

    For an implication it is the class its antecedent requires: a ``forall`` says nothing about other objects.
    """
    _, body = peeled(body)
    return demanded_class(variable, body.antecedent if isinstance(body, Implies) else body)


def words(formula: Formula, names: Names) -> str:
    """Verbalise a formula as a clause, without capital letter and full stop."""
    match formula:
        case Atom():
            return atom_words(formula, names)
        case Not(Atom() as atom):
            return atom_words(atom, names, negated=True)
        case Not(Exists() as inner):
            return _existence(inner, names, negated=True)
        case Not(body):
            return f"it is not so that {_held(body, names)}"
        case And(()):
            return "anything is fine"
        case Or(()):
            return "nothing is fine"
        case And(parts):
            return _listed([_held(part, names) for part in parts], "and")
        case Or(parts):
            return "either " + _listed([_held(part, names) for part in parts], "or")
        case Implies(antecedent, consequent):
            return f"if {_held(antecedent, names)}, then {_held(consequent, names)}"
        case Iff(left, right):
            return f"{_held(left, names)} exactly when {_held(right, names)}"
        case Exists():
            return _existence(formula, names)
        case Forall():
            return _every(formula, names)
        case Comparison(name, left, right):
            return f"{_number(left, names)} {COMPARED[name]} {_number(right, names)}"


def atom_words(atom: Atom, names: Names, *, negated: bool = False) -> str:
    """Verbalise an atom or its negation.

    >>> atom = Atom("LeftOf", (Variable("?a"), Variable("?b")))
    >>> atom_words(atom, {Variable("?a"): "the cup"}, negated=True)
    'the cup is not left of ?b'
    """
    args = [names.get(arg, arg.name) if isinstance(arg, Variable) else arg.text for arg in atom.args]
    if atom.name == "IsStyle" and len(args) == 1:
        return f"the style is {'not ' * negated}{args[0]}"
    verb = verb_of(atom)
    if verb is None:
        holds = "does not hold" if negated else "holds"
        return f"{atom.name} {holds} of {_listed(args, 'and')}" if args else f"{atom.name} {holds}"
    if negated:
        verb = (
            verb.replace("is", "is not", 1) if verb.startswith("is") else "does not " + verb.replace("holds", "hold", 1)
        )
    others = args[1:] if atom.name in VERBS else []
    return " ".join([args[0], verb, *others])


def verb_of(atom: Atom) -> str | None:
    """Return the words between the first and the second argument of an atom, or None for unknown predicates."""
    if len(atom.args) == 2 and isinstance(value := atom.args[1], Literal):
        if atom.name == "Is":
            return f"is {with_article(value.text)}"
        if atom.name == "HasMaterial" and value.text not in ADJECTIVES:
            return f"is made of {value.text}"
        if atom.name in ATTRIBUTES or atom.name == "HasMaterial":
            return f"is {value.text}"
    return VERBS.get(atom.name) if atom.args else None


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


def _held(formula: Formula, names: Names) -> str:
    """Verbalise a formula inside another one, in parentheses if it is compound."""
    said = words(formula, names)
    return said if isinstance(formula, Atom | Not | Comparison) else f"({said})"


def _listed(items: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def _existence(formula: Exists, names: Names, *, negated: bool = False) -> str:
    intro, rest = _opened(formula, names, no=negated)
    return intro + _such(rest, names)


def _opened(formula: Exists, names: Names, *, no: bool = False) -> tuple[str, list[Formula]]:
    """Introduce the objects of directly nested quantifiers; return the phrase and the remaining conjuncts."""
    variables, body = [formula.variable], formula.body
    while isinstance(body, Exists) and not no:
        variables.append(body.variable)
        body = body.body
    nouns, rest = _introduced(variables, conjuncts(body), names, "no" if no else "a")
    return f"there {'are' if len(variables) > 1 else 'is'} {_listed(nouns, 'and')}", rest


def _such(rest: Sequence[Formula], names: Names) -> str:
    return f" such that {_listed([_held(part, names) for part in rest], 'and')}" if rest else ""


def _every(formula: Forall, names: Names) -> str:
    variables, body = peeled(formula)
    conditions = conjuncts(body.antecedent) if isinstance(body, Implies) else []
    nouns, rest = _introduced(variables, conditions, names, "every")
    said = body.consequent if isinstance(body, Implies) else body
    return f"for {_listed(nouns, 'and')}{_such(rest, names)}: {words(said, names)}"


def _introduced(
    variables: Sequence[Variable], parts: Sequence[Formula], names: Names, determiner: str
) -> tuple[list[str], list[Formula]]:
    """Return noun phrases for new objects, built from atoms about each alone, and the remaining conjuncts."""
    rest, nouns = list(parts), []
    for variable in variables:
        adjectives = _described(rest, variable, ("Has", "HasColor", "HasShape", "HasMaterial"))
        classes = _described(rest, variable, ("Is",))[:1]
        used = [*adjectives, *classes] if classes else []
        rest = [part for part in rest if part not in [atom for atom, _ in used]]
        noun = thing(" ".join(word for _, word in used) or "object")
        if determiner == "many":
            first, *more = noun.split(" of ", 1)
            *before, last = first.split()
            nouns.append(" of ".join([" ".join([*before, PLURALS.get(last, last + "s")]), *more]))
            continue
        called = names.get(variable, variable.name)
        alias = "" if called.startswith("the ") else f" ({called})"
        nouns.append((with_article(noun) if determiner == "a" else f"{determiner} {noun}") + alias)
    return nouns, rest


def _described(parts: Sequence[Formula], variable: Variable, predicates: Sequence[str]) -> list[tuple[Atom, str]]:
    """Return the atoms of some predicates that give a variable a value, each with the value."""
    pairs = []
    for part in parts:
        match part:
            case Atom(name, (first, Literal(value))) if first == variable and name in predicates:
                pairs.append((part, value))
    return pairs


def _number(number: Number, names: Names) -> str:
    if not isinstance(number, Count):
        return str(number)
    nouns, rest = _introduced([number.variable], conjuncts(number.body), names, "many")
    return f"the number of {nouns[0]}{_such(rest, names)}"
