"""Hands of actions by the hand rule, applied forward in time.

>>> from tsgkit.suites.tsg.baselines.events import Event
>>> hands = HandState()
>>> hands.do(Event("take", ("jar",))), hands.do(Event("open", ("lid",))), hands.do(Event("put-down", ("jar",)))
(('hand1',), ('hand2',), ('hand1',))

The first object taken goes to the first free hand. A held object is used and put down by the hand that holds it; other
actions are done by a free hand. If both are full, the first does it.
"""

from __future__ import annotations

from collections.abc import Iterable

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import HANDS
from tsgkit.suites.tsg.baselines.events import Event


class HandState:
    """The content of each hand."""

    def __init__(self) -> None:
        self.things: dict[str, str] = dict.fromkeys(HANDS, "")

    def holders(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the hands that hold one of these."""
        wanted = set(names) - {""}
        return tuple(hand for hand in HANDS if self.things[hand] in wanted)

    @property
    def held(self) -> tuple[str, ...]:
        """All that is held."""
        return tuple(dict.fromkeys(thing for thing in self.things.values() if thing))

    def do(self, event: Event) -> tuple[str, ...]:
        """Return the hands that an event needs, and update their content."""
        if event.action in GRASPS:
            return self._take(event)
        if event.action in RELEASES:
            return self._release(event)
        if event.action in TRANSFERS and len(self.holders(event.objects)) == 1:
            return self._pass_on(event)
        return self._hands_for(event)

    def _free(self) -> tuple[str, ...]:
        return tuple(hand for hand in HANDS if not self.things[hand])

    def _take(self, event: Event) -> tuple[str, ...]:
        hands = self.holders(event.objects) or (self._free() or HANDS)[:1]
        hands = HANDS if event.both_hands else hands
        if event.other_hand and not self.holders(event.objects):
            hands = self._free()[-1:] or HANDS[1:]
        for hand in hands:
            self.things[hand] = event.objects[0] if event.objects else ""
        return hands

    def _release(self, event: Event) -> tuple[str, ...]:
        holders = self.holders(event.objects)
        hands = HANDS if event.both_hands else holders or self._hands_for(event)
        for hand in holders:
            self.things[hand] = ""
        return hands

    def _pass_on(self, event: Event) -> tuple[str, ...]:
        """From one hand to the other, in this order."""
        (source,) = self.holders(event.objects)
        target = next(hand for hand in HANDS if hand != source)
        self.things[source], self.things[target] = "", event.objects[0]
        return source, target

    def _hands_for(self, event: Event) -> tuple[str, ...]:
        if event.both_hands:
            return HANDS
        if event.other_hand:
            return self._free()[-1:] or HANDS[1:]
        return self.holders(event.tools) or self.holders(event.objects) or (self._free() or HANDS)[:1]
