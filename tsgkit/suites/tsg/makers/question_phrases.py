"""Questions in words: steps as noun phrases, and questions about them.

>>> from random import Random
>>> opening = named_step("second open lid", ("open", "lid"))
>>> opening
'the second opening of the lid'
>>> reached(opening, ("next", "previous cup"), Random(0))
'the last action to involve the cup before the action immediately after the second opening of the lid'
>>> asked("held hand1", opening, Random(0))
'Right before the second opening of the lid, what was in hand1?'

"Involved" covers all roles of a thing; an ordinal counts through the whole story.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

from tsgkit.graph.model import HANDS
from tsgkit.lexicon import gerund

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FIRST = {"next": "first", "previous": "last"}


def spelt(name: str) -> str:
    """Return a name as words: ``hex-key`` as *hex key*."""
    return name.replace("-", " ")


def noun(name: str) -> str:
    """Return a name with its article; hands have none."""
    return name if name in HANDS else f"the {spelt(name)}"


def together(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return f"both {noun(names[0])} and {noun(names[1])}" if len(names) == 2 else noun(names[0])


def named_step(hop: str, event: tuple[str, str] | None) -> str:
    """Return the step that a first hop finds, by its action and thing if it has an event, else by what it involves."""
    ordinal, *names = hop.split()
    if event is not None:
        order = "" if ordinal == "only" else f"{ordinal} "
        return f"the {order}{gerund(event[0])} of {noun(event[1])}"
    return f"the {ordinal} action to involve {together(names)}"


def reached(start: str, moves: Sequence[str], choice: Random) -> str:
    """Return the step that moves lead to, as one noun phrase."""
    for move, times in _runs(moves):
        start = _moved(start, move, times, choice)
    return start


def walked(start: str, moves: Sequence[str], choice: Random) -> tuple[str, str]:
    """Return an introduction that goes from step to step, and the name of the step that it leads to."""
    parts = [_moved("it", move, times, choice) for move, times in _runs(moves)]
    begin = choice.choice(("Start from", "Find", "Begin with"))
    on = choice.choice(("Go from there to", "From there, go to"))
    then = ", then to ".join(parts)
    return f"{begin} {start}. {on} {then}. ", choice.choice(("that action", "the action you arrive at"))


def _runs(moves: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield moves; equal ones to the neighbouring step are one move by several steps."""
    for move, run in groupby(moves):
        times = len(list(run))
        yield from [(move, times)] if move in FIRST else [(move, 1)] * times


def _moved(start: str, move: str, times: int, choice: Random) -> str:
    word, *names = move.split()
    if word in ("again", "earlier"):
        thing = "its direct object" if start == "it" else f"the direct object of {start}"
        return f"the {'next' if word == 'again' else 'previous'} action to involve {thing}"
    side = "after" if word == "next" else "before"
    if names and start == "it":
        return f"the {word} action to involve {together(names)}"
    if names:
        return f"the {FIRST[word]} action to involve {together(names)} {side} {start}"
    if times > 1:
        return f"the action {NUMBERS[times]} steps {side} {start}"
    if start == "it":
        return f"the action right {side} it"
    return choice.choice((f"the action right {side} {start}", f"the action immediately {side} {start}"))


def between(first: str, second: str, ordinal: str) -> str:
    """Return the first or last of the steps between two others."""
    return f"the {ordinal} action after {first} and before {second}"


READS = {
    "action": ("What was done in {step}?", "Which verb names {step}?"),
    "object": ("What was the direct object of {step}?", "Which thing was the direct object of {step}?"),
    "tool": ("Which tool was used in {step}?", "Apart from hands, what was used as the tool of {step}?"),
    "place": (
        "Apart from direct objects, tools and hands, which thing was involved in {step}?",
        "Direct objects, tools and hands aside, what was involved in {step}?",
    ),
    "hand": ("Which hand was used in {step}?", "With which hand was {step} done?"),
    "held": ("What was in {name} right before {step}?", "Right before {step}, what was in {name}?"),
    "holder": ("Which hand held {thing} right before {step}?", "Right before {step}, which hand held {thing}?"),
}


def asked(read: str, step: str, choice: Random) -> str:
    """Return the question that reads a name off a step."""
    word, *names = read.split()
    name = names[0] if names else ""
    return choice.choice(READS[word]).format(step=step, name=name, thing=noun(name) if name else "")


def shared(first: str, second: str, choice: Random) -> str:
    """Return the question for the thing that two steps have in common."""
    ways = (
        f"Which thing was involved in both {first} and {second}?",
        f"Both {first} and {second} involved the same thing. Which?",
    )
    return choice.choice(ways)


def counted_objects(number: int, choice: Random) -> str:
    """Return the question for the direct object of so many steps."""
    times = "action" if number == 1 else "actions"
    ways = (
        f"Which thing is the direct object of exactly {NUMBERS[number]} {times}?",
        f"One thing is the direct object of exactly {NUMBERS[number]} {times}. Which?",
    )
    return choice.choice(ways)


def counted_actions(thing: str, number: int, choice: Random) -> str:
    """Return the question for the action of so many steps with one direct object."""
    often = {1: "once", 2: "twice"}.get(number, f"{NUMBERS[number]} times")
    ways = (
        f"Which action has {noun(thing)} as its direct object exactly {often}?",
        f"Of all that was done with {noun(thing)} as the direct object, what was done exactly {often}?",
    )
    return choice.choice(ways)


def plainly(event: tuple[str, str], ordinal: str, with_what: str, choice: Random) -> str:
    """Return the question for the thing at the end of an edge of an event, in everyday words.

    >>> plainly(("take", "towel"), "only", "out-of", Random(1))
    'Out of what did the person take the towel?'
    """
    often = "" if ordinal == "only" else f" the {ordinal} time"
    done = f"did the person {spelt(event[0])} {noun(event[1])}"
    edge = spelt(with_what)
    if "-" in event[0] or ordinal != "only":
        ways = (f"{edge.capitalize()} what {done}{often}?", f"{edge.capitalize()} which thing {done}{often}?")
    else:
        ways = (f"{edge.capitalize()} what {done}?", f"What {done} {edge}?")
    return choice.choice(ways)


def acted_on(action: str, edge: str, place: str, choice: Random) -> str:
    """Return the question for the direct object of the only step with this action and place."""
    done = f"did the person {spelt(action)} {spelt(edge)} {noun(place)}"
    return choice.choice((f"What {done}?", f"Which thing {done}?"))
