"""Paths of questions through the steps of a story, and their evaluator.

A path is a list of hops. It begins with all steps of the scenario in order; a hop narrows them, moves from one to
another, or, as the last one, reads a name off them:

    first X.. second X.. third X.. last X..   the first (second, third, last) of the steps that name all of X
    only X..                                  the one step that names all of X
    next [X..]   previous [X..]               the nearest later or earlier step (that names all of X)
    again   earlier                           the nearest later or earlier step that names this step's direct object
    between X.. and Y..                       the steps after the first X and before the first Y after it
    all   of X                                all steps, the steps with the direct object X
    action  object  tool  hand                what the step does, its direct object, tool, the hand it uses
    target P                                  where the step's edge P leads
    held H                                    what the hand H held when the step began
    holder X                                  which hand held X when the step began
    shared X..                                the thing that this step and the only step naming all of X both name
    times N object   times N action           the direct object or the action of exactly N of the steps

A path that does not lead to exactly one name is no path: ``LookupError``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tsgkit.graph.model import HANDS, PERSON, WITH
from tsgkit.graph.timeline import Step, Timeline

ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}
DEEP = ("held", "holder", "shared", "times")
"""Hops that read more than one step by themselves."""


def answer(timeline: Timeline, path: Sequence[str]) -> str:
    """Return the one name the path leads to."""
    *hops, last = path
    names = tuple(dict.fromkeys(_read(timeline, _end(timeline, hops), last)))
    if len(names) != 1:
        raise LookupError(f"{path} leads to {names or 'nothing'}")
    return names[0]


def walk(timeline: Timeline, path: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps that a path without its reading leads over, one after the other, and those that it names.

    Raise ``LookupError`` where it comes to none, or to a step or thing that it left before.
    """
    named, things = list[Step](), {name for hop in path for name in hop.split()[1:]}
    for number, hop in enumerate(path):
        if hop in ("again", "earlier"):
            if things.intersection(named[-1].objects):
                raise LookupError(f"{hop!r} returns to a thing of the path")
            things.update(named[-1].objects)
        if hop.startswith("between"):
            opening, _, closing = hop.removeprefix("between ").partition(" and ")
            named += [timeline.step(tuple(end.split())) for end in (opening, closing)]
        elif not hop.startswith(("all", "of ")):
            named.append(_one(_end(timeline, path[: number + 1]), hop))
    if len({step.index for step in named}) < len(named):
        raise LookupError(f"{path} returns to a step")
    return tuple(named)


def hops_needed(path: Sequence[str]) -> int:
    """Return how many hops a reader makes: one for finding a step and reading it, one more for each further one."""
    return len(path) - 1 + (path[-1].split()[0] in DEEP)


def _end(timeline: Timeline, hops: Sequence[str]) -> tuple[Step, ...]:
    steps = timeline.steps
    for hop in hops:
        steps = _follow(timeline, steps, hop)
    return steps


def _follow(timeline: Timeline, steps: tuple[Step, ...], hop: str) -> tuple[Step, ...]:
    word, *names = hop.split()
    if word == "between":
        cut = names.index("and")
        return timeline.between(tuple(names[:cut]), tuple(names[cut + 1 :]))
    if word in ("next", "previous"):
        return _beside(timeline, _one(steps, hop), names, is_later=word == "next")
    if word in ("again", "earlier"):
        base = _one(steps, hop)
        if len(base.objects) != 1:
            raise LookupError(f"{len(base.objects)} direct objects, not one, at {hop!r}")
        return _beside(timeline, base, base.objects, is_later=word == "again")
    if word == "all":
        return steps
    if word == "of":
        return tuple(step for step in steps if names[0] in step.objects)
    found = timeline.find(*names) if names else steps
    if word == "only":
        return (_one(found, hop),)
    return (_one(found[ORDINALS[word] :][:1], hop),)


def _read(timeline: Timeline, steps: tuple[Step, ...], hop: str) -> Iterable[str]:
    word, *names = hop.split()
    if word == "times":
        counts = Counter(name for step in steps for name in set(READERS[names[1]](step)))
        return [name for name, count in counts.items() if count == int(names[0])]
    step = _one(steps, hop)
    if word == "held":
        return timeline.in_hand(names[0], before=step) or ()
    if word == "holder":
        return timeline.holders(names[0], before=step)
    if word == "shared":
        other = _one(timeline.find(*names), hop)
        return [name for name in _things(step) if name in _things(other)]
    if word == "target":
        return [triplet.target for triplet in step.graph if triplet.edge == names[0] and triplet.target not in HANDS]
    return READERS[word](step)


READERS: dict[str, Callable[[Step], Iterable[str]]] = {
    "action": lambda step: (step.action,),
    "object": lambda step: step.objects,
    "tool": lambda step: step.tools,
    "hand": lambda step: [t.target for t in step.graph if t.edge == WITH and t.target in HANDS],
}


def _things(step: Step) -> list[str]:
    return [name for name in step.names if name not in (*HANDS, PERSON, step.action)]


def _beside(timeline: Timeline, base: Step, names: Sequence[str], *, is_later: bool) -> tuple[Step, ...]:
    """Return the nearest step on one side that names all of these."""
    found = timeline.find(*names) if names else timeline.steps
    if is_later:
        return tuple(step for step in found if step.index > base.index)[:1]
    return tuple(step for step in found if step.index < base.index)[-1:]


def _one(steps: tuple[Step, ...], hop: str) -> Step:
    if len(steps) != 1:
        raise LookupError(f"{len(steps)} steps, not one, at {hop!r}")
    return steps[0]
