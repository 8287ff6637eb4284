"""A second evaluator of the paths of questions, straight from triplets.

It shares no code with :mod:`tsgkit.suites.tsg.makers.question_paths` or the timeline, so that a mistake in one shows as
a disagreement. Its account of the hands is its own and careful: where a hand's content does not follow from clear
actions, it is not known.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "with", "hand2"))
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
>>> reading = SecondReader(Narrative.of([take, wash]))
>>> reading.answer(["only wash", "held hand2"]), reading.answer(["only wash", "previous", "hand"])
('cup', 'hand2')
>>> reading.answer(["only wash", "next", "action"])
''

Not known is ``None``, no single answer is the empty string.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from tsgkit.graph.model import ActionGraph, Narrative
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


class UnknownError(Exception):
    """Something that the triplets do not settle."""


class SecondReader:
    """The steps of a story as sets of triplets."""

    def __init__(self, story: Narrative) -> None:
        self.rows = [[tuple(triplet) for triplet in graph.triplets] for graph in story.graphs]
        self.named = [{end for source, _, target in row for end in (source, target)} for row in self.rows]
        self.held = _held_before(story)

    def answer(self, path: Sequence[str]) -> str | None:
        """Return where a path leads: a name, "" if not exactly one, ``None`` if not known."""
        places = list(range(len(self.rows)))
        try:
            for hop in path[:-1]:
                places = self._walk(places, hop.split())
                if not places:
                    return ""
            found = self._names(places, path[-1].split())
        except UnknownError:
            return None
        return found.pop() if len(found) == 1 else ""

    def _walk(self, places: list[int], hop: list[str]) -> list[int]:
        word, names = hop[0], set(hop[1:])
        if word == "all":
            return places
        if word == "of":
            return [place for place in places if hop[1] in self._ends(place, "dobj")]
        if word == "between":
            return self._span(hop[1 : hop.index("and")], hop[hop.index("and") + 1 :])
        if word in ("next", "previous", "again", "earlier"):
            if len(places) != 1:
                return []
            if word in ("again", "earlier"):
                names = self._ends(places[0], "dobj")
                if len(names) != 1:
                    return []
            return self._beside(places[0], names, 1 if word in ("next", "again") else -1)
        fitting = [place for place in places if names <= self.named[place]]
        if word == "only":
            return fitting if len(fitting) == 1 else []
        wanted = -1 if word == "last" else ["first", "second", "third"].index(word)
        return [fitting[wanted]] if len(fitting) > wanted and fitting else []

    def _beside(self, place: int, names: set[str], direction: int) -> list[int]:
        for other in count(place + direction, direction):
            if not 0 <= other < len(self.rows):
                break
            if names <= self.named[other]:
                return [other]
        return []

    def _span(self, opening: list[str], closing: list[str]) -> list[int]:
        inside: list[int] | None = None
        for place, names in enumerate(self.named):
            if inside is None:
                inside = [] if names.issuperset(opening) else None
            elif names.issuperset(closing):
                return inside
            else:
                inside.append(place)
        return []

    def _names(self, places: list[int], read: list[str]) -> set[str]:
        if read[0] in ("times", "most"):
            return self._counted(places, read)
        if len(places) != 1:
            return set()
        place = places[0]
        if read[0] == "held":
            return {self._content(place, read[1])} - {""}
        if read[0] == "holder":
            return {hand for hand in PALMS if self._content(place, hand) == read[1]}
        if read[0] == "shared":
            others = [other for other, names in enumerate(self.named) if names.issuperset(read[1:])]
            return self._things(place) & self._things(others[0]) if len(others) == 1 else set()
        if read[0] == "target":
            return {end for end in self._ends(place, read[1]) if end not in PALMS}
        return self._role(place, read[0])

    def _role(self, place: int, role: str) -> set[str]:
        if role == "action":
            return {self._action(place)}
        if role == "hand":
            if self.named[place].intersection(PALMS) != self._ends(place, "with").intersection(PALMS):
                raise UnknownError
            return {end for end in self._ends(place, "with") if end in PALMS}
        if role in ("object", "tool"):
            return {end for end in self._ends(place, "dobj" if role == "object" else "with") if end not in PALMS}
        return self._things(place) - self._ends(place, "dobj") - self._ends(place, "with")

    def _counted(self, places: list[int], read: list[str]) -> set[str]:
        lists = [self._role(place, read[-1]) for place in places]
        seen = {name: sum(name in one for one in lists) for name in set[str]().union(*lists)}
        wanted = max(seen.values(), default=0) if read[0] == "most" else int(read[1])
        return {name for name, number in seen.items() if number == wanted}

    def _ends(self, place: int, edge: str) -> set[str]:
        return {target for _, label, target in self.rows[place] if label == edge}

    def _action(self, place: int) -> str:
        actions = self._ends(place, "verb")
        if len(actions) != 1:
            raise UnknownError
        return next(iter(actions))

    def _things(self, place: int) -> set[str]:
        return self.named[place] - {"person", self._action(place), *PALMS}

    def _content(self, place: int, hand: str) -> str:
        content = self.held[place][hand]
        if content is None:
            raise UnknownError
        return content


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
