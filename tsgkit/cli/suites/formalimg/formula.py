"""First-order formulas about layouts: check or show one, verify a layout against it, find or repair a layout.

tsgkit formula check "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
tsgkit formula show @formula.txt
tsgkit formula verify @formula.txt layout.json
tsgkit formula verify @formula.txt layout.json --profile official --json
tsgkit formula solve @formula.txt -o layout.json --draw layout.svg
tsgkit formula repair @formula.txt layout.json -o fixed.json

A formula is given as text, as @FILE, or as a file name; - is standard input. A layout looks like this:
{"objects": [{"label": "cup", "color": "red", "box_2d": [0, 0, 100, 100]}]}, on a canvas of 1000 by 1000.
The exit code of verify does not depend on the verdict; solve and repair exit with 1 if they find no layout.
A command may take ten seconds, or --seconds N; after that the result is "not decided".
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.terminal import complain, count, inert, say, say_json, say_lines
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, FileProblem, NotationError, UsageError
from tsgkit.library.files import (
    STDIN,
    read_text,
    refuse_to_overwrite,
    refuse_to_overwrite_sources,
    refuse_to_replace_data,
    require_folder,
    write_text,
)

if TYPE_CHECKING:
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.formula import Formula
    from tsgkit.logic.repairs import Repair
    from tsgkit.logic.solver import Solution

SECONDS = 10.0
"""The default time limit of a command."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of this command."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    check = verbs.add_parser("check", help="check syntax, scope, names and values, and the published readers")
    check.add_argument("--scenario", default="knolling", choices=("knolling", "natural"), help="default: knolling")
    show = verbs.add_parser("show", help="show it in plain English, with K, closures, lifted form and clauses")
    verify = verbs.add_parser("verify", help="verify a layout against it, with a trace")
    solve = verbs.add_parser("solve", help="find a neat layout that satisfies it, or the parts that conflict")
    repair = verbs.add_parser("repair", help="find the smallest change that makes a layout satisfy it")
    for verb in (check, show, verify, solve, repair):
        verb.add_argument("formula", metavar="FORMULA", help="the text, @FILE, a file's name, or -")
        if verb in (solve, repair):
            verb.add_argument("-o", "--out", metavar="JSON", help="the layout to write; - is standard output")
            verb.add_argument("--force", action="store_true", help="replace existing files")
            verb.add_argument("--draw", metavar="SVG", help="also draw the layout")
            verb.add_argument("--seed", type=int, default=0, help="seed of the layout; default: 0")
        verb.add_argument("--json", action="store_true", help="print one JSON object")
        about = "what takes longer is not decided; default: 10"
        verb.add_argument("--seconds", type=_seconds, default=SECONDS, metavar="N", help=about)
        if verb in (verify, repair):
            verb.add_argument("layout", metavar="LAYOUT", help="a file of JSON: a layout, or the list of its objects")
    verify.add_argument("--profile", default="strict", choices=("official", "strict"), help="default: strict")
    verify.add_argument("--distinct", action="store_true", help="different variables stand for different objects")
    verify.add_argument("--grounded", action="store_true", help="boxes come from an image and may overlap a little")
    verify.add_argument("--work", type=_steps, metavar="N", help="maximum number of steps for a verdict")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return seconds


