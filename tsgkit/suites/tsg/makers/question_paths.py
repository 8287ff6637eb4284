"""Paths of questions through the steps of a story: their evaluator, and their words.

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

A path that does not lead to exactly one name is no path: ``LookupError``. In words, steps are as a person would point
to them:

>>> from random import Random
>>> choice = Random(2)
>>> opening = of_event("second", "open", "lid", choice)
>>> opening.time
'when the lid was opened for the second time'
>>> asked("action", moved(opening, "next", 1, {}, choice), choice)
'What did the person do right after opening the lid for the second time?'
>>> sentences, last = walked(opening, ("next", "previous cup"), {}, choice)
>>> sentences + asked("hand", last, choice)
'Think of the step right after opening the lid for the second time. In the last step before that one in which the cup \
played a part, which hand did the person use?'

A sentence has one move from step to step; what leads on is a sentence of its own. A *step* is one action; a thing plays
a part in it whatever its role, is *handled* if something is done to it, and *used* if something is done with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import NamedTuple

from tsgkit.graph.model import HANDS, PERSON, WITH
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.lexicon import gerund, participle, split_particle
from tsgkit.suites.tsg.makers.sentence_patterns import is_plural

ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}
DEEP = ("held", "holder", "shared", "times")
"""Hops that read more than one step by themselves."""
READERS: dict[str, Callable[[Step], Iterable[str]]] = {
    "action": lambda step: (step.action,),
    "object": lambda step: step.objects,
    "tool": lambda step: step.tools,
    "hand": lambda step: [t.target for t in step.graph if t.edge == WITH and t.target in HANDS],
}
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
COMES = ("from", "off", "out-of")
GOES = ("into", "onto", "through", "over", "under", "around", "round", "across", "along", "behind")
WORDINGS = {
    "action": ("What did the person do {time}?", "{time}, what did the person do?"),
    "act": ("What did the person {name} {time}?", "{time}, what did the person {name}?"),
    "object": (
        "What did the person handle {time}?",
        "{time}, what did the person handle?",
        "{time}, the person did something. What was it done to?",
    ),
    "tool": (
        "{time}, the person did something. What did they do it with?",
        "{time}, the person did something. What did they use for it?",
    ),
    "hand": ("Which hand did the person use {time}?", "{time}, which hand did the person use?"),
    "target": ("{time}, the person handled something. What did it {name}?",),
    "held": (
        "What was the person holding in {name} {time}?",
        "What was in {name} {time}?",
        "{time}, what was in {name}?",
    ),
    "holder": ("Which hand held {name} {time}?", "{time}, in which hand {was} {name}?"),
    "shared": ("Which thing played a part both {time} and {name}?",),
    "count object": ("There is one thing that the person did something to exactly {often}. What is it?",),
    "count action": ("What did the person do to {name} exactly {often}?", "What was done to {name} exactly {often}?"),
    "acted on": ("What did the person {act} {edge} {place}?", "What was {done} {edge} {place}?"),
    "done with": ("What did the person do to {name} with {tool}?", "What was done to {name} with {tool}?"),
    "hand of": ("Which hand did the person {deed} with{nth}?", "Which hand did the person use to {deed}{nth}?"),
    "end of": ("What did the person {deed} {edge}{nth}?", "What {was} {name} {done} {edge}{nth}?"),
}
"""Wordings of what is read off a step; "act" is an object whose action is named, "shared" names another step. Then
those of questions that name a step by what is asked of it."""

Parts = Mapping[str, str]
"""The part of things that play only one: "handle" or "use"."""


class StepPhrase(NamedTuple):
    """A step in words: as a noun phrase, after *right before*, and as an adverbial of time."""

    name: str
    anchor: str
    time: str
    is_moved: bool = False
    """True if it is found from another step in the same sentence."""


THAT_STEP = StepPhrase("that step", "that step", "in that step")


def answer(timeline: Timeline, path: Sequence[str]) -> str:
    """Return the one name the path leads to."""
    *hops, last = path
    steps, (word, *names) = _steps_at(timeline, hops), last.split()
    answers: Iterable[str]
    if word == "times":
        counts = Counter(name for step in steps for name in set(READERS[names[1]](step)))
        answers = [name for name, count in counts.items() if count == int(names[0])]
    else:
        step = _only(steps, last)
        if word == "held":
            answers = timeline.in_hand(names[0], before=step) or ()
        elif word == "holder":
            answers = timeline.holders(names[0], before=step)
        elif word == "shared":
            second_step = _only(timeline.find(*names), last)
            apart = (*HANDS, PERSON, step.action, second_step.action)
            answers = [name for name in step.names if name in second_step.names and name not in apart]
        elif word == "target":
            answers = [end for _, edge, end in step.graph if edge == names[0] and end not in HANDS]
        else:
            answers = READERS[word](step)
    if len(answers := tuple(dict.fromkeys(answers))) != 1:
        raise LookupError(f"{path} leads to {answers or 'nothing'}")
    return answers[0]


def walk(timeline: Timeline, path: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps that a path without its reading leads over, one after the other, and those that it names.

    Raise ``LookupError`` where it comes to none, or to a step or thing that it left before.
    """
    steps, things = list[Step](), {name for hop in path for name in hop.split()[1:]}
    for number, hop in enumerate(path):
        if hop in ("again", "earlier"):
            if things.intersection(steps[-1].objects):
                raise LookupError(f"{hop!r} returns to a thing of the path")
            things.update(steps[-1].objects)
        if hop.startswith("between"):
            opening, _, closing = hop.removeprefix("between ").partition(" and ")
            steps += [timeline.step(tuple(end.split())) for end in (opening, closing)]
        elif not hop.startswith(("all", "of ")):
            steps.append(_only(_steps_at(timeline, path[: number + 1]), hop))
    if len({step.index for step in steps}) < len(steps):
        raise LookupError(f"{path} returns to a step")
    return tuple(steps)


