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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.lexicon import gerund, participle
from tsgkit.lexicon.folding import word_set

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
        self.rows = [graph.triplets for graph in story.graphs]
        self.named = [{end for source, _, target in row for end in (source, target)} for row in self.rows]
        self.held: list[Held] = []
        """The content of the hands before each step; after a description without graphs nothing is known."""
        grips: Held = dict.fromkeys(PALMS, "")
        for description in story.descriptions:
            if not description.graphs:
                grips = dict.fromkeys(PALMS)
            for graph in description.graphs:
                self.held.append(grips)
                grips = _after(grips, graph)
        self.deeds: dict[str, set[tuple[str, str]]] = {}
        things = {end for names in self.named for end in names}
        acts = {(act, name) for row, names in enumerate(self.named) for act in self.ends(row, "verb") for name in names}
        for act, thing in acts.union((act, name) for name in things for act in ("handle", "use")):
            phrases = [f"{_the(thing)} {be}{participle(act)}" for be in ("was ", "were ", "")]
            for form in (act.replace("-", " "), gerund(act)):
                verb, _, rest = form.partition(" ")
                phrases += [f"{form} {_the(thing)}", f"{verb} {_the(thing)} {rest}".rstrip()]
            for phrase in phrases:
                self.deeds.setdefault(phrase, set()).add((act, thing))

    def answer(self, question: str) -> str | None:
        """Return the answer to a question: a name, "" if not exactly one, ``None`` if not known."""
        try:
            replies = {reply for wide in (False, True) for reply in _Reading(self, wide).names(question) or {""}}
        except UnknownError:
            return None
        return replies.pop() if len(replies) == 1 else ""

    def ends(self, index: int, *edges: str) -> set[str]:
        """Return where the edges of a step lead."""
        return {target for _, label, target in self.rows[index] if label in edges}

    def action(self, index: int) -> str:
        """Return the action of a step."""
        actions = self.ends(index, "verb")
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
        for wording, kind in READS.items():
            if (match := re.fullmatch(wording, last)) and (names := self.read(kind, match.groupdict())):
                return names
        return self.open_end(last)

    def steps(self, words: str) -> list[int]:
        """Return the steps that some words mean; the last of the wordings fits all words."""
        return self.followed(next(filter(None, (re.fullmatch(wording, words) for wording in STEPS))).groupdict())

    def followed(self, parts: Mapping[str, Any]) -> list[int]:
        """Return the steps that the parts of a phrase mean."""
        places = range(len(self.story.rows))
        things = parts.get("things") or parts.get("names")
        if parts.get("clause") == "both hands were used":
            things = "hand1 and hand2"
        if things or parts.get("clause"):
            names = self.handled(self.here) if things == "the thing handled there" else _names(things or "")
            fitting = [index for index in places if names and names <= self.story.named[index]]
            if not things:
                fitting = [index for index in places if self.is_done(index, parts["clause"])]
            if way := parts.get("way"):
                later = [index for index in fitting if index > self.here]
                return later[:1] if way == "next step" else [index for index in fitting if index < self.here][-1:]
            return self.nth(fitting, parts["order"])
        if anchor := parts.get("anchor"):
            distance = {"two steps": 2, "three steps": 3}.get(parts["distance"], 1)
            moved = [index + distance * (1 if parts["side"] == "after" else -1) for index in self.steps(anchor)]
            return [index for index in moved if index in places]
        if "opening" in parts:
            bounds = [*self.steps(parts["opening"]), *self.steps(parts["closing"])]
            inside = list(range(bounds[0] + 1, bounds[1])) if len(bounds) == 2 else []
            return inside[:1] if parts["end"] == "first" else inside[-1:]
        if deed := parts.get("deed"):
            return self.nth([index for index in places if self.is_done(index, deed)], parts.get("nth"))
        return [self.here] if self.here >= 0 else []

    def nth(self, places: Sequence[int], order: str | None) -> list[int]:
        """Return one of some steps by its order; without an order, and as the only one, it must be alone."""
        if order in (None, "only") and len(places) != 1:
            return []
        return list(places[ORDINALS[order or "only"] :][:1])

    def is_done(self, index: int, deed: str) -> bool:
        """Return whether a step does what some words say."""
        return any(self.does(index, act, thing) for act, thing in self.story.deeds.get(deed, ()))

    def does(self, index: int, act: str, thing: str) -> bool:
        """Return whether an action on a thing may be that of a step."""
        acts = self.story.ends(index, "verb")
        if act in ("handle", "use") and act not in acts:
            edges = ("dobj", "with") if self.wide else ("dobj",) if act == "handle" else ("with",)
            return thing in self.story.ends(index, *edges)
        if self.wide:
            verbs = {verb.partition("-")[0] for verb in acts}
            return act.partition("-")[0] in verbs and thing in self.story.named[index]
        return act in acts and thing in self.story.ends(index, "dobj")

    def handled(self, index: int) -> set[str]:
        """Return what may be said to be handled in a step."""
        return self.story.ends(index, *("dobj", "with") if self.wide else ("dobj",)) - {*PALMS}

    def read(self, kind: str, parts: Mapping[str, Any]) -> set[str]:
        """Return the names of a kind in the steps that the parts of a question mean."""
        story = self.story
        if "often" in parts:
            things = _names(parts["of"]) if "of" in parts else set[str]()
            places = [index for index in range(len(story.rows)) if things <= story.ends(index, "dobj")]
            counts = Counter(name for index in places for name in story.ends(index, kind))
            return {name for name, count in counts.items() if count == NUMBERS.index(parts["often"]) + 1}
        if "on" in parts:
            both = _names(parts["on"]) | _names(parts["by"])
            places = [index for index, names in enumerate(story.named) if both <= names]
        else:
            places = self.steps(parts["time"]) if "time" in parts else self.followed(parts)
        if len(places) != 1:
            return set()
        [index] = places
        if kind in ("held", "holder"):
            grips = story.held[index]
            contents = grips.values() if kind == "holder" else [grips[parts["hand"]]]
            if None in contents:
                raise UnknownError
            if kind == "held":
                return {thing for thing in contents if thing}
            return {hand for hand, thing in grips.items() if thing in _names(parts["thing"])}
        if kind == "shared":
            places += self.steps(parts["other"])
            shared = set[str].intersection(*(story.named[index] - {story.action(index)} for index in places))
            return shared - {"person", *PALMS} if len(places) == 2 else set()
        if kind == "hand":
            hands = story.ends(index, "with").intersection(PALMS)
            if story.named[index].intersection(PALMS) != hands:
                raise UnknownError
            return hands
        if kind == "verb" or parts.get("act") == "do":
            return {story.action(index)}
        if kind == "act":
            if parts["act"] == "handle":
                return self.handled(index)
            return story.ends(index, "dobj") if story.action(index) == _name(parts["act"]) else set()
        return story.ends(index, _name(parts["edge"]) if kind == "edge" else kind) - {*PALMS}

    def open_end(self, question: str) -> set[str]:
        """Return what is missing where a question has all of a step but the end of an edge or the direct object."""
        if not (match := re.fullmatch(rf"what (?:did the person|was|were) (?P<clause>.+?){NTH}", question)):
            return set()
        words, story = match["clause"].split(), self.story
        for cut in range(1, len(words)):
            if (deed := " ".join(words[:cut])) in story.deeds:
                places = self.followed({"deed": deed, "nth": match["nth"]})
                return {end for index in places for end in story.ends(index, _name(" ".join(words[cut:]))) - {*PALMS}}
        meant: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(story.rows):
            for act, edge, end in row:
                rest = f"{edge.replace('-', ' ')} {_the(end)}"
                if match["clause"] in (f"{act.replace('-', ' ')} {rest}", f"{participle(act)} {rest}"):
                    meant.setdefault((act, end), []).append(index)
        if self.wide:
            places = [index for index in range(len(story.rows)) if any(self.does(index, *pair) for pair in meant)]
        else:
            places = sorted(set().union(*meant.values()))
        return story.ends(places[0], "dobj") - {*PALMS} if len(places) == 1 else set()


