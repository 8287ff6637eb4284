"""Claims of a sentence about one action: triplets that a step makes true, or surely does not.

>>> step = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"))
>>> part = ActionGraph.of(("person", "verb", "take"), ("take", "from", "bowl"))
>>> other = ActionGraph.of(("person", "verb", "take"), ("take", "onto", "bowl"))
>>> may_be_true(part, step), may_be_true(other, step)
(True, False)

In doubt a claim counts as true: a part of a step, a preposition that does not surely conflict, an action or a thing
with a similar name, a hand where the step names none.
"""

from __future__ import annotations

from functools import lru_cache

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph, Triplet
from tsgkit.lexicon import fold, opposites, same_word, split_particle
from tsgkit.lexicon.preposition_senses import conflicting
from tsgkit.lexicon.tables import word_set

GENERAL = word_set(
    "use move handle touch get do make have keep hold bring carry shift adjust prepare continue start finish work",
    "position guide manipulate apply operate fix set arrange treat",
)
"""Actions that are part of many others, so that they can be said of them."""
PLACES = word_set(
    "on onto off from out-of under underneath below beneath over above behind between through across along around at"
)
"""Prepositions that do not say a tool."""
ABOVE, INSIDE = word_set("over above"), word_set("in into inside within on onto upon")
TAKING, PUTTING = word_set("take get take-off take-out draw"), word_set("put place put-on put-in")
"""Actions that are part of most others, but those that are nothing of the kind."""
NEAR_ACTIONS = tuple(
    word_set(line)
    for line in (
        "wipe clean rub polish dry dab mop scrub wash brush sweep dust",
        "cut slice trim chop snip saw split carve divide shorten",
        "put place lay set stand rest lean position put-down set-down lay-down drop hang store return",
        "throw toss drop throw-away discard",
        "weave wind sew stitch thread knit tie",
        "prise pry lever pull lift remove peel tear strip unhook detach",
        "put insert push slide slip ease stick feed thread pass press plug introduce slot",
        "pour empty tip drain spill water fill sprinkle",
        "turn rotate twist spin wind screw roll flip turn-over swivel",
        "mix stir whisk beat blend knead fold",
        "fasten tighten screw clamp fix tie secure attach join bind clip pin lock close",
        "loosen unscrew open undo release untie unfasten detach remove unhook unlock",
        "pull draw drag tug stretch tighten remove take-out pull-out take extract",
        "push press shove slide squeeze compress press-down tap",
        "lift raise pick-up take hoist hold-up pick pull-up",
        "spread smear apply brush paint coat rub scatter sprinkle strew dab smooth",
        "shake wave swing tap beat",
        "check inspect look read measure test examine watch",
        "hit strike tap hammer knock beat drive",
        "fold bend crease double flatten smooth",
        "drill pierce prick punch bore",
    )
)
"""Actions that a careful person may take for one another: in doubt they are the same."""
WIDE_ACTIONS = {
    "fasten": "tie nail glue chain clip tape solder strap clamp screw buckle staple tack pin stick lash peg sew bolt",
    "stick": "glue tape pin hammer drive tack nail paste poke staple press",
    "clean": "beat sweep brush dust wipe spray clear",
    "snap": "break crack split smash close shut",
}
"""Actions that may be done in each of these ways."""
KIN_ACTIONS = tuple(
    word_set(line)
    for line in (
        *(f"{wide} {way}" for wide, ways in WIDE_ACTIONS.items() for way in ways.split()),
        "wipe clean rub polish dry scrub wash rinse scour vacuum lather soap buff burnish flush brush",
        "wash clean rinse disinfect sterilise autoclave boil",
        "soak dampen moisten wet dip dunk plunge submerge spray mist water irrigate marinate rinse wash",
        "cut slice trim saw split carve divide shorten score notch engrave scratch halve shave shear peel",
        "file sand rub-down smooth plane shave scrape polish buff burnish deburr hone sharpen bevel roughen scour",
        "break crack split smash shatter crush squash tear knock hit strike hammer bang pound",
        "crumple squeeze crush squash press knead pummel flatten",
        "hide stow pack put-away store",
        "throw-away discard burn",
        "tie plait knot loop wind",
        "wrap wind bandage bind tie swaddle roll-up strap",
        "put insert push slide fit mount",
        "turn rotate twist screw unscrew loosen slacken tighten swing swivel",
        "tilt tip lean prop invert turn-over raise lower",
        "mix stir blend dilute thin",
        "strain filter sieve sift",
        "close seal lock",
        "mend repair patch glue sew stitch solder",
        "dismantle open undo unfasten unwrap unpack detach",
        "squeeze squirt inject pump pour press drip",
        "grip hold steady clamp squeeze pinch press",
        "paint coat varnish glaze prime dye stain oil glue smear",
        "shake wave swing tap wiggle stir",
        "check inspect read measure test examine watch count weigh appraise try",
        "copy scan photocopy photograph draw trace",
        "label tag mark stamp sign",
        "align straighten level adjust line-up",
        "heat boil cook bake fry toast grill sear roast scorch singe burn char melt thaw",
        "cool chill freeze",
        "fold roll-up curl bend",
    )
)
"""Actions that may be a part or a manner of one another: no choice has two of a line in the same place."""