def _steps_at(timeline: Timeline, hops: Sequence[str]) -> tuple[Step, ...]:
    steps = timeline.steps
    for hop in hops:
        word, *names = hop.split()
        if word == "between":
            cut = names.index("and")
            steps = timeline.between(tuple(names[:cut]), tuple(names[cut + 1 :]))
        elif word == "of":
            steps = tuple(step for step in steps if names[0] in step.objects)
        elif word in ("next", "previous", "again", "earlier"):
            base = _only(steps, hop)
            if word in ("again", "earlier"):
                names = [*base.objects]
                if len(names) != 1:
                    raise LookupError(f"{len(names)} direct objects, not one, at {hop!r}")
            matching = timeline.find(*names) if names else timeline.steps
            if word in ("next", "again"):
                steps = tuple(step for step in matching if step.index > base.index)[:1]
            else:
                steps = tuple(step for step in matching if step.index < base.index)[-1:]
        elif word != "all":
            matching = timeline.find(*names) if names else steps
            steps = (_only(matching if word == "only" else matching[ORDINALS[word] :][:1], hop),)
    return steps


def _only(steps: tuple[Step, ...], hop: str) -> Step:
    if len(steps) != 1:
        raise LookupError(f"{len(steps)} steps, not one, at {hop!r}")
    return steps[0]


def spelt(name: str) -> str:
    """Return a name as words: ``hex-key`` as *hex key*."""
    return name.replace("-", " ")


def noun(name: str) -> str:
    """Return a name with its article; hands have none."""
    return name if name in HANDS else f"the {spelt(name)}"


def was(name: str) -> str:
    """Return the verb of a thing as the subject."""
    return "were" if is_plural(name) else "was"


def deed(form: Callable[[str], str], action: str, thing: str) -> str:
    """Return an action on a thing, in a form of the verb; a particle follows the thing: *picking the lid up*."""
    verb, particle = split_particle(action) or (action, "")
    return f"{form(verb)} {noun(thing)} {particle}".rstrip()


def of_event(ordinal: str, action: str, thing: str, choice: Random) -> StepPhrase:
    """Return the step in which something is done to a thing; "handle" and "use" stand for all there is to do."""
    nth = "" if ordinal == "only" else f" for the {ordinal} time"
    clause = f"{noun(thing)} {was(thing)} {participle(action)}{nth}"
    anchor = choice.choice((deed(gerund, action, thing) + nth, clause))
    return StepPhrase(f"the step in which {clause}", anchor, f"when {clause}")


def of_mention(ordinal: str, names: Sequence[str], parts: Parts, choice: Random) -> StepPhrase:
    """Return the step that is found by the things that play a part in it."""
    name = f"the {ordinal} step {_playing(names, parts, choice)}"
    return StepPhrase(name, name, f"in {name}")


def of_span(ordinal: str, opening: tuple[str, str], closing: tuple[str, str]) -> StepPhrase:
    """Return the first or last step between two events."""
    name = f"the {ordinal} step between {deed(gerund, *opening)} and {deed(gerund, *closing)}"
    return StepPhrase(name, name, f"in {name}")


def _playing(names: Sequence[str], parts: Parts, choice: Random, ways: int = 2) -> str:
    if {*names} == {*HANDS}:
        return "in which both hands were used"
    things = f"both {noun(names[0])} and {noun(names[1])}" if len(names) == 2 else noun(names[0])
    if (verb := parts.get(names[0])) and len(names) == 1 and (names[0] in HANDS or choice.random() < 0.6):
        return f"in which {things} {was(names[0])} {participle(verb)}"
    return choice.choice((f"in which {things} played a part", f"that had to do with {things}")[:ways])


