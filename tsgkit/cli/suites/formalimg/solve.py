"""The verbs of ``tsgkit formula`` that search for layouts: solve and repair, and the satisfiability check."""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.library.files import require_folder, write_text
from tsgkit.library.overwrites import refuse_to_overwrite, refuse_to_overwrite_sources, refuse_to_replace_data

if TYPE_CHECKING:
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.formula import Formula
    from tsgkit.logic.layouts import Layout
    from tsgkit.logic.repairs import Repair
    from tsgkit.logic.solver import Solution

SECONDS = 10.0
"""The default time limit of a command."""


def add_arguments(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs solve and repair."""
    solve = verbs.add_parser("solve", help="find a neat layout that satisfies it, or the parts that conflict")
    repair = verbs.add_parser("repair", help="find the smallest change that makes a layout satisfy it")
    for verb in (solve, repair):
        verb.add_argument("formula", metavar="FORMULA", help="the text, @FILE, a file's name, or -")
        verb.add_argument("-o", "--out", metavar="JSON", help="the layout to write; - is standard output")
        verb.add_argument("--force", action="store_true", help="replace existing files")
        verb.add_argument("--draw", metavar="SVG", help="also draw the layout")
        verb.add_argument("--seed", type=int, default=0, help="seed of the layout; default: 0")
        verb.add_argument("--json", action="store_true", help="print one JSON object")
        add_seconds(verb)
    repair.add_argument("layout", metavar="LAYOUT", help="a file of JSON: a layout, or the list of its objects")


def add_seconds(verb: argparse.ArgumentParser) -> None:
    """Add the option --seconds."""
    verb.add_argument(
        "--seconds", type=_seconds, default=SECONDS, metavar="N", help="what takes longer is not decided; default: 10"
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return seconds


def budget_of(arguments: argparse.Namespace) -> Budget:
    """Return the budget of a command, starting now."""
    from tsgkit.logic.budget import Budget

    return Budget(arguments.seconds, time.monotonic)


def solve(arguments: argparse.Namespace, formula: Formula) -> int:
    """Solve a formula; write and draw the layout."""
    from tsgkit.logic.solver import solve as solve_formula

    _check_targets(arguments)
    solution = solve_formula(formula, seed=arguments.seed, budget=budget_of(arguments))
    _write(arguments, solution.layout)
    if arguments.json:
        say(json.dumps(solution.value(), indent=2))
    elif arguments.out != "-":
        _print_solution(solution)
    return GOOD if solution.layout else FINISHED_WITH_ERRORS


def _print_solution(solution: Solution) -> None:
    if not solution.conflict:
        say(inert(solution.text))
        if solution.layout:
            _print_layout(solution.layout)
        return
    say("unsatisfiable; together, these cannot hold:")
    for words in solution.conflict:
        say(f"  - {inert(words)}")
    if solution.note:
        say(f"({inert(solution.note)})")


def _print_layout(layout: Layout) -> None:
    for thing in layout.objects:
        words = " ".join(filter(None, (thing.color, thing.label.replace("_", " "))))
        say(f"  {inert(words):<28} {[round(edge, 2) for edge in thing.box]}")


def repair(arguments: argparse.Namespace, formula: Formula, scene: object) -> int:
    """Repair a layout; write and draw the result."""
    from tsgkit.logic.repairs import repair as repair_layout

    _check_targets(arguments)
    repaired = repair_layout(formula, scene, seed=arguments.seed, budget=budget_of(arguments))
    _write(arguments, repaired.layout)
    if arguments.json:
        say(json.dumps(repaired.value(), indent=2))
    elif arguments.out != "-":
        _print_repair(repaired)
    return GOOD if repaired.layout else FINISHED_WITH_ERRORS


def _print_repair(repaired: Repair) -> None:
    if repaired.status == "not decided":
        say("not decided: no repair was found")
    elif repaired.layout is None:
        say("no repair: the formula cannot be satisfied; tsgkit formula solve says why")
    elif not repaired.changes:
        say("nothing to repair: the layout satisfies the formula")
    else:
        least = (
            "no smaller change suffices"
            if repaired.least
            else "a smaller change may suffice: the time limit was reached"
        )
        say(f"{count(len(repaired.changes), 'change')} ({least}):")
        for words in repaired.changes:
            say(f"  - {inert(words)}")
    if repaired.note:
        say(f"({inert(repaired.note)})")


def satisfiable(formula: Formula, budget: Budget) -> tuple[str, str]:
    """Return whether a layout satisfies a formula, or why that is unknown, for the output of check."""
    from tsgkit.logic.solver import solve as solve_formula

    if not _is_of_layouts(formula):
        return "satisfiable", _in_a_world(formula, budget)
    try:
        solution = solve_formula(formula, budget=budget)
    except UsageError as problem:
        return "satisfiable", f"not tried: {problem.message}" + (f" ({problem.hint})" if problem.hint else "")
    if solution.layout is None:
        return "satisfiable", solution.text.replace("unsatisfiable", "no", 1)
    note = f" ({solution.note})" if solution.note else ""
    return "satisfiable", f"yes, by a layout of {count(len(solution.layout.objects), 'object')}{note}"


def _is_of_layouts(formula: Formula) -> bool:
    """Return whether all predicates are about boxes on a canvas, rather than a natural scene."""
    from tsgkit.logic.formula import atoms_of
    from tsgkit.logic.vocabulary import KNOLLING, NATURAL

    only_natural = set(NATURAL.predicates) - set(KNOLLING.predicates)
    return not any(atom.name in only_natural for atom in atoms_of(formula))


def _in_a_world(formula: Formula, budget: Budget) -> str:
    """Return whether a plausible world makes a natural formula true, with one object per variable."""
    from tsgkit.logic.budget import OutOfBudget
    from tsgkit.logic.scene_models import world_of

    try:
        world = world_of(formula, budget=budget)
    except OutOfBudget as out:
        return f"not decided (the search was given up after {out})"
    except UsageError as problem:
        return f"not tried: {problem.message}" + (f" ({problem.hint})" if problem.hint else "")
    return (
        "no world with one object per variable was found" if world is None else "yes, in a world without contradictions"
    )


def _check_targets(arguments: argparse.Namespace) -> None:
    formula = arguments.formula.removeprefix("@") if not arguments.formula.lstrip().startswith("(") else None
    given = [formula, getattr(arguments, "layout", None)]
    for target in (arguments.out, arguments.draw):
        if target not in (None, "-"):
            require_folder(target)
        if target is not None:
            refuse_to_overwrite_sources(target, *given)
    if arguments.json and arguments.out == "-":
        raise UsageError("--json and -o - both write to standard output", hint="the JSON object holds the layout")
    if arguments.draw is not None and not arguments.draw.lower().endswith(".svg"):
        raise UsageError(f"{arguments.draw}: an image is SVG", hint="give it a name that ends in .svg")
    if arguments.draw is not None and arguments.draw == arguments.out:
        raise UsageError("the layout and the image cannot be one file")


def _write(arguments: argparse.Namespace, layout: Layout | None) -> None:
    """Write the result to the requested files."""
    from tsgkit.logic.svg import drawn

    if layout is None:
        if arguments.out or arguments.draw:
            complain("there is no layout to write")
        return
    text = json.dumps(layout.value, indent=2)
    if arguments.draw:
        refuse_to_replace_data(arguments.draw, drawn(layout))
    if arguments.out == "-":
        say(text)
    elif arguments.out:
        refuse_to_overwrite(arguments.out, force=arguments.force, text=text + "\n")
        write_text(arguments.out, text + "\n")
    if arguments.draw:
        write_text(arguments.draw, drawn(layout))