def may_be_true(claimed: ActionGraph, step: ActionGraph, *, hands: bool = True, counted: bool = False) -> bool:
    """Return whether every claimed triplet may hold in a step.

    Without ``hands``, the sentence says nothing of hands; ``counted``, it counts them: one hand is not both.
    """
    return all(_may_hold(one, step) for one in claimed.triplets if not is_hand_use(one)) and (
        not hands or _hands_may_fit(hands_of(claimed), hands_of(step), counted=counted)
    )


def is_hand_use(triplet: Triplet) -> bool:
    """Return whether a triplet says that a hand does it."""
    return triplet.edge == WITH and triplet.target in HANDS


def hands_of(graph: ActionGraph) -> frozenset[str]:
    """Return the hands that do it."""
    return frozenset(triplet.target for triplet in graph.triplets if is_hand_use(triplet))


@lru_cache(maxsize=100_000)
def may_be_same_action(one: str, other: str) -> bool:
    """Return whether one action may be said of another: a synonym, or the same with a particle."""
    one, other = fold(one), fold(other)
    if one == other:
        return True
    if other in opposites(one):
        return False
    if one in GENERAL or other in GENERAL or same_word(one, other) or _base(one) == _base(other):
        return True
    if (one in GRASPS and other in RELEASES) or (one in RELEASES and other in GRASPS):
        return False
    for general, unlike in ((TAKING, RELEASES), (PUTTING, GRASPS)):
        if (one in general and other not in unlike) or (other in general and one not in unlike):
            return True
    return are_near(one, other)


def are_near(one: str, other: str) -> bool:
    """Return whether a careful person may take one action for another.

    >>> are_near("cut", "trim"), are_near("pick-up", "fetch"), are_near("cut", "wash")
    (True, True, False)
    """
    pair, bases = {one, other}, {_base(one), _base(other)}
    return any(pair <= near or bases <= near for near in (GRASPS, RELEASES, TRANSFERS, *NEAR_ACTIONS))


@lru_cache(maxsize=100_000)
def may_be_same_thing(one: str, other: str) -> bool:
    """Return whether two names may mean one thing: equal words, or one is the other with a word more."""
    one, other = fold(one), fold(other)
    if one == other:
        return True
    if {one, other} <= set(HANDS):
        return False
    return bool(same_word(one, other)) or not set(one.split("-")).isdisjoint(other.split("-"))


def _may_hold(claim: Triplet, step: ActionGraph) -> bool:
    return any(_may_say(claim, other) for other in step.triplets)


def _may_say(claim: Triplet, other: Triplet) -> bool:
    if claim == other:
        return True
    if (claim.edge == VERB) != (other.edge == VERB) or (claim.edge == DOBJ) != (other.edge == DOBJ):
        return False
    if claim.edge == VERB:
        return may_be_same_action(claim.target, other.target)
    return (
        may_be_same_thing(claim.target, other.target)
        and (claim.edge == DOBJ or not surely_conflicting(claim.edge, other.edge))
        and (may_be_same_action(claim.source, other.source) or may_be_same_thing(claim.source, other.source))
    )


def surely_conflicting(one: str, other: str) -> bool:
    """Return whether not both prepositions can be said of one action: what is dropped over a bin is dropped in it.

    >>> surely_conflicting("off", "onto"), surely_conflicting("over", "into"), surely_conflicting("with", "on")
    (True, False, True)
    """
    one, other = fold(one), fold(other)
    if (one in ABOVE and other in INSIDE) or (other in ABOVE and one in INSIDE):
        return False
    return conflicting(one, other) or (one == WITH and other in PLACES) or (other == WITH and one in PLACES)


def _hands_may_fit(claimed: frozenset[str], used: frozenset[str], *, counted: bool) -> bool:
    if not claimed or not used:
        return True
    return len(claimed) == len(used) if counted else claimed <= used


def _base(action: str) -> str:
    parts = split_particle(action)
    return parts.verb if parts else action
