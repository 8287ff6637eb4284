"""Everyday actions that undo each other: whoever tightens does not loosen.

>>> sorted(opposites("pick-up"))
['put-down', 'set-down']
>>> [pair for pair in contradictions("The nut is then tightened firmly.", ["loosen"])]
[('loosen', 'tighten')]
>>> contradictions("The nut is loosened, then tightened again.", ["loosen"])
()

The list is our own. Not covered: things that only differ (``wipe`` and ``sweep``), and adjectives.
"""

from __future__ import annotations

from collections.abc import Iterable

from tsgkit.lexicon.folding import fold
from tsgkit.lexicon.matching import same_word
from tsgkit.lexicon.mention import mentions

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


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _PAIRS.split(";"):
        one, others = line.split()
        for other in others.split("/"):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {name: frozenset(others) for name, others in found.items()}


ANTONYMS: dict[str, frozenset[str]] = _table()
"""Every action of the list with those that undo it."""


def opposites(action: str) -> frozenset[str]:
    """The actions that undo this one; none where the list does not know it."""
    return ANTONYMS.get(fold(action), frozenset())


def contradictions(sentence: str, actions: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The actions that a sentence does not tell, each with its opposite that the sentence does tell.

    An action that is told as well contradicts nothing: one may loosen and tighten in one sentence.
    """
    actions = tuple(actions)
    return tuple(
        (action, opposite)
        for action in actions
        if not mentions(sentence, action)
        for opposite in sorted(opposites(action))
        if mentions(sentence, opposite) and not any(same_word(opposite, other) for other in actions)
    )
