"""Maker of items: a sampled formula, an instruction that expresses it, and proofs that the item is sound.

>>> item = composed(2, "knolling", seed=3)
>>> faults(item.formula, "knolling", 2)
[]
>>> faults(item.formula, "knolling", 3)
['its K is 2, not 3']

The formula is sampled, not made by a model, so its K, its vocabulary and its satisfiability are known. The instruction
is worded by rules or by a model. A second call, which sees only the model's words, translates them back into a formula.
The item is kept only if no layout distinguishes the two formulas; otherwise that layout is the reason for rejection.
For natural scenes, worlds of relations take the place of layouts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.reply import Ask, Ending
from tsgkit.logic.budget import OutOfBudget
from tsgkit.logic.clauses import clause_form, object_classes
from tsgkit.logic.english import reading_of
from tsgkit.logic.formula import And, Formula, Not, text_of
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.samples import Scenario, Twist
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS as VOCABULARIES

TWISTS: tuple[Twist, ...] = ("", "", "or", "", "not")
"""The twists of items, used in turn."""
MOST_GROUPS = 1_000_000
"""The distance between the seeds of groups, so that no two items share one."""
EFFORT = 10.0
FIELDS = {
    "write": ("formula", "reading", "problems"),
    "read": ("predicates", "classes", "values", "instruction"),
}


@dataclass(frozen=True)
class Composed:
    """A formula and the instruction that expresses it."""

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
    """A rejected item and the reason."""

    formula: Formula
    reason: str
    is_failure: bool = False
    """True if the service failed rather than the item."""


def composed(k: int, scenario: Scenario, seed: int, objects: int | None = None) -> Composed:
    """Make an item by rules: every other seed has a universal quantifier, some an or, some a not.

    More ``objects`` than K form unrelated groups of K (the last may be smaller). Of several groups, only the last has
    a universal quantifier.
    """
    from tsgkit.logic.english import instruction
    from tsgkit.logic.formula import conjuncts
    from tsgkit.logic.plausibility import clash
    from tsgkit.logic.samples import Configuration, configuration, formula_of

    is_universal = bool(seed % 2)
    if objects is None or objects == k:
        twist = TWISTS[seed // 2 % len(TWISTS)] if k > 1 else ""
        formula = formula_of(configuration(k, scenario, seed, universal=is_universal, twist=twist))
        return Composed(formula, instruction(formula, scenario, seed), scenario)
    groups: list[Configuration] = []
    used: set[str] = set()
    numbers = count(seed * MOST_GROUPS)
    while size := min(k, objects - len(used)):
        universal = is_universal and size == objects - len(used)
        group = configuration(size, scenario, next(numbers), universal=universal)
        if used.isdisjoint(group.classes) and not any(clash(label, used) for label in group.classes):
            groups.append(group if not groups else replace(group, style=None))
            used.update(group.classes)
    formula = And(tuple(part for group in groups for part in conjuncts(formula_of(group))))
    return Composed(formula, instruction(formula, scenario, seed), scenario)


def faults(formula: Formula, scenario: Scenario, k: int) -> list[str]:
    """Return the reasons why a formula is not a sound item: its vocabulary, its K, or trivial or no satisfaction."""
    problems = [finding.message for finding in check(text_of(formula), VOCABULARIES[scenario]).findings]
    if (own_k := clause_form(formula).k) != k:
        problems.append(f"its K is {own_k}, not {k}")
    if problems:
        return problems
    _, why = _search(formula, scenario)
    if not why and scenario == "knolling" and verify(formula, {"objects": []}).truth is not False:
        why = "an empty scene satisfies it"
    return [why] if why else []


def distinguishing_layout(first: Formula, second: Formula, scenario: Scenario) -> str | None:
    """Describe a layout that satisfies only one of two formulas; empty if there is none, None if unknown."""
    if clause_form(first).unordered == clause_form(second).unordered:
        return ""
    for holds, fails, words in ((first, second, "more"), (second, first, "less")):
        witness, _ = _search(And((holds, Not(fails))), scenario)
        if witness is None:
            return None
        if witness:
            return f"the words require {words} or something else: {witness} fits one formula and not the other"
    return ""


def _search(formula: Formula, scenario: Scenario) -> tuple[str | None, str]:
    """Return what satisfies a formula (empty: nothing does; None: unknown), and what is wrong with it as an item."""
    if scenario == "natural":
        from tsgkit.logic.scene_models import world_of

        try:
            world = world_of(formula)
        except OutOfBudget as out:
            return None, f"no sensible world was found in {out}"
        if world is None:
            return "", "no sensible world satisfies it"
        return "a world in which " + "; ".join(sorted(map(str, world)))[:300], ""
    from tsgkit.logic.solver import BOTH, solve

    solution = solve(formula, effort=EFFORT)
    if solution.layout is None:
        return "" if solution.status == "unsatisfiable" else None, solution.text
    things = (f"{thing.label} at {[round(edge) for edge in thing.box]}" for thing in solution.layout.objects)
    return "a layout with " + ", ".join(things), "" if solution.profiles == BOTH else solution.note


async def written(item: Composed, ask: Ask, rounds: int = 2) -> Composed | Rejected:
    """Return the item in a model's words if they provably say the same. Differences are reported to the model."""
    problems: list[str] = []
    for number in range(1, rounds + 2):
        listed = "".join(f"\nAn earlier attempt was wrong: {problem}" for problem in problems)
        wording = _template("write").render(
            formula=text_of(item.formula), reading=reading_of(item.formula), problems=listed
        )
        prompt = await _reply(ask, wording, f"write/{number}", number - 1)
        if isinstance(prompt, Rejected):
            return prompt
        translation = _template("read").render(**vocabulary_text(item.scenario), instruction=prompt)
        back = await _reply(ask, translation, f"read/{number}", number - 1)
        if isinstance(back, Rejected):
            return back
        why = _difference(item, back)
        if not why:
            return Composed(item.formula, " ".join(prompt.split()), item.scenario)
        problems.append(why)
    return Rejected(item.formula, f"after {rounds + 1} tries: {problems[-1]}")


