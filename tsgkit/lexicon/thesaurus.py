"""Synonyms from a file of the user's, and actions that undo each other.

The file has one group of names on each line:

>>> known = Synonyms("man, guy, gentleman\\nsofa, couch")
>>> known.same("men", "guys"), known.same("couches", "sofa"), known.same("man", "sofa")
(True, True, False)

Names of no group are the same where they are the same word (:func:`tsgkit.lexicon.same_word`).

Opposites are everyday actions, such as tighten and loosen:

>>> sorted(opposites("pick-up"))
['put-down', 'set-down']
>>> [pair for pair in contradictions("The nut is then tightened firmly.", ["loosen"])]
[('loosen', 'tighten')]
>>> contradictions("The nut is loosened, then tightened again.", ["loosen"])
()
>>> contradictions("The screws were unfastened.", ["unscrew"]), contradictions("She screws the lid on.", ["unscrew"])
((), (('unscrew', 'screw'),))

The list is our own. Not covered: actions that merely differ (``wipe`` and ``sweep``), and adjectives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from tsgkit.lexicon.folding import fold, word_set
from tsgkit.lexicon.matching import same_word
from tsgkit.lexicon.mention import mentions
from tsgkit.lexicon.prepositions import PARTICLES, PREPOSITIONS


class Synonyms:
    """Groups of names that mean the same, in any inflection."""

    def __init__(self, text: str) -> None:
        self._lines = [[name.strip() for name in line.split(",") if name.strip()] for line in text.splitlines()]
        self._groups = lru_cache(maxsize=4096)(self._groups_of)
        self.same = lru_cache(maxsize=65536)(self._same)

    def _same(self, a: str, b: str) -> bool:
        """Return whether two names mean the same."""
        return bool(same_word(a, b)) or not self._groups(a).isdisjoint(self._groups(b))

    def _groups_of(self, name: str) -> frozenset[int]:
        """Return the numbers of the lines that a name stands in."""
        return frozenset(at for at, line in enumerate(self._lines) if any(same_word(name, synonym) for synonym in line))


_PAIRS = """
    assemble disassemble/dismantle/take-apart; attach detach/remove; add remove/take-out; arrive leave; ascend descend;
    bend straighten; bind unbind; bolt unbolt; break mend/repair/fix; bring take-away; build demolish/tear-down;
    button unbutton; buckle unbuckle; bury dig-up; catch throw/drop; charge discharge; clamp unclamp/release;
    clasp unclasp; clean dirty/soil/stain; clench unclench; clip unclip; close open/reopen; cool heat/warm;
    compress decompress/expand; connect disconnect; cork uncork; coil uncoil; cover uncover; couple uncouple;
    crumple smooth; dampen dry; deflate inflate; depart arrive; dock undock; dress undress; dry wet/moisten/soak;
    empty fill/refill; enter exit/leave; extend retract/withdraw; fasten unfasten/loosen; fetch return;
    fill drain; flatten crumple/roll-up; fold unfold; freeze thaw/melt; gather scatter/spread; glue peel-off;
    grasp release/let-go; grip release/let-go; hang take-down; hide reveal/show; hoist lower; hook unhook; hold release;
    include exclude; insert remove/extract/withdraw/pull-out; install uninstall/remove; join separate/split;
    latch unlatch; lengthen shorten; lift lower/put-down; light extinguish/blow-out; load unload; lock unlock;
    loosen tighten; mix separate; mount dismount/unmount; nail unnail; pack unpack; park drive-off; pause resume;
    peel-off stick-on; pick-up put-down/set-down; pin unpin; plant uproot; plug-in unplug; plug unplug;
    pour-in pour-out; press-down lift-up; pull push; push-in pull-out; put-in take-out; put-on take-off; raise lower;
    roll unroll; roll-up unroll/roll-out; rewind unwind; saddle unsaddle; screw unscrew; screw-in unscrew/screw-out;
    seal unseal; set-up take-down; sharpen blunt/dull; sit-down stand-up; slow-down speed-up; spread gather;
    stack unstack; start stop; staple unstaple; stick unstick; stretch shrink; strap unstrap; switch-on switch-off;
    tape untape; tangle untangle; thicken thin; thread unthread; tie untie; turn-on turn-off; turn-up turn-down;
    twist untwist; veil unveil; wake sleep; weave unravel; wind unwind; wrap unwrap; yoke unyoke; zip unzip
"""

_THINGS = word_set(
    "bolt buckle button catch charge clamp clasp clip coil cork couple cover dirty dock drain dress drop fold glue "
    "grip heat hook light load lock mount nail pack pin plant plug pull push repair release roll saddle screw seal "
    "separate split stack staple start stick stop strap tangle tape thread throw tie twist veil wind withdraw wrap "
    "yoke zip"
)
"""Actions of the list whose names are things or qualities too."""
_BEFORE_VERBS = word_set("to can could will would should must may might he she it they we you who and then")
_BEFORE_THINGS = PREPOSITIONS | word_set(
    "a an the this that these those his her its their my your our each every any some no one two three four five "
    "several many few both all old new"
)
_OBJECTS = word_set("a an the this that these those his her its their it them him each every any all both some two")
_OBJECTS |= PARTICLES
_WORD = re.compile(r"[^\W_]+")


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _PAIRS.split(";"):
        word, others = line.split()
        for antonym in others.split("/"):
            table.setdefault(word, set()).add(antonym)
            table.setdefault(antonym, set()).add(word)
    return {name: frozenset(others) for name, others in table.items()}


ANTONYMS: dict[str, frozenset[str]] = _table()
"""Every action of the list with those that undo it."""


def opposites(action: str) -> frozenset[str]:
    """Return the actions that undo this one; none where the list does not know it."""
    return ANTONYMS.get(fold(action), frozenset())


def _is_told(sentence: str, action: str) -> bool:
    """Return whether a sentence mentions an action, and not only a thing of its name."""
    start = 0
    while mention := mentions(sentence[start:], action):
        first, end = mention.spans[0]
        if action not in _THINGS or not _is_thing(sentence[: start + first], sentence[start + first :], action):
            return True
        start += end
    return False


def _is_thing(before: str, rest: str, action: str) -> bool:
    """Return whether the word that ``rest`` begins with is a noun there; in doubt it is one."""
    word, *after = (match.group().lower() for match in islice(_WORD.finditer(rest), 2))
    if word not in (action, f"{action}s", f"{action}es"):
        return False
    last = re.split(r"[^\w]+", before.rstrip().lower())[-1]
    if last in _BEFORE_VERBS:
        return False
    return last in _BEFORE_THINGS or not after or not (after[0] in _OBJECTS or after[0].endswith("ly"))


def contradictions(sentence: str, actions: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the actions that a sentence does not mention although it mentions their opposite, each with that opposite.

    There is no contradiction if the action is mentioned too, as in loosening and tightening in one sentence, or if the
    opposite names an object (``the screws were undone``).
    """
    actions = tuple(actions)
    return tuple(
        (action, opposite)
        for action in actions
        if not mentions(sentence, action)
        for opposite in sorted(opposites(action))
        if _is_told(sentence, opposite) and not any(same_word(opposite, stated) for stated in actions)
    )
