"""Official verdicts: the behaviour of FormalImG's verifier on a text and a layout, including its crashes.

>>> scene = {"objects": [{"label": "cup", "color": "red", "box_2d": [0, 0, 100, 100]}]}
>>> verdict = verify_official("(exists ?x (and (Is ?x 'cup') (Has ?x 'blue')))", scene)
>>> verdict.truth, verdict.reason
(False, 'Exists ?x failed')
>>> print(verdict.trace.text)
✗ Exists ?x failed
└── ✗ Candidate #0 failed
    └── ✗ AND check failed
        ├── ✓ Object is 'cup'
        └── ✗ Has -> property 'blue' missing (label cup, box [0, 0, 100, 100])
>>> verify_official("(exists ?x (Likes ?x 'cup'))", scene).reason, verify_official("(exists ?x", scene).status
('Syntax Error', 'uncounted')

The text is lifted and read as the published programs do. A ``forall`` is false if the result of its body is vacuous for
every object; only an implication itself can be vacuous. If the published program would crash, the verdict is false,
with the reason that the program gives. Its time limit is a work limit here, with a status of its own. Layouts are not
validated: a box is read only if a predicate or the overlap check needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from tsgkit.logic.budget import Budget, OutOfWork
from tsgkit.logic.formula import COMPARE, Formula, text_of
from tsgkit.logic.layouts import RELATIONS, Box, Layout
from tsgkit.logic.published_readers import (
    CONDITIONS,
    FOLDED_HEADS,
    Raw,
    ReaderCrash,
    is_too_deep,
    lift,
    raw_text,
    read_lifting,
    read_verifier,
)
from tsgkit.logic.verdicts import WORK, Meter, Trace, Verdict

SIDES = {"OnLeftSide": "left", "OnRightSide": "right", "OnTopSide": "top", "OnBottomSide": "bottom"}
UNBOUND = -1
CRASHED = "Syntax Error"
NOT_EVALUATED = "the text is not evaluated"


def verify_official(
    formula: Formula | str, scene: object, *, work: int = WORK, budget: Budget | None = None
) -> Verdict:
    """Return the published verdict on a formula, or on a text that may not parse, and a layout as plain values."""
    text = formula if isinstance(formula, str) else text_of(formula)
    if is_too_deep(text):
        return Verdict(None, "official", "uncounted", NOT_EVALUATED, CONDITIONS["too-deep"])
    try:
        lifted = raw_text(lift(read_lifting(text)))
    except ReaderCrash as problem:
        return Verdict(None, "official", "uncounted", NOT_EVALUATED, problem.message)
    meter = Meter(work, budget)
    try:
        places: dict[str, int] = {}
        node = _Node(read_verifier(lifted), places)
        verifier = _Verifier(_objects(scene), places, meter)
        trace = verifier.result(node, [UNBOUND] * len(places))
    except ReaderCrash as problem:
        detail = f"the output of lifting cannot be read: {problem.message}"
        return Verdict(False, "official", "crashed", CRASHED, detail, work=meter.done)
    except _Crash as crash:
        return Verdict(False, "official", "crashed", CRASHED, str(crash), work=meter.done)
    except OutOfWork as limit:
        return Verdict(None, "official", "undecided", f"not decided in {limit}", work=meter.done)
    reason = "" if trace.truth else trace.message
    return Verdict(trace.truth, "official", "decided", reason, "", verifier.zero_triggers, meter.done, trace)


class _Crash(Exception):
    """An exception in the published verifier, of any kind."""


def _crash(reason: str) -> NoReturn:
    raise _Crash(reason)


Entry = dict[str, object]


def _objects(scene: object) -> list[Entry]:
    value = scene.value if isinstance(scene, Layout) else scene
    if not isinstance(value, dict):
        _crash("the layout is not an object")
    entries = value.get("objects", [])
    if not isinstance(entries, list):
        _crash("objects is not a list")
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            _crash(f"object {number} is not an object")
    boxed = [entry for entry in entries if entry.get("box_2d")]
    if len(boxed) > 1:  # the published overlap check reads every box; the check itself cannot fail
        for entry in boxed:
            _box(entry)
    return entries


def _box(entry: Entry) -> Box:
    value = entry.get("box_2d")
    if not isinstance(value, list | tuple) or len(value) < 4:
        _crash(f"box_2d of {entry.get('label')!r} is not a list of four numbers")
    if not all(isinstance(edge, int | float) for edge in value[:4]):
        _crash(f"box_2d of {entry.get('label')!r} contains a value that is not a number")
    return Box(*value[:4])


class _Node:
    """An expression, the places of its free variables among the values, and its results cached by their values."""

    __slots__ = ("args", "free", "head", "known", "raw", "slots")

    def __init__(self, raw: Raw, places: dict[str, int]) -> None:
        self.raw = raw
        self.head = ""
        self.args: list[_Node] = []
        self.known: dict[tuple[int, ...], Trace] = {}
        self.free: tuple[str, ...] = ()
        if isinstance(raw, str) and raw.startswith("?"):
            self.free = (raw,)
        elif isinstance(raw, tuple) and raw:
            first = raw[0] if isinstance(raw[0], str) else ""
            self.head = first.lower() if first.lower() in FOLDED_HEADS else first
            self.args = [_Node(part, places) for part in raw[1:]]
            inner = self.args[1:] if self.binds else self.args
            bound = str(self.args[0].raw) if self.binds else None
            self.free = tuple(dict.fromkeys(name for arg in inner for name in arg.free if name != bound))
        self.slots = tuple([places.setdefault(name, len(places)) for name in self.free])

    @property
    def binds(self) -> bool:
        return self.head in ("exists", "forall", "Count") and len(self.args) == 2


class _Verifier:
    """The published evaluation of a layout, with results cached per values."""

    def __init__(self, objects: list[Entry], places: dict[str, int], meter: Meter) -> None:
        self.objects = objects
        self.places = places
        self.meter = meter
        self.zero_triggers = 0
        self.boxes: dict[int, Box] = {}

    def result(self, node: _Node, values: list[int]) -> Trace:
        self.meter.step()
        key = tuple([values[slot] for slot in node.slots])
        trace = node.known.get(key)
        if trace is None:
            trace = node.known[key] = self.evaluated(node, values)
        return trace

    def evaluated(self, node: _Node, values: list[int]) -> Trace:
        match node.head:
            case "and" | "or":
                return self.joined(node, values)
            case "not":
                if not node.args:
                    _crash("not has no argument")
                inner = self.result(node.args[0], values)
                return Trace(False, "NOT failed", (inner,)) if inner.truth else Trace(True, "NOT satisfied")
            case "implies":
                self.require(node, 2)
                antecedent = self.result(node.args[0], values)
                if not antecedent.truth:
                    return Trace(True, "Antecedent is false", (antecedent,), vacuous=True)
                consequent = self.result(node.args[1], values)
                message = "Implication satisfied" if consequent.truth else "Implication failed"
                return Trace(consequent.truth, message, (antecedent, consequent))
            case "exists" | "forall":
                self.require(node, 2)
                return (self.existence if node.head == "exists" else self.every)(node, values)
        if not isinstance(node.raw, tuple) or not node.head:
            _crash(f"{node.raw!r} is not a formula")
        args = [self.value(arg, values) for arg in node.args]
        try:
            return self.predicate(node, args)
        except (ArithmeticError, TypeError, ValueError) as error:
            _crash(f"{node.head}: {error}")

    def require(self, node: _Node, arity: int) -> None:
        if len(node.args) != arity:
            _crash(f"{node.head} has {len(node.args)} arguments, not {arity}")

    def joined(self, node: _Node, values: list[int]) -> Trace:
        """Evaluate a conjunction up to its first false part, or a disjunction up to its first true one."""
        conjunctive = node.head == "and"
        results: list[Trace] = []
        for arg in node.args:
            result = self.result(arg, values)
            if result.truth is not conjunctive:
                if conjunctive:
                    return Trace(False, "AND check failed", (*results, result))
                return Trace(True, "OR satisfied", (result,))
            results.append(result)
        return Trace(True, "AND satisfied") if conjunctive else Trace(False, "All OR branches failed", tuple(results))

    def existence(self, node: _Node, values: list[int]) -> Trace:
        name, body = node.args[0].raw, node.args[1]
        failed = []
        for number, inside in self.choices(name, values):
            result = self.result(body, inside)
            if result.truth:
                return Trace(True, f"Exists {name} satisfied by Obj #{number}", (result,))
            failed.append(Trace(False, f"Candidate #{number} failed", (result,)))
        return Trace(False, f"Exists {name} failed", tuple(failed))

    def every(self, node: _Node, values: list[int]) -> Trace:
        name, body = node.args[0].raw, node.args[1]
        triggered = 0
        for number, inside in self.choices(name, values):
            result = self.result(body, inside)
            if not result.truth:
                return Trace(False, f"Forall failed at Obj #{number}", (result,))
            triggered += not result.vacuous
        if not triggered:
            self.zero_triggers += 1
            return Trace(False, f"Forall {name} failed: its condition applies to no object (0 triggers)")
        return Trace(True, f"Forall {name} satisfied (Triggered {triggered} times)")

    def choices(self, name: Raw, values: list[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield the values with each object in turn assigned to a name; unused names are not assigned."""
        if isinstance(name, tuple) and self.objects:
            _crash("a quantifier binds a list of names")
        inside, slot = list(values), self.places.get(str(name))
        for number in range(len(self.objects)):
            if slot is not None:
                inside[slot] = number
            yield number, inside

    def value(self, node: _Node, values: list[int]) -> object:
        raw = node.raw
        if isinstance(raw, tuple):
            if node.head != "Count":
                _crash("an expression is given for a value")
            self.require(node, 2)
            name, body = node.args[0].raw, node.args[1]
            return sum(self.result(body, inside).truth for _, inside in self.choices(name, values))
        if isinstance(raw, str) and raw.startswith("?"):
            number = values[self.places[raw]]
            return _crash(f"{raw} is not bound") if number == UNBOUND else self.objects[number]
        return raw.strip(raw[0]) if isinstance(raw, str) and raw[:1] in ("'", '"') else raw

    def predicate(self, node: _Node, args: list[object]) -> Trace:
        name = node.head
        if name in ("Is", "Has"):
            self.require(node, 2)
            entry, wanted = self.entry(args[0]), args[1]
            if name == "Is":
                if entry.get("label") == wanted:
                    return Trace(True, f"Object is '{wanted}'")
                mismatch = f"expected {_plain(wanted)}, got {_plain(entry.get('label'))}"
                return Trace(False, f"Is -> type mismatch ({mismatch})")
            if wanted in [entry.get("color"), entry.get("material"), entry.get("shape")]:
                return Trace(True, f"Object has property '{wanted}'")
            shown = f"label {_plain(entry.get('label'))}, box {entry.get('box_2d')}"
            return Trace(False, f"Has -> property '{_plain(wanted)}' missing ({shown})")
        if name in COMPARE:
            self.require(node, 2)
            truth = bool(COMPARE[name](*args))
            return Trace(truth, "Success" if truth else f"{name} -> {args[0]} and {args[1]}")
        if name not in RELATIONS:
            _crash(f"{name} is not a predicate the verifier knows")
        self.require(node, 2 if name in BINARY else 1)
        entries = [self.entry(arg) for arg in args]
        boxes = [self.box(entry) for entry in entries]
        truth = RELATIONS[name](*boxes)
        labels = [str(entry.get("label")) for entry in entries]
        return Trace(truth, "Success" if truth else f"{name} -> {_failure(name, labels, boxes)}")

    def box(self, entry: Entry) -> Box:
        if (box := self.boxes.get(id(entry))) is None:
            box = self.boxes[id(entry)] = _box(entry)
        return box

    def entry(self, value: object) -> Entry:
        return value if isinstance(value, dict) else _crash(f"{value!r} is not an object")


BINARY = frozenset(name for name in RELATIONS if name not in SIDES and name != "InCenter")


def _plain(value: object) -> str:
    return f"object {value.get('label')}" if isinstance(value, dict) else str(value)


def _failure(name: str, labels: list[str], boxes: list[Box]) -> str:
    if name in SIDES:
        return f"Object {labels[0]} is not on {SIDES[name]}"
    if name == "InCenter":
        return f"Object {labels[0]} is not in center region"
    if name.startswith("Aligned"):
        axis = 1 if name == "AlignedHorizontally" else 0
        return f"Not {name} (diff={abs(boxes[0].centre[axis] - boxes[1].centre[axis]):.1f})"
    infix = name if name in ("LargerThan", "SmallerThan") else f"is not {name}"
    return f"{labels[0]} {'not ' * (infix == name)}{infix} {labels[1]}"
