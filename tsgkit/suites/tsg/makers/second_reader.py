"""A second evaluator of questions: it reads their words, straight from triplets.

It shares no code with the paths of questions, their words or the timeline, so that a mistake in one shows as a
disagreement. Words are read narrowly and widely: a thing that is *handled* may be a tool, one that is *used* a direct
object, *pulling the rope* may be pulling it up. The answer must be the same both ways. The account of the hands is
careful: where a hand's content does not follow from clear actions, it is not known.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "with", "hand2"))
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
>>> reading = SecondReader(Narrative.of([take, wash]))
>>> reading.answer("What was in hand2 right before washing the cup?")
'cup'
>>> reading.answer("Find the step in which the cup was washed. Which hand did the person use right before that step?")
'hand2'
>>> reading.answer("What did the person do right after the cup was washed?")
''

Not known is ``None``, no single answer is the empty string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.lexicon import gerund, participle
from tsgkit.lexicon.tables import word_set

TAKING = word_set("take pick-up pick grab grip fetch get hold take-out")
FREEING = word_set("put put-down put-back put-away place drop let-go lay hang leave hang-up set-down")
UNCLEAR = word_set(
    "lift catch gather collect seize grasp clasp carry bring give throw toss return store release discard swap switch "
    "shift transfer hand-over move lay-down lift-up hold-up pick-out take-up take-down take-off put-on put-aside "
    "set-aside place-down replace drop-off throw-away deposit change-hands receive unload load pull-out",
)
"""Actions after which the hands that they may have used are not known."""
PALMS = ("hand1", "hand2")
Held = dict[str, str | None]
"""The content of each hand: one thing, nothing (empty), or ``None`` if not known."""
NUMBERS = ("once", "twice", *(f"{word} times" for word in ("three", "four", "five", "six", "seven", "eight", "nine")))
ORDINALS = {"only": 0, "first": 0, "second": 1, "third": 2, "last": -1}
NTH = r"(?: (?:for )?the (?P<nth>first|second|third|last) time)?"
WITHIN = r"(?:in which (?P<things>.+) played a part|that had to do with (?P<names>.+)|in which (?P<clause>.+))"
STEPS = (
    r"(?:in )?that(?: step| one|)",
    rf"(?:in )?the (?P<order>only|first|second|third|last) step {WITHIN}",
    rf"(?:in )?the (?P<way>next step|last step before that(?: one)?) {WITHIN}",
    r"(?:the step )?(?P<distance>right|immediately|two steps|three steps) (?P<side>after|before) (?P<anchor>.+)",
    r"(?:in )?the (?P<end>first|last) step between (?P<opening>.+?) and (?P<closing>.+)",
    rf"(?:when |the step in which )?(?P<deed>.+?){NTH}",
)
"""Wordings of steps."""
LEADS = r"find|look at|think of|from there, go to|then find|follow the (thing handled there) (to|back to)"
READS = {
    r"what did the person (?P<act>.+?) (?P<time>(?:right|immediately|two|three|in|when) .+)": "act",
    r"(?P<time>.+), what did the person (?P<act>.+)": "act",
    r"(?P<time>.+), the person did something\. what was it done to": "dobj",
    r"(?P<time>.+), the person did something\. what did they (?:do it with|use for it)": "with",
    r"which hand did the person use (?P<time>.+)": "hand",
    r"(?P<time>.+), which hand did the person use": "hand",
    r"(?P<time>.+), the person handled something\. what did it (?:come|go) (?P<edge>.+)": "edge",
    r"what was (?:the person holding )?in (?P<hand>hand\d) right before (?P<time>.+)": "held",
    r"right before (?P<time>.+), what was in (?P<hand>hand\d)": "held",
    r"which hand held (?P<thing>.+) right before (?P<time>.+)": "holder",
    r"right before (?P<time>.+), in which hand (?:was|were) (?P<thing>.+)": "holder",
    r"which thing played a part both (?P<time>.+) and (?P<other>when .+)": "shared",
    rf"which hand did the person (?P<deed>.+) with{NTH}": "hand",
    rf"which hand did the person use to (?P<deed>.+?){NTH}": "hand",
    rf"what did the person use to (?P<deed>.+?){NTH}": "with",
    r"what (?:did the person do|was done) to the (?P<of>.+) exactly (?P<often>.+)": "verb",
    r"there is one thing that the person did something to exactly (?P<often>.+)\. what is it": "dobj",
    r"what (?:did the person do|was done) to the (?P<on>.+) with (?P<by>.+)": "verb",
}
"""Wordings of questions, and the kind of name that each asks for."""


class UnknownError(Exception):
    """Something that the triplets do not settle."""


class SecondReader:
    """The steps of a story as sets of triplets."""

    def __init__(self, story: Narrative) -> None:
        self.rows = [[tuple(triplet) for triplet in graph.triplets] for graph in story.graphs]
        self.named = [{end for source, _, target in row for end in (source, target)} for row in self.rows]
        self.held = _held_before(story)
        self.deeds: dict[str, set[tuple[str, str]]] = {}
        things = {end for names in self.named for end in names}
        acts = {(act, name) for row, names in enumerate(self.named) for act in self.ends(row, "verb") for name in names}
        for act, thing in acts.union(*({("handle", name), ("use", name)} for name in things)):
            for phrase in _phrases(act, thing):
                self.deeds.setdefault(phrase, set()).add((act, thing))

    def answer(self, question: str) -> str | None:
        """Return the answer to a question: a name, "" if not exactly one, ``None`` if not known."""
        try:
            replies = {reply for wide in (False, True) for reply in _Reading(self, wide).names(question) or {""}}
        except UnknownError:
            return None
        return replies.pop() if len(replies) == 1 else ""

    def ends(self, place: int, *edges: str) -> set[str]:
        """Return where the edges of a step lead."""
        return {target for _, label, target in self.rows[place] if label in edges}

    def action(self, place: int) -> str:
        """Return the action of a step."""
        actions = self.ends(place, "verb")
        if len(actions) != 1:
            raise UnknownError
        return actions.pop()


@dataclass
class _Reading:
    """A question read with narrow or wide meanings of its words."""

    story: SecondReader
    wide: bool
    here: int = -1
    """The step to which the sentences so far have led."""

    def names(self, question: str) -> set[str]:
        """Return the names that answer a question; none where it is not understood."""
        *sentences, last = re.split(r"(?<!something)\. (?!what is it)", question.lower().rstrip("?"))
        for sentence in sentences:
            words = re.sub(rf"^(?:{LEADS}) ", "", sentence)
            places = self.steps(words.replace(" it played", " the thing handled there played"))
            if len(places) != 1:
                return set()
            self.here = places[0]
        matches = ((re.fullmatch(wording, last), kind) for wording, kind in READS.items())
        readings = (self.read(kind, match.groupdict()) for match, kind in matches if match)
        return next((names for names in readings if names), set()) or self.open_end(last)

    def steps(self, words: str) -> list[int]:
        """Return the steps that some words mean."""
        matches = (match for wording in STEPS if (match := re.fullmatch(wording, words)))
        return self.followed((next(matches)).groupdict())

    def followed(self, parts: dict[str, str | None]) -> list[int]:
        """Return the steps that the parts of a phrase mean."""
        places = range(len(self.story.rows))
        named = parts.get("things") or parts.get("names")
        if parts.get("clause") == "both hands were used":
            named = "hand1 and hand2"
        if named or parts.get("clause"):
            names = self.handled(self.here) if named == "the thing handled there" else _names(named or "")
            fitting = [place for place in places if names and names <= self.story.named[place]]
            if not named:
                fitting = [place for place in places if self.is_done(place, str(parts["clause"]))]
            if way := parts.get("way"):
                later = [place for place in fitting if place > self.here]
                return later[:1] if way == "next step" else [place for place in fitting if place < self.here][-1:]
            return self.nth(fitting, parts["order"])
        if anchor := parts.get("anchor"):
            distance = {"two steps": 2, "three steps": 3}.get(str(parts["distance"]), 1)
            moved = [place + distance * (1 if parts["side"] == "after" else -1) for place in self.steps(anchor)]
            return [place for place in moved if place in places]
        if "opening" in parts:
            bounds = [*self.steps(str(parts["opening"])), *self.steps(str(parts["closing"]))]
            inside = list(range(bounds[0] + 1, bounds[1])) if len(bounds) == 2 else []
            return inside[:1] if parts["end"] == "first" else inside[-1:]
        if deed := parts.get("deed"):
            return self.nth([place for place in places if self.is_done(place, deed)], parts.get("nth"))
        return [self.here] if self.here >= 0 else []

    def nth(self, places: Sequence[int], order: str | None) -> list[int]:
        """Return one of some steps by its order; without an order, and as the only one, it must be alone."""
        if order in (None, "only") and len(places) != 1:
            return []
        return list(places[ORDINALS[order or "only"] :][:1])

    def is_done(self, place: int, deed: str) -> bool:
        """Return whether a step does what some words say."""
        return any(self.does(place, act, thing) for act, thing in self.story.deeds.get(deed, ()))

    def does(self, place: int, act: str, thing: str) -> bool:
        """Return whether an action on a thing may be that of a step."""
        acts = self.story.ends(place, "verb")
        if act in ("handle", "use") and act not in acts:
            edges = ("dobj", "with") if self.wide else ("dobj",) if act == "handle" else ("with",)
            return thing in self.story.ends(place, *edges)
        if self.wide:
            return _verb(act) in map(_verb, acts) and thing in self.story.named[place]
        return act in acts and thing in self.story.ends(place, "dobj")

    def handled(self, place: int) -> set[str]:
        """Return what may be said to be handled in a step."""
        return self.story.ends(place, *("dobj", "with") if self.wide else ("dobj",)) - {*PALMS}

    def read(self, kind: str, parts: dict[str, str | None]) -> set[str]:
        """Return the names of a kind in the steps that the parts of a question mean."""
        story = self.story
        if often := parts.get("often"):
            things = [_names(str(parts["of"])) if "of" in parts else set[str]() for _ in story.rows]
            ends = [story.ends(n, kind) for n, names in enumerate(things) if names <= story.ends(n, "dobj")]
            counts = {name: sum(name in one for one in ends) for one in ends for name in one}
            return {name for name, count in counts.items() if count == NUMBERS.index(often) + 1}
        if thing := parts.get("on"):
            both = _names(thing) | _names(str(parts["by"]))
            places = [place for place, names in enumerate(story.named) if both <= names]
        else:
            places = self.steps(str(parts["time"])) if "time" in parts else self.followed(parts)
        if len(places) != 1:
            return set()
        [place] = places
        if kind in ("held", "holder"):
            held = story.held[place]
            if None in (held.values() if kind == "holder" else [held[str(parts["hand"])]]):
                raise UnknownError
            if kind == "held":
                return {held[str(parts["hand"])] or ""} - {""}
            return {hand for hand, thing in held.items() if thing in _names(str(parts["thing"]))}
        if kind == "shared":
            places += self.steps(str(parts["other"]))
            shared = set[str].intersection(*(story.named[place] - {story.action(place)} for place in places))
            return shared - {"person", *PALMS} if len(places) == 2 else set()
        if kind == "hand":
            if story.named[place].intersection(PALMS) != story.ends(place, "with").intersection(PALMS):
                raise UnknownError
            return story.ends(place, "with").intersection(PALMS)
        if kind == "verb" or parts.get("act") == "do":
            return {story.action(place)}
        if kind == "act":
            if parts["act"] == "handle":
                return self.handled(place)
            return story.ends(place, "dobj") if story.action(place) == _name(str(parts["act"])) else set()
        return story.ends(place, _name(str(parts["edge"])) if kind == "edge" else kind) - {*PALMS}

    def open_end(self, question: str) -> set[str]:
        """Return what is missing where a question has all of a step but the end of an edge or the direct object."""
        if not (match := re.fullmatch(rf"what (?:did the person|was|were) (?P<clause>.+?){NTH}", question)):
            return set()
        words, story = match["clause"].split(), self.story
        for cut in range(1, len(words)):
            if (deed := " ".join(words[:cut])) in story.deeds:
                places = self.followed({"deed": deed, "nth": match["nth"]})
                return {end for place in places for end in story.ends(place, _name(" ".join(words[cut:]))) - {*PALMS}}
        meant = [
            {(act, end) for act, edge, end in row if match["clause"] in _clauses(act, edge, end)} for row in story.rows
        ]
        pairs = set[tuple[str, str]]().union(*meant)
        wide = [any(self.does(place, act, end) for act, end in pairs) for place in range(len(meant))]
        places = [place for place, is_meant in enumerate(wide if self.wide else meant) if is_meant]
        return story.ends(places[0], "dobj") - {*PALMS} if len(places) == 1 else set()


def _verb(act: str) -> str:
    return act.partition("-")[0]


def _name(words: str) -> str:
    return words.replace(" ", "-")


def _names(words: str) -> set[str]:
    return {_name(name.removeprefix("the ")) for name in words.removeprefix("both ").split(" and ")}


def _the(thing: str) -> str:
    return thing if thing in PALMS else f"the {thing.replace('-', ' ')}"


def _clauses(act: str, edge: str, end: str) -> list[str]:
    rest = f"{edge.replace('-', ' ')} {_the(end)}"
    return [f"{verb} {rest}" for verb in (act.replace("-", " "), participle(act))]


def _phrases(act: str, thing: str) -> Iterator[str]:
    """Yield the wordings of an action on a thing."""
    for form in (act.replace("-", " "), gerund(act)):
        verb, _, rest = form.partition(" ")
        yield from (f"{form} {_the(thing)}", f"{verb} {_the(thing)} {rest}".rstrip())
    yield from (f"{_the(thing)} {be}{participle(act)}" for be in ("was ", "were ", ""))


def _held_before(story: Narrative) -> list[Held]:
    """Return the content of the hands before each step; after a description without graphs nothing is known."""
    states: list[Held] = []
    now: Held = dict.fromkeys(PALMS, "")
    for description in story.descriptions:
        if not description.graphs:
            now = dict.fromkeys(PALMS)
        for graph in description.graphs:
            states.append(now)
            now = _after(now, graph)
    return states


def _after(before: Held, graph: ActionGraph) -> Held:
    actions = {target for _, edge, target in graph if edge == "verb"}
    things = {target for _, edge, target in graph if edge == "dobj"}
    palms = {target for _, edge, target in graph if edge == "with" and target in PALMS}
    moved = {(edge, target) for _, edge, target in graph if target in PALMS and edge != "with"}
    names = {end for source, _, target in graph for end in (source, target)}
    odd = any("hand" in name and name not in PALMS for name in names)
    if odd or len(actions) != 1 or len(things) != 1 or things & set(PALMS):
        return dict.fromkeys(PALMS)
    [action], [thing] = actions, things
    if moved:
        return _passed(before, thing, moved, palms)
    if action in TAKING:
        return _taken(before, thing, palms)
    if action in FREEING:
        return _freed(before, thing, palms)
    if action == "pass":  # with one hand may be from it, or to it
        return dict.fromkeys(PALMS)
    if action in UNCLEAR:
        return {hand: None if hand in palms or not palms or held in names else held for hand, held in before.items()}
    return {hand: None if hand in palms and held and held not in names else held for hand, held in before.items()}


def _passed(before: Held, thing: str, moved: set[tuple[str, str]], palms: set[str]) -> Held:
    giver = next((hand for hand in PALMS if ("from", hand) in moved), "")
    taker = next((hand for hand in PALMS if ("to", hand) in moved), "")
    if palms or len(moved) != 2 or not giver or not taker or giver == taker:
        return dict.fromkeys(PALMS)
    if before[giver] != thing or before[taker] != "":
        return dict.fromkeys(PALMS)
    return {giver: "", taker: thing}


def _taken(before: Held, thing: str, palms: set[str]) -> Held:
    if not palms:
        return dict.fromkeys(PALMS)
    after = dict(before)
    for hand in PALMS:
        if hand in palms:
            after[hand] = thing if before[hand] in ("", thing, None) else None
        elif before[hand] == thing:
            after[hand] = None
    return after


def _freed(before: Held, thing: str, palms: set[str]) -> Held:
    after = dict(before)
    for hand in PALMS:
        if hand in palms:
            after[hand] = "" if before[hand] == thing else None
        elif before[hand] == thing or not palms:
            after[hand] = None
    return after
