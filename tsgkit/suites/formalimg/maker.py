"""New items: a formula that is sampled, an instruction that says it, and proofs that the item is sound.

>>> item = composed(2, "knolling", seed=3)
>>> faults(item.formula, "knolling", 2)
[]
>>> faults(item.formula, "knolling", 3)
['its K is 2, not 3']

The formula is never a model's: it is sampled, so its K, its vocabulary and its satisfiability are known. The
instruction is worded by rules, or by a model. A model's words are read back into a formula by a second call that sees
them alone; only if no layout tells the two formulas apart is the item kept. A layout that does is the reason of a
rejection. For natural scenes, worlds of relations stand for layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.reply import Ending
from tsgkit.logic.budget import OutOfBudget
from tsgkit.logic.clauses import clause_form, object_classes
from tsgkit.logic.configurations import Configuration, Scenario, Twist
from tsgkit.logic.english import reading_of
from tsgkit.logic.formula import And, Formula, Not
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS as VOCABULARIES
from tsgkit.suites.transcript import Ask

TWISTS: tuple[Twist, ...] = ("", "", "or", "", "not")
"""What an item has besides conjunctions, in turn."""
MOST_GROUPS = 1_000_000
"""Seeds of groups are apart by this, so that no two items share one."""
EFFORT = 10.0
FIELDS = {
    "write": ("formula", "reading", "problems"),
    "read": ("predicates", "classes", "values", "instruction"),
}


@dataclass(frozen=True)
class Composed:
    """A formula and the instruction that says it."""

    formula: Formula
    prompt: str
    scenario: Scenario

    @property
    def row(self) -> dict[str, Any]:
        """The item as a row, without its id."""
        form = clause_form(self.formula)
        return {
            "scenario": self.scenario,
            "prompt": self.prompt,
            "dsl": text_of(self.formula),
            "cnf": form.text,
            "k": form.k,
            "object_classes": list(object_classes(self.formula)),
        }


@dataclass(frozen=True)
class Rejected:
    """An item that was not kept, and why."""

    formula: Formula
    reason: str
    is_failure: bool = False
    """Whether a service failed, rather than the item."""


def composed(k: int, scenario: Scenario, seed: int, objects: int | None = None) -> Composed:
    """Return an item by rules alone: every other seed has a universal quantifier, some an or, some a not.

    With more ``objects`` than K, these are in groups of K (the last may be smaller) that nothing relates.
    """
    from tsgkit.logic.samples import configuration, formula_of
    from tsgkit.logic.verbalisation import instruction

    if objects is not None and objects != k:
        formula = _grouped(k, scenario, seed, objects)
    else:
        twist = TWISTS[seed // 2 % len(TWISTS)] if k > 1 else ""
        formula = formula_of(configuration(k, scenario, seed, universal=bool(seed % 2), twist=twist))
    return Composed(formula, instruction(formula, scenario, seed), scenario)


def _grouped(k: int, scenario: Scenario, seed: int, objects: int) -> Formula:
    """Return a formula about groups of K things; every other seed has a universal quantifier in the last group."""
    from tsgkit.logic.plausibility import clash
    from tsgkit.logic.samples import configuration, formula_of
    from tsgkit.logic.witnesses import conjuncts

    groups: list[Configuration] = []
    used: set[str] = set()
    for number in count():
        size = min(k, objects - len(used))
        if size == 0:
            return And(tuple(part for one in groups for part in conjuncts(formula_of(one))))
        universal = bool(seed % 2) and size == objects - len(used)
        one = configuration(size, scenario, seed * MOST_GROUPS + number, universal=universal)
        if used.isdisjoint(one.classes) and not any(clash(label, used) for label in one.classes):
            groups.append(one if not groups else replace(one, style=None))
            used.update(one.classes)
    raise AssertionError("counting ends")


def faults(formula: Formula, scenario: Scenario, k: int) -> list[str]:
    """Return why a formula is no sound item: its vocabulary, its K, that nothing or everything satisfies it."""
    found = [str(one.message) for one in check(text_of(formula), VOCABULARIES[scenario]).findings]
    if (own := clause_form(formula).k) != k:
        found.append(f"its K is {own}, not {k}")
    if not found and (why := _unsatisfied(formula, scenario)):
        found.append(why)
    if not found and scenario == "knolling" and verify(formula, {"objects": []}).truth is not False:
        found.append("an empty scene satisfies it")
    return found


def _unsatisfied(formula: Formula, scenario: Scenario) -> str:
    """Return why nothing satisfies it, as far as that can be proved; empty where something does."""
    if scenario == "natural":
        from tsgkit.logic.scene_models import world_of

        try:
            return "" if world_of(formula) is not None else "no sensible world satisfies it"
        except OutOfBudget as out:
            return f"no sensible world was found in {out}"
    from tsgkit.logic.solver import BOTH, solve

    solution = solve(formula, effort=EFFORT)
    if solution.layout is None:
        return solution.text
    return "" if solution.profiles == BOTH else solution.note


def told_apart(one: Formula, other: Formula, scenario: Scenario) -> str | None:
    """Return what satisfies one of two formulas and not the other, in words; empty where nothing does, None where
    unknown.
    """
    if clause_form(one).unordered == clause_form(other).unordered:
        return ""
    for holds, fails, words in ((one, other, "more"), (other, one, "less")):
        both = And((holds, Not(fails)))
        found = _witness(both, scenario)
        if found is None:
            return None
        if found:
            return f"the words require {words} or something else: {found} fits one formula and not the other"
    return ""


def _witness(formula: Formula, scenario: Scenario) -> str | None:
    if scenario == "natural":
        from tsgkit.logic.scene_models import world_of

        try:
            world = world_of(formula)
        except OutOfBudget:
            return None
        return "" if world is None else "a world in which " + "; ".join(sorted(map(str, world)))[:300]
    from tsgkit.logic.solver import solve

    solution = solve(formula, effort=EFFORT)
    if solution.layout is not None:
        things = (f"{thing.label} at {[round(edge) for edge in thing.box]}" for thing in solution.layout.objects)
        return "a layout with " + ", ".join(things)
    return "" if solution.status == "unsatisfiable" else None


async def written(item: Composed, ask: Ask, rounds: int = 2) -> Composed | Rejected:
    """Return the item in a model's words, if they can be proved to say the same; what is told apart is told to the
    model.
    """
    problems: list[str] = []
    for number in range(1, rounds + 2):
        told = _write_prompt(item, problems)
        prompt = await _said(ask, told, f"write/{number}", number - 1)
        if isinstance(prompt, Rejected):
            return prompt
        back = await _said(ask, _read_prompt(prompt, item.scenario), f"read/{number}", number - 1)
        if isinstance(back, Rejected):
            return back
        why = _difference(item, back)
        if not why:
            return Composed(item.formula, " ".join(prompt.split()), item.scenario)
        problems.append(why)
    return Rejected(item.formula, f"after {rounds + 1} tries: {problems[-1]}")


def _difference(item: Composed, back: str) -> str:
    """Return why what was read back is not the formula; empty where it is."""
    text = back.strip().strip("`").removeprefix("lisp").strip()
    try:
        formula = parse(text)
        if wrong := [one for one in check(text, VOCABULARIES[item.scenario]).findings if one.severity == "error"]:
            return f"read back, it is no formula of this vocabulary: {wrong[0].message}"
        apart = told_apart(item.formula, formula, item.scenario)
    except TsgkitError as error:
        return f"read back, it is no formula: {error.message}"
    return "it could not be decided whether the words say the same" if apart is None else apart


async def _said(ask: Ask, prompt: str, label: str, draw: int) -> Any:  # noqa: ANN401  (a text, or Rejected)
    from langchain_core.messages import HumanMessage

    reply = await ask([HumanMessage(content=prompt)], label=label, draw=draw)
    if reply.ending is Ending.COMPLETE and (reply.text or "").strip():
        return reply.text
    why = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
    return Rejected(And(()), f"{label} brought no answer: {why}", is_failure=reply.ending is Ending.API_ERROR)


@cache
def _template(name: str) -> Template:
    return load_template(find("prompts", f"formalimg/make/{name}.txt"), required=FIELDS[name])


def templates_text() -> str:
    """Return all texts that a model is asked with: part of what identifies work under way."""
    return "\0".join(_template(name).text for name in FIELDS)


def _write_prompt(item: Composed, problems: Sequence[str]) -> str:
    told = "".join(f"\nAn earlier attempt was wrong: {problem}" for problem in problems)
    return _template("write").render(formula=text_of(item.formula), reading=reading_of(item.formula), problems=told)


def _read_prompt(instruction: str, scenario: Scenario) -> str:
    vocabulary = VOCABULARIES[scenario]
    values = {value for values in vocabulary.values.values() for value in values}
    return _template("read").render(
        predicates="\n".join(_predicates(scenario)),
        classes=", ".join(vocabulary.classes),
        values=", ".join(sorted(values)),
        instruction=instruction,
    )


def _predicates(scenario: Scenario) -> Iterator[str]:
    for name, kinds in VOCABULARIES[scenario].predicates.items():
        yield f"  ({name} {' '.join('?x' if kind == 'variable' else kind for kind in kinds)})"