def _steps(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10**12:
        raise argparse.ArgumentTypeError(f"{text} is not a number of steps")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen verb."""
    verbs = {"check": _check, "show": _show, "verify": _verify, "solve": _solve, "repair": _solve}
    return verbs[arguments.verb](arguments)


def _formula_text(words: str) -> str:
    """Return the text of a formula given as text, as @FILE, as a file name or as - for standard input."""
    if words.lstrip().startswith("("):
        return words
    if not words.strip():
        raise UsageError("no formula given", hint="a formula looks like (exists ?x (Is ?x 'cup'))")
    try:
        return read_text(words.removeprefix("@")).strip()
    except FileProblem as problem:
        if words.startswith("@") or words == STDIN:
            raise
        hint = problem.hint or "a formula begins with (; a file of one can be named as it is or as @FILE"
        raise FileProblem(problem.message, hint=hint) from None


def _read_formula(words: str) -> Formula:
    """Return the parsed formula. Errors name the file if there is one."""
    from tsgkit.logic.parser import FormulaProblem, parse

    text = _formula_text(words)
    try:
        return parse(text)
    except FormulaProblem as problem:
        where = "" if text == words else f"{words.removeprefix('@')}: "
        hint = problem.hint or "tsgkit formula check says more"
        raise NotationError(f"{where}{problem}", hint=hint) from None


def _read_layout(path: str) -> object:
    """Return the value of a JSON file; a list is read as the objects of a layout."""
    text = read_text(path)
    try:
        value = json.loads(text)
    except RecursionError:
        raise FileProblem(f"{path}: nested too deeply for a layout") from None
    except ValueError as error:
        raise FileProblem(f"{path}: not JSON: {error}", hint="tsgkit formula --help shows a layout") from None
    if isinstance(value, dict) and "objects" not in value:
        complain(f"{path}: has no key objects, so it is read as an empty scene")
    return {"objects": value} if isinstance(value, list) else value


def _check(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.lint import check
    from tsgkit.logic.published_readers import as_published
    from tsgkit.logic.vocabulary import SCENARIOS

    text, scenario = _formula_text(arguments.formula), arguments.scenario
    checked, official = check(text, SCENARIOS[scenario]), as_published(text)
    fault, errors, warnings = checked.published_fault, checked.errors, len(checked.findings) - checked.errors
    satisfiable = None
    if checked.formula and not errors:
        satisfiable = _satisfiable(checked.formula, Budget(arguments.seconds, time.monotonic))
    if arguments.json:
        names = ("code", "severity", "place", "message", "hint")
        findings = [{name: getattr(finding, name) for name in names} for finding in checked.findings]
        value = {
            "scenario": scenario,
            "findings": [finding | {"place": finding["place"]._asdict()} for finding in findings],
            "errors": errors,
            "warnings": warnings,
            "published_fault": fault,
            "readers_differ": [condition.code for condition in official.conditions],
        }
        say_json(value if satisfiable is None else value | {"satisfiable": satisfiable})
    else:
        for finding in checked.findings:
            say(inert(str(finding)))
        if not checked.findings:
            is_doubtful = (satisfiable or "").startswith(("no:", "no ", "not decided"))
            say(f"{'well written' if is_doubtful else 'nothing to complain about'} ({scenario})")
        say("the published validator " + (f"refuses it: {inert(fault)}" if fault else "accepts it"))
        if satisfiable is not None:
            say(f"satisfiable: {inert(satisfiable)}")
        say(f"{count(errors, 'error')}, {count(warnings, 'warning')}")
    return FINISHED_WITH_ERRORS if errors else GOOD


def _satisfiable(formula: Formula, budget: Budget) -> str:
    """Return whether a layout satisfies a formula, or for a natural scene a plausible world with one object for each
    variable; or why that is unknown."""
    from tsgkit.logic.budget import OutOfBudget
    from tsgkit.logic.formula import atoms_of
    from tsgkit.logic.scene_models import world_of
    from tsgkit.logic.solver import solve
    from tsgkit.logic.vocabulary import KNOLLING, NATURAL

    only_natural = set(NATURAL.predicates) - set(KNOLLING.predicates)
    try:
        if any(atom.name in only_natural for atom in atoms_of(formula)):
            is_world = world_of(formula, budget=budget) is not None
            no_world = "no world with one object per variable was found"
            return "yes, in a world without contradictions" if is_world else no_world
        solution = solve(formula, budget=budget)
    except OutOfBudget as out:
        return f"not decided (the search was given up after {out})"
    except UsageError as problem:
        return f"not tried: {problem.message}" + (f" ({problem.hint})" if problem.hint else "")
    if solution.layout is None:
        return solution.text.replace("unsatisfiable", "no", 1)
    note = f" ({solution.note})" if solution.note else ""
    return f"yes, by a layout of {count(len(solution.layout.objects), 'object')}{note}"


def _show(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.budget import Budget, OutOfBudget
    from tsgkit.logic.clauses import category, clause_form, closures, k_as_defined, object_classes
    from tsgkit.logic.english import reading_of
    from tsgkit.logic.formula import free_variables, lifted, text_of

    formula = _read_formula(arguments.formula)
    reading, budget = reading_of(formula), Budget(arguments.seconds, time.monotonic)
    names = ", ".join(sorted(variable.name for variable in free_variables(formula)))
    warnings = [f"nothing binds {names}: no layout makes such a formula true or false"] if names else []
    for warning in () if arguments.json else warnings:
        complain(f"warning: {warning}")
    try:
        form, published = (clause_form(formula, official=is_official, budget=budget) for is_official in (False, True))
    except OutOfBudget as out:
        note = f"not decided in {out}: its clause form"
        if arguments.json:
            say_json({"status": "not decided", "reading": reading, "warnings": warnings, "note": note})
        else:
            say_lines((inert(reading), f"{note} (--seconds gives it more)"))
        return FINISHED_WITH_ERRORS
    components: list[dict[str, Any]] = [
        {
            "prefix": [f"{bound.quantifier.__name__.lower()} {bound.variable.name}" for bound in part.prefix],
            "clauses": [{"text": text_of(clause), "category": category(clause)} for clause in part.clauses],
        }
        for part in form.components
    ]
    value: dict[str, Any] = {
        "formula": text_of(formula),
        "reading": reading,
        "k": form.k,
        "k_as_defined": k_as_defined(formula),
        "classes": list(object_classes(formula)),
        "closures": [sorted(variable.name for variable in group) for group in closures(formula)],
        "lifted": text_of(lifted(formula)),
        "components": components,
        "numbers": list(map(text_of, form.quantities)),
        "published_form": published.text if published.unordered != form.unordered else None,
        "warnings": warnings,
    }
    if arguments.json:
        say_json(value)
        return GOOD
    by_definition = "" if value["k"] == value["k_as_defined"] else f" ({value['k_as_defined']} by its definition)"
    lines = [
        *(reading, "", f"formula   {value['formula']}", f"lifted    {value['lifted']}"),
        f"K         {value['k']}{by_definition}",
        f"classes   {', '.join(value['classes']) or 'none'}",
        f"closures  {'; '.join(map(' '.join, value['closures'])) or 'none'}",
    ]
    for number, component in enumerate(components, 1):
        lines.append(f"component {number}: {', '.join(component['prefix']) or 'no quantifier'}")
        lines += [f"  {clause['category']:<10}{clause['text']}" for clause in component["clauses"]]
    lines += [f"  {'number':<10}{text}" for text in value["numbers"]]
    if value["published_form"]:
        lines.append(f"published clause form (it drops disjuncts): {value['published_form']}")
    say_lines(map(inert, lines))
    return GOOD


def _verify(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.verdicts import WORK
    from tsgkit.logic.verification import verify

    layout = _read_layout(arguments.layout)
    is_official = arguments.profile == "official"
    if is_official and (arguments.distinct or arguments.grounded):
        raise UsageError("--distinct and --grounded are for the profile strict")
    verdict = verify(
        _formula_text(arguments.formula) if is_official else _read_formula(arguments.formula),
        layout,
        arguments.profile,
        distinct=arguments.distinct,
        grounded=arguments.grounded,
        work=arguments.work or WORK,
        budget=Budget(arguments.seconds, time.monotonic),
    )
    if arguments.json:
        say_json(verdict.value())
        return GOOD
    truth = {True: "true", False: "false", None: "not decided"}[verdict.truth]
    status = "" if verdict.status == "decided" else f", {verdict.status}"
    reason = ": ".join(filter(None, [verdict.reason, verdict.detail]))
    say(f"{truth} ({verdict.profile}{status})" + (f": {inert(reason)}" if reason else ""))
    if verdict.trace:
        say_lines(map(inert, verdict.trace.text.split("\n")))
    return GOOD


def _solve(arguments: argparse.Namespace) -> int:
    """Find or repair a layout; write and draw it."""
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.layouts import drawn
    from tsgkit.logic.repairs import repair
    from tsgkit.logic.solver import solve

    formula, out, draw = _read_formula(arguments.formula), arguments.out, arguments.draw
    layout = arguments.layout if arguments.verb == "repair" else None
    scene = None if layout is None else _read_layout(layout)
    source = None if arguments.formula.lstrip().startswith("(") else arguments.formula.removeprefix("@")
    for target in filter(None, (out, draw)):
        if target != STDIN:
            require_folder(target)
        refuse_to_overwrite_sources(target, source, layout)
    if arguments.json and out == STDIN:
        raise UsageError("--json and -o - both write to standard output", hint="the JSON object holds the layout")
    if draw is not None and Path(draw).suffix.lower() != ".svg":
        raise UsageError(f"{draw}: an image is SVG", hint="give it a name that ends in .svg")
    if draw is not None and draw == out:
        raise UsageError("the layout and the image cannot be one file")
    limits: dict[str, Any] = {"seed": arguments.seed, "budget": Budget(arguments.seconds, time.monotonic)}
    result = solve(formula, **limits) if layout is None else repair(formula, scene, **limits)
    if result.layout is not None:
        text = json.dumps(result.layout.value, indent=2)
        if draw:
            refuse_to_replace_data(draw, drawn(result.layout))
        if out == STDIN:
            say(text)
        elif out:
            refuse_to_overwrite(out, force=arguments.force, text=text + "\n")
            write_text(out, text + "\n")
        if draw:
            write_text(draw, drawn(result.layout))
    elif out or draw:
        complain("there is no layout to write")
    if arguments.json:
        say_json(result.value())
    elif out != STDIN:
        say_lines(map(inert, _result_lines(result)))
    return GOOD if result.layout else FINISHED_WITH_ERRORS


def _result_lines(result: Solution | Repair) -> Iterator[str]:
    from tsgkit.logic.repairs import Repair

    if isinstance(result, Repair):
        if result.status == "not decided":
            yield "not decided: no repair was found"
        elif result.layout is None:
            yield "no repair: the formula cannot be satisfied; tsgkit formula solve says why"
        elif not result.changes:
            yield "nothing to repair: the layout satisfies the formula"
        else:
            limited = "a smaller change may suffice: the time limit was reached"
            least = "no smaller change suffices" if result.least else limited
            yield f"{count(len(result.changes), 'change')} ({least}):"
            yield from (f"  - {words}" for words in result.changes)
    elif result.conflict:
        yield "unsatisfiable; together, these cannot hold:"
        yield from (f"  - {words}" for words in result.conflict)
    else:
        yield result.text
        for thing in result.layout.objects if result.layout else ():
            words = " ".join(filter(None, (thing.color, thing.label.replace("_", " "))))
            yield f"  {words:<28} {[round(edge, 2) for edge in thing.box]}"
        return
    if result.note:
        yield f"({result.note})"