def _name(words: str) -> str:
    return words.replace(" ", "-")


def _names(words: str) -> set[str]:
    return {_name(name.removeprefix("the ")) for name in words.removeprefix("both ").split(" and ")}


def _the(thing: str) -> str:
    return thing if thing in PALMS else f"the {thing.replace('-', ' ')}"


def _after(before: Held, graph: ActionGraph) -> Held:
    """Return the content of the hands after a step."""
    actions = {target for _, edge, target in graph if edge == "verb"}
    things = {target for _, edge, target in graph if edge == "dobj"}
    palms = {target for _, edge, target in graph if edge == "with" and target in PALMS}
    moved = {(edge, target) for _, edge, target in graph if target in PALMS and edge != "with"}
    names = {end for source, _, target in graph for end in (source, target)}
    unknown: Held = dict.fromkeys(PALMS)
    is_odd = any("hand" in name and name not in PALMS for name in names)
    if is_odd or len(actions) != 1 or len(things) != 1 or things & {*PALMS}:
        return unknown
    [action], [thing] = actions, things
    for giver, taker in (PALMS, PALMS[::-1]):
        is_passed = moved == {("from", giver), ("to", taker)} and before[giver] == thing and before[taker] == ""
        if is_passed and not palms:
            return {giver: "", taker: thing}
    # "pass" with one hand may be from it, or to it
    if moved or action == "pass" or (action in TAKING and not palms):
        return unknown
    after: Held = {}
    for hand, content in before.items():
        after[hand] = content
        if action in TAKING and hand in palms:
            after[hand] = thing if content in ("", thing, None) else None
        elif action in FREEING and hand in palms:
            after[hand] = "" if content == thing else None
        elif action in TAKING | FREEING:
            if content == thing or not palms:
                after[hand] = None
        elif action in UNCLEAR:
            if hand in palms or not palms or content in names:
                after[hand] = None
        elif hand in palms and content and content not in names:
            after[hand] = None
    return after