def _difference(item: Composed, back: str) -> str:
    """Return why the formula read back differs from the item's; empty if it does not."""
    text = back.strip().strip("`").removeprefix("lisp").strip()
    try:
        formula = parse(text)
        findings = check(text, VOCABULARIES[item.scenario]).findings
        if errors := [finding for finding in findings if finding.severity == "error"]:
            return f"read back, it is no formula of this vocabulary: {errors[0].message}"
        apart = distinguishing_layout(item.formula, formula, item.scenario)
    except TsgkitError as error:
        return f"read back, it is no formula: {error.message}"
    return "it could not be decided whether the words say the same" if apart is None else apart


async def _reply(ask: Ask, prompt: str, label: str, draw: int) -> Any:  # noqa: ANN401  (a text, or Rejected)
    from langchain_core.messages import HumanMessage

    reply = await ask([HumanMessage(content=prompt)], label=label, draw=draw)
    if reply.ending is Ending.COMPLETE and (reply.text or "").strip():
        return reply.text
    why = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
    return Rejected(And(()), f"{label} brought no answer: {why}", is_failure=reply.ending is Ending.API_ERROR)


@cache
def _template(name: str) -> Template:
    return load_template(find("prompts", f"formalimg/make/{name}.txt"), required=FIELDS[name])


@cache
def vocabulary_text(scenario: Scenario) -> dict[str, str]:
    """Return the names that a formula of a scenario may use, as the prompt lists them."""
    vocabulary = VOCABULARIES[scenario]
    forms = {
        name: " ".join("?x" if kind == "variable" else kind for kind in kinds)
        for name, kinds in vocabulary.predicates.items()
    }
    return {
        "predicates": "\n".join(f"  ({name} {form})" for name, form in forms.items()),
        "classes": ", ".join(vocabulary.classes),
        "values": ", ".join(sorted({value for values in vocabulary.values.values() for value in values})),
    }


def templates_text() -> str:
    """Return all prompt texts sent to a model. They are part of the identity of unfinished work."""
    return "\0".join(_template(name).text for name in FIELDS)
