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
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tsgkit.cli.suites.formalimg import solve
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, FileProblem, NotationError, UsageError
from tsgkit.library.files import STDIN, read_text

if TYPE_CHECKING:
    from tsgkit.logic.budget import Budget
    from tsgkit.logic.clauses import ClauseForm
    from tsgkit.logic.formula import Formula
    from tsgkit.logic.lint import Checked
    from tsgkit.logic.published_readers import Taken
    from tsgkit.logic.verdicts import Verdict

FURTHER_CHECKS: list[Callable[[Formula, Budget], tuple[str, str]]] = [solve.satisfiable]
"""Further checks of a formula without errors, within a budget: each returns a name and a result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of this command."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    check = verbs.add_parser("check", help="check syntax, scope, names and values, and the published readers")
    check.add_argument("--scenario", default="knolling", choices=("knolling", "natural"), help="default: knolling")
    show = verbs.add_parser("show", help="show it in plain English, with K, closures, lifted form and clauses")
    verify = verbs.add_parser("verify", help="verify a layout against it, with a trace")
    for verb in (check, show, verify):
        verb.add_argument("formula", metavar="FORMULA", help="the text, @FILE, a file's name, or -")
        verb.add_argument("--json", action="store_true", help="print one JSON object")
        solve.add_seconds(verb)
    verify.add_argument("layout", metavar="LAYOUT", help="a file of JSON: a layout, or the list of its objects")
    verify.add_argument("--profile", default="strict", choices=("official", "strict"), help="default: strict")
    verify.add_argument("--distinct", action="store_true", help="different variables stand for different objects")
    verify.add_argument("--grounded", action="store_true", help="boxes come from an image and may overlap a little")
    verify.add_argument("--work", type=_steps, default=None, metavar="N", help="maximum number of steps for a verdict")
    solve.add_arguments(verbs)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen verb."""
    verbs = {"check": _check, "show": _show, "verify": _verify, "solve": _solve, "repair": _repair}
    return verbs[arguments.verb](arguments)


def formula_text(given: str) -> str:
    """Return the text of a formula given as text, as @FILE, as a file name or as - for standard input."""
    if given.lstrip().startswith("("):
        return given
    if not given.strip():
        raise UsageError("no formula given", hint="a formula looks like (exists ?x (Is ?x 'cup'))")
    path = given.removeprefix("@")
    try:
        return read_text(path).strip()
    except FileProblem as problem:
        if given.startswith("@") or given == STDIN:
            raise
        hint = problem.hint or "a formula begins with (; a file of one can be named as it is or as @FILE"
        raise FileProblem(problem.message, hint=hint) from None


def read_formula(given: str) -> tuple[str, Formula]:
    """Return the text and the parsed formula. Errors name the file if there is one."""
    from tsgkit.logic.parser import FormulaProblem, parse

    text = formula_text(given)
    try:
        return text, parse(text)
    except FormulaProblem as problem:
        place = "" if text == given else f"{given.removeprefix('@')}: "
        hint = problem.hint or "tsgkit formula check says more"
        raise NotationError(f"{place}{problem}", hint=hint) from None


def read_layout(path: str) -> object:
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