def moved(start: StepPhrase, move: str, times: int, parts: Parts, choice: Random) -> StepPhrase:
    """Return the step to which a move leads; by what is in it, only from "that step"."""
    word, *names = move.split()
    side = "after" if word == "next" else "before"
    if names:
        if word == "next":
            name = f"the next step {_playing(names, parts, choice)}"
        else:
            name = f"the last step before that one {_playing(names, parts, choice, ways=1)}"
        return StepPhrase(name, name, f"in {name}", is_moved=True)
    if times > 1:
        time = f"{NUMBERS[times]} steps {side} {start.anchor.replace('that step', 'that')}"
        return StepPhrase(f"the step {time}", time, time, is_moved=True)
    near = choice.choice(("right", "right", "immediately"))
    name = f"the step right {side} {start.anchor.replace('that step', 'that one')}"
    return StepPhrase(name, name, f"{near} {side} {start.anchor}", is_moved=True)


def walked(start: StepPhrase, moves: Sequence[str], parts: Parts, choice: Random) -> tuple[str, StepPhrase]:
    """Return the sentences that lead along moves, and the step at their end as the question names it."""
    sentences, step = "", start
    for move, run in groupby(moves):
        number = len(list(run))
        is_near = move in ("next", "previous")
        is_long = start.anchor == start.name and (number > 1 or choice.random() < 0.5)
        for _ in range(1 if is_near else number):
            if step.is_moved or (step is start and (not is_near or is_long or choice.random() < 0.3)):
                sentences, step = settled(sentences, step._replace(is_moved=True), choice)
            if move in ("again", "earlier"):
                way = "to the next step" if move == "again" else "back to the last step before that"
                sentences += f"Follow the thing handled there {way} in which it played a part. "
            else:
                step = moved(step, move, number if is_near else 1, parts, choice)
    return sentences, step


def settled(sentences: str, step: StepPhrase, choice: Random) -> tuple[str, StepPhrase]:
    """Return sentences and a step in words, where it was found from another one in a sentence of its own."""
    if not step.is_moved:
        return sentences, step
    first = choice.choice(("Find", "Look at", "Think of"))
    lead = "Then find" if "From" in sentences else "From there, go to" if sentences else first
    return f"{sentences}{lead} {step.name}. ", THAT_STEP


def asked(read: str, step: StepPhrase, choice: Random, detail: str = "") -> str:
    """Return the question that reads a name off a step; beside another step, or with the action on it."""
    word, *names = f"act {detail}".split() if read == "object" and detail else read.split()
    name, time = noun(names[0]) if names else "", step.time
    if word == "target":
        name = f"{'come' if names[0] in COMES else 'go'} {spelt(names[0])}"
    elif word == "act":
        name = spelt(names[0])
    elif word in ("held", "holder"):
        time = f"right before {step.anchor}"
    elif word == "shared":
        name = detail
    text = choice.choice(WORDINGS[word]).format(time=time, name=name, was=was(*names[:1] or [""]))
    return text[0].upper() + text[1:]


def counted(number: int, thing: str, choice: Random) -> str:
    """Return the question for the thing to which something is done so often, or for what is done so often to one."""
    often = {1: "once", 2: "twice"}.get(number, f"{NUMBERS[number]} times")
    return choice.choice(WORDINGS["count action" if thing else "count object"]).format(name=noun(thing), often=often)


def plainly(event: tuple[str, str], ordinal: str, edge: str, choice: Random) -> str:
    """Return the question for the thing at the end of an edge of an event, or for the hand ("hand").

    >>> plainly(("take", "towel"), "first", "out-of", Random(1))
    'What did the person take the towel out of the first time?'
    """
    action, thing = event
    done, nth = deed(spelt, action, thing), "" if ordinal == "only" else f" the {ordinal} time"
    ways = WORDINGS["hand of" if edge == "hand" else "end of"]
    ways += ("What did the person use to {deed}{nth}?",) * (edge == WITH)
    parts = {"was": was(thing), "name": noun(thing), "done": participle(action), "edge": spelt(edge)}
    return choice.choice(ways).format(deed=done, nth=nth, **parts)


def acted_on(action: str, edge: str, target: str, choice: Random) -> str:
    """Return the question for the direct object of the only step with this action and place."""
    parts = {"act": spelt(action), "done": participle(action), "edge": spelt(edge), "place": noun(target)}
    return choice.choice(WORDINGS["acted on"]).format(**parts)


def done_with(thing: str, tool: str, choice: Random) -> str:
    """Return the question for the action on a thing with a tool or hand."""
    return choice.choice(WORDINGS["done with"]).format(name=noun(thing), tool=noun(tool))