def _steps(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10**12:
        raise argparse.ArgumentTypeError(f"{text} is not a number of steps")
    return int(text)


def _check(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.lint import check
    from tsgkit.logic.published_readers import as_published
    from tsgkit.logic.vocabulary import SCENARIOS

    text, budget = formula_text(arguments.formula), solve.budget_of(arguments)
    checked, taken = check(text, SCENARIOS[arguments.scenario]), as_published(text)
    further = [one(checked.formula, budget) for one in FURTHER_CHECKS] if checked.formula and not checked.errors else []
    if arguments.json:
        say(json.dumps(_check_value(arguments.scenario, checked, taken) | dict(further), indent=2))
    else:
        _print_check(arguments.scenario, checked, further)
    return FINISHED_WITH_ERRORS if checked.errors else GOOD


def _check_value(scenario: str, checked: Checked, taken: Taken) -> dict[str, Any]:
    findings = [
        {
            "code": finding.code,
            "severity": finding.severity,
            "place": finding.place._asdict(),
            "message": finding.message,
            "hint": finding.hint,
        }
        for finding in checked.findings
    ]
    return {
        "scenario": scenario,
        "findings": findings,
        "errors": checked.errors,
        "warnings": len(findings) - checked.errors,
        "published_fault": checked.published_fault,
        "readers_differ": [condition.code for condition in taken.conditions],
    }


def _print_check(scenario: str, checked: Checked, further: list[tuple[str, str]]) -> None:
    for finding in checked.findings:
        say(inert(str(finding)))
    if not checked.findings:
        doubtful = any(found.startswith(("no:", "no ", "not decided")) for _, found in further)
        say(f"{'well written' if doubtful else 'nothing to complain about'} ({scenario})")
    fault = checked.published_fault
    say("the published validator " + (f"refuses it: {inert(fault)}" if fault else "accepts it"))
    for name, found in further:
        say(f"{name}: {inert(found)}")
    say(f"{count(checked.errors, 'error')}, {count(len(checked.findings) - checked.errors, 'warning')}")


def _show(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.budget import OutOfBudget
    from tsgkit.logic.clauses import clause_form, closures, k_as_defined, object_classes
    from tsgkit.logic.english import reading_of
    from tsgkit.logic.lifting import lifted
    from tsgkit.logic.printer import text_of

    _, formula = read_formula(arguments.formula)
    warnings = _unbound(formula)
    budget = solve.budget_of(arguments)
    try:
        form, published = (clause_form(formula, official=one, budget=budget) for one in (False, True))
    except OutOfBudget as out:
        return _undecided_form(arguments, reading_of(formula), warnings, f"not decided in {out}: its clause form")
    value = {
        "formula": text_of(formula),
        "reading": reading_of(formula),
        "k": form.k,
        "k_as_defined": k_as_defined(formula),
        "classes": list(object_classes(formula)),
        "closures": [sorted(variable.name for variable in group) for group in closures(formula)],
        "lifted": text_of(lifted(formula)),
        "components": _components(form),
        "numbers": [text_of(one) for one in form.quantities],
        "published_form": published.text if published.unordered != form.unordered else None,
        "warnings": warnings,
    }
    if arguments.json:
        say(json.dumps(value, indent=2))
    else:
        _print_show(value)
    return GOOD


def _unbound(formula: Formula) -> list[str]:
    """Return a warning about unbound variables, if there are any."""
    from tsgkit.logic.formula import free_variables

    names = ", ".join(sorted(variable.name for variable in free_variables(formula)))
    return [f"nothing binds {names}: no layout makes such a formula true or false"] if names else []


def _undecided_form(arguments: argparse.Namespace, reading: str, warnings: list[str], note: str) -> int:
    """Show a formula whose clause form takes too long."""
    if arguments.json:
        say(json.dumps({"status": "not decided", "reading": reading, "warnings": warnings, "note": note}, indent=2))
    else:
        _print_warnings(warnings)
        say(inert(reading))
        say(f"{note} (--seconds gives it more)")
    return FINISHED_WITH_ERRORS


def _print_warnings(warnings: list[str]) -> None:
    for warning in warnings:
        complain(f"warning: {warning}")


def _components(form: ClauseForm) -> list[dict[str, Any]]:
    from tsgkit.logic.clauses import category
    from tsgkit.logic.printer import text_of

    return [
        {
            "prefix": [f"{bound.quantifier.__name__.lower()} {bound.variable.name}" for bound in component.prefix],
            "clauses": [{"text": text_of(clause), "category": category(clause)} for clause in component.clauses],
        }
        for component in form.components
    ]


def _print_show(value: dict[str, Any]) -> None:
    _print_warnings(value["warnings"])
    say(inert(value["reading"]))
    say()
    say(f"formula   {inert(value['formula'])}")
    say(f"lifted    {inert(value['lifted'])}")
    apart = "" if value["k"] == value["k_as_defined"] else f" ({value['k_as_defined']} by its definition)"
    say(f"K         {value['k']}{apart}")
    say(f"classes   {inert(', '.join(value['classes'])) or 'none'}")
    say(f"closures  {inert('; '.join(' '.join(group) for group in value['closures'])) or 'none'}")
    for number, component in enumerate(value["components"], 1):
        say(f"component {number}: {inert(', '.join(component['prefix'])) or 'no quantifier'}")
        for clause in component["clauses"]:
            say(f"  {clause['category']:<10}{inert(clause['text'])}")
    for text in value["numbers"]:
        say(f"  {'number':<10}{inert(text)}")
    if value["published_form"]:
        say(f"published clause form (it drops disjuncts): {inert(value['published_form'])}")


def _verify(arguments: argparse.Namespace) -> int:
    from tsgkit.logic.verdicts import WORK
    from tsgkit.logic.verification import verify

    layout = read_layout(arguments.layout)
    official = arguments.profile == "official"
    if official and (arguments.distinct or arguments.grounded):
        raise UsageError("--distinct and --grounded are for the profile strict")
    formula = formula_text(arguments.formula) if official else read_formula(arguments.formula)[1]
    verdict = verify(
        formula,
        layout,
        arguments.profile,
        distinct=arguments.distinct,
        grounded=arguments.grounded,
        work=arguments.work or WORK,
        budget=solve.budget_of(arguments),
    )
    if arguments.json:
        say(json.dumps(verdict.value(), indent=2))
    else:
        _print_verdict(verdict)
    return GOOD


def _solve(arguments: argparse.Namespace) -> int:
    return solve.solve(arguments, read_formula(arguments.formula)[1])


def _repair(arguments: argparse.Namespace) -> int:
    formula, scene = read_formula(arguments.formula)[1], read_layout(arguments.layout)
    return solve.repair(arguments, formula, scene)


def _print_verdict(verdict: Verdict) -> None:
    truth = {True: "true", False: "false", None: "not decided"}[verdict.truth]
    status = "" if verdict.status == "decided" else f", {verdict.status}"
    reason = ": ".join(filter(None, [verdict.reason, verdict.detail]))
    say(f"{truth} ({verdict.profile}{status})" + (f": {inert(reason)}" if reason else ""))
    if verdict.trace:
        say("\n".join(inert(line) for line in verdict.trace.text.split("\n")))
