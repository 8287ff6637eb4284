"""Claims of a sentence about one action: triplets that a step makes true, or surely does not.

>>> step = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"))
>>> part = ActionGraph.of(("person", "verb", "take"), ("take", "from", "bowl"))
>>> other = ActionGraph.of(("person", "verb", "take"), ("take", "onto", "bowl"))
>>> may_be_true(part, step), may_be_true(other, step)
(True, False)

In doubt a claim counts as true: a part of a step, a preposition that does not surely conflict, an action or a thing
with a similar name, a hand where the step names none.

Actions have other names, so that a graph can be told without the names in it:

>>> other_words("close"), other_words("wind", "around"), other_words("wind", "off")
(('shut',), ('wrap',), ())
"""

from __future__ import annotations

from functools import cache, lru_cache

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph, Triplet
from tsgkit.lexicon import fold, opposites, same_word, split_particle
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.prepositions import conflicting

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


OTHER_WORDS = """
    add to: introduce; adjust: fine-tune; advance: move-on; align: line-up; appraise: value; archive: file-away;
    arrange: set-out; autoclave: sterilise; backcomb: tease; bail: scoop; bake: cook; balance: poise; bandage: bind-up;
    bang: knock; baste: tack; beat -: thrash; bend: flex; bevel: chamfer; bind: tie; bleach: whiten; blow off from
    out-of: puff; blow-out: puff-out; boil: cook; bore: drill; brake: slow-down; break: fracture; brew: infuse;
    brighten: lighten; bring: fetch; brush off from out-of: sweep; buckle: fasten; build: construct; burn: incinerate;
    burnish: buff; button: do-up; calculate: work-out; calibrate: fine-tune; calm: soothe; cap: stopper; carry:
    transport; carve: whittle; cast: throw; catch: grab; centrifuge: spin-down; chain: shackle; change: replace; char:
    scorch; check: inspect examine; chew: gnaw; chill: refrigerate; chop: cut-up; circle: ring; clamp: fasten; clean:
    cleanse; clear: tidy; climb: scale; clip to: fasten; close: shut; coil: wind-up; colour: tint; comfort: console;
    connect: join; cool: chill; copy from: transcribe; copy: duplicate; correct: amend; count: tally; crack: break;
    crimp on: squeeze; cross-out: strike-out; crumple: scrunch-up; crush: squash; cuddle: hug; curl: crimp; cut: slice;
    cut-off: slice-off; cut-open: slit-open; cut-out: slice-out; dab: pat; dampen: moisten; deburr: smooth-off;
    decorate: adorn; deflate: let-down; develop: process; dig: excavate; dig-out: unearth; dig-up: unearth; dilute:
    water-down; dim: turn-down; dip: dunk; disconnect: detach; disinfect: sanitise; dismantle: take-apart; draft:
    rough-out; drag: haul; drape: hang; draw off from out-of through: pull; draw-back: pull-back; draw-in: pull-in;
    draw-out: pull-out; draw-up: pull-up; dress: clothe; drill: bore; drink: sip; drip: dribble; drive into through:
    knock; drop: let-fall; dry: desiccate; dye: tint; ease: coax; eat: consume; eject into: expel; empty: drain;
    engrave: inscribe; erase: rub-out; estimate: guess; extinguish: put-out; fasten: do-up; feed through into: pass;
    feel: touch; fend-off: ward-off; fetch: collect; file: rasp; fill: make-full; fill-in: complete; filter: strain;
    fish from out-of: retrieve; fit: mount; flatten: smooth-out; flick: flip; fling: hurl; flush: rinse-out; fold - on
    in beside: double-over; fold-back: turn-back; fold-down: turn-down; fold-in: turn-in; fold-up: turn-up; fork onto
    off: pitchfork; fray: unravel; froth: foam; fry: saute; garnish: decorate; gather: collect; glaze: coat; glue:
    stick; grate: shred; grease: oil; grill: barbecue; grind: mill; grip: clutch; grow: cultivate; guide: steer; gut:
    disembowel; hack: chop; halve: split; hammer: pound bang; hang: suspend; hang-up: suspend; harden: stiffen; haul:
    drag; heat: warm; heave: hoist; hide: conceal; hit: strike; hitch: tether; hoist: haul-up; hold over: suspend;
    hollow-out: gouge-out; hone: whet; hook to onto on: hitch; inflate: blow-up; inject: squirt; insert: slot; inspect:
    examine; insulate: lag; invert: upend; iron: press; kick: boot; knead: pummel; knock: bang; knock-out: hammer-out;
    knot: tie; label: tag; lash-down: strap-down; latch: bolt; lather: soap; lay: place; lay-down: set-down; lean: prop;
    lengthen: extend; let-go: release; level: even-out; lever: prise; lift: raise; lift-off: take-off; light: ignite;
    line-up: align; lock: secure; loop around: wind; loop over: sling; loosen: slacken; lower: let-down; make: form;
    marinate: steep; massage: rub-down; measure: gauge; melt: liquefy; mend: repair; mist: spray; mix: blend; model:
    mould; mop: swab; move: shift; mute: muffle; nail: tack; notch: nick; numb: anaesthetise; offer: proffer; oil:
    grease; pack: stow; pad: cushion; paint: coat; part -: divide; part around: separate; pass through: feed; paste:
    glue; pat: dab; patch: repair; peel off from: strip; peel-off: strip-off; peg to: clip; photocopy: duplicate; pick:
    pluck; pick-up: take-up; pickle: preserve; pierce: prick; pile: heap; pin: tack; pinch: nip; plait: braid; plane:
    shave; pluck off from out-of: pick; pluck-out: pick-out; plug -: stop-up; plug into: insert; plug-in: connect;
    plunge: dunk; pocket: tuck-away; point: aim; poke-down: prod-down; polish: buff; post to: mail; pour: tip; powder:
    dust; press: push; press-down: push-down; press-on: push-on; prime: undercoat; prise: lever; prise-off: lever-off;
    prise-out: lever-out; prise-up: lever-up; prop: lean; pry: lever; pull: tug; pull-apart: tear-apart; pull-down:
    draw-down; pull-off: tug-off; pull-on: tug-on; pull-out: draw-out; pull-up: draw-up; pump into: squirt; pump-up:
    inflate; punch: perforate; push: shove; push-aside: shove-aside; push-away: shove-away; push-back: shove-back;
    push-down: press-down; push-off: shove-off; push-up: shove-up; put: place; put-away: stow; put-back: return;
    put-down: set-down; put-out: extinguish; quench: douse; raise: lift; rake off around: scrape; read: peruse;
    read-out: recite; release: let-go; replace: change; restring: rethread; riffle: flick-through; ring: sound; rinse:
    wash; ripen: mature; roll-out: flatten-out; roll-up: furl; rope: lash; rotate: turn; roughen: coarsen; rub -:
    polish; rub into: massage; sand off: rub-off; sand: rub-down; save: rescue; saw: cut-through; scan: digitise;
    scatter: strew; scent: perfume; scold: tell-off; scoop: ladle; scorch: singe; score: incise; scour: scrub; scrape
    off from out-of: scratch; scrape-off: scratch-off; scratch along: incise; scratch into: carve; screw into onto to:
    twist; screw-in: twist-in; screw-on: twist-on; scrub: scour; seal: close-up; sear: brown; season: flavour; sedate:
    tranquillise; serve: dish-up; set: place; set-aside: put-aside; set-down: put-down; sew: stitch; shake: jiggle;
    shake-out: flap-out; sharpen: hone; shave: pare; shear: crop; shine: polish; shorten: truncate; shove: push; shovel:
    scoop; show to: display; shut: close; sieve: sift; sift: sieve; sign: autograph; singe: scorch; sink: submerge;
    slacken: loosen; slap: smack; slice: cut-up; slide: slip; slip: slide; slot: insert; smash: shatter; smear: daub;
    smell: sniff; smoke: cure; smooth: flatten; snap-on: click-on; sniff: smell; snip: nip; soak: steep; solder: fuse;
    sow: plant; spike: pierce; spill: slop; spin: whirl; splash: spatter; splint: brace; split: cleave; spray: mist;
    sprinkle: scatter; square: even-up; squeeze -: squash; squeeze out-of from onto into along: press; squirt into:
    spurt; stack: pile; stain: tint; stamp: imprint; stand: set-upright; staple: tack; start: switch-on; steady:
    stabilise; sterilise: disinfect; stick in into: poke; stick on across around onto to: paste; stiffen: harden;
    stipple: dot; stir: mix; stitch: sew; stop: halt; stow: pack; strain: filter; strap: lash; streak: smear; stretch:
    pull-taut; strew: scatter; strike: hit; strip -: bare; stroke: pet; strop: whet; stuff: cram; swaddle: bundle-up;
    sweep -: brush; sweep off from out-of into: brush; sweep-up: brush-up; sweeten: sugar; swing -: swivel; swing on
    over: dangle; swing onto: sling; swing to: slew; swing-aside: turn-aside; swirl: swish; swish: swirl; switch-off:
    turn-off; switch-on: turn-on; tag: label; take -: pick-up; take from out-of off: remove; take-off: remove; take-out:
    remove; tap - on against: rap; tap into: knock; tap-down: knock-down; tape to: stick; taste: sample; tear: rip;
    tear-off: rip-off; test: try-out; thaw: defrost; thin: dilute; thread through onto: feed; throw: toss; throw-away:
    discard; tick: check-off; tie -: fasten; tie to around round in behind: fasten; tie-off: knot-off; tilt: tip; tip
    into out-of onto over: pour; tip: tilt; toast: brown; toss: throw; touch: feel; trace: outline; train: guide;
    translate: render; trim: crop; try: test; tuck: stuff; tug: pull; turn - in on: rotate; turn into: twist; turn-off:
    switch-off; turn-on: switch-on; turn-over: flip-over; twist: turn; twist-off: unscrew; unblock: unclog; unbuckle:
    undo; unbutton: undo; unclamp: release; unclip: detach; underline: underscore; undo: unfasten; undress: unclothe;
    unfasten: undo; unfold: open-out; unhook: detach; unlace: untie; unload: empty; unlock: unbolt; unpack: unbox;
    unpick: unstitch; unplug: disconnect; unravel: unpick; unroll: spread-out; unscrew: twist-off; untangle:
    disentangle; untie: undo; unwind: unreel; unwrap: unpack; unzip: undo; vaccinate: inoculate; vacuum: hoover;
    varnish: lacquer; wake: rouse; warm: heat; wash: clean; water: irrigate; wave: brandish; wedge: jam; wheel to:
    trundle; whisk: beat; whittle: carve; widen: enlarge; wiggle: waggle; wind -: coil; wind around round onto: wrap;
    wind-in: reel-in; wipe: clean; wipe-off: clean-off; withdraw: pull-out; wrap - on: bundle-up; wrap around round:
    wind; wrap in: swathe; wring: squeeze; wring-off: wrench-off; wring-out: squeeze-out; write: jot-down
"""
"""Words that mean nearly the same as an action, with the same object and the same preposition.

Prepositions stand before the colon where a word needs them; ``-`` stands for none. Where two actions could be meant by
a word, no choice may have both (:func:`are_near`).
"""


def may_be_true(claimed: ActionGraph, step: ActionGraph, *, hands: bool = True, counted: bool = False) -> bool:
    """Return whether every claimed triplet may hold in a step.

    Without ``hands``, the sentence says nothing of hands; ``counted``, it counts them: one hand is not both.
    """
    for claim in claimed.triplets:
        is_hand_use = claim.edge == WITH and claim.target in HANDS
        if not is_hand_use and not any(_may_say(claim, triplet) for triplet in step.triplets):
            return False
    claimed_hands, used = hands_of(claimed), hands_of(step)
    return (
        not hands
        or not claimed_hands
        or not used
        or (len(claimed_hands) == len(used) if counted else claimed_hands <= used)
    )


def _may_say(claim: Triplet, triplet: Triplet) -> bool:
    if claim == triplet:
        return True
    if any((claim.edge == edge) != (triplet.edge == edge) for edge in (VERB, DOBJ)):
        return False
    if claim.edge == VERB:
        return may_be_same_action(claim.target, triplet.target)
    return (
        may_be_same_thing(claim.target, triplet.target)
        and (claim.edge == DOBJ or not surely_conflicting(claim.edge, triplet.edge))
        and (may_be_same_action(claim.source, triplet.source) or may_be_same_thing(claim.source, triplet.source))
    )


def hands_of(graph: ActionGraph) -> frozenset[str]:
    """Return the hands that do it."""
    return frozenset(end for _, edge, end in graph.triplets if edge == WITH and end in HANDS)


@lru_cache(maxsize=100_000)
def may_be_same_action(action: str, rival: str) -> bool:
    """Return whether one action may be said of another: a synonym, or the same with a particle."""
    action, rival = fold(action), fold(rival)
    pairs = ((action, rival), (rival, action))
    if action == rival:
        return True
    if rival in opposites(action):
        return False
    if not GENERAL.isdisjoint((action, rival)) or same_word(action, rival) or _base(action) == _base(rival):
        return True
    if any(first in GRASPS and second in RELEASES for first, second in pairs):
        return False
    for general, unlike in ((TAKING, RELEASES), (PUTTING, GRASPS)):
        if any(first in general and second not in unlike for first, second in pairs):
            return True
    return are_near(action, rival)


def are_near(action: str, rival: str) -> bool:
    """Return whether a careful person may take one action for another.

    >>> are_near("cut", "trim"), are_near("pick-up", "fetch"), are_near("cut", "wash")
    (True, True, False)
    """
    pair, bases = {action, rival}, {_base(action), _base(rival)}
    return any(pair <= near or bases <= near for near in (GRASPS, RELEASES, TRANSFERS, *NEAR_ACTIONS))


def _base(action: str) -> str:
    parts = split_particle(action)
    return parts.verb if parts else action


@lru_cache(maxsize=100_000)
def may_be_same_thing(thing: str, rival: str) -> bool:
    """Return whether two names may mean one thing: equal words, or one is the other with a word more."""
    thing, rival = fold(thing), fold(rival)
    if thing == rival or {thing, rival} <= {*HANDS}:
        return thing == rival
    return bool(same_word(thing, rival)) or not set(thing.split("-")).isdisjoint(rival.split("-"))


def surely_conflicting(edge: str, rival: str) -> bool:
    """Return whether not both prepositions can be said of one action: what is dropped over a bin is dropped in it.

    >>> surely_conflicting("off", "onto"), surely_conflicting("over", "into"), surely_conflicting("with", "on")
    (True, False, True)
    """
    edge, rival = fold(edge), fold(rival)
    pairs = ((edge, rival), (rival, edge))
    if any(first in ABOVE and second in INSIDE for first, second in pairs):
        return False
    return conflicting(edge, rival) or any(first == WITH and second in PLACES for first, second in pairs)


@cache
def _other_words() -> dict[str, list[tuple[list[str], tuple[str, ...]]]]:
    table: dict[str, list[tuple[list[str], tuple[str, ...]]]] = {}
    for entry in OTHER_WORDS.split(";"):
        head, _, words = entry.partition(":")
        action, *edges = head.split()
        table.setdefault(action, []).append((edges, tuple(words.split())))
    return table


def other_words(action: str, edge: str = "") -> tuple[str, ...]:
    """Return words for an action before a preposition, or for the action alone; none where none is known."""
    entries = _other_words().get(action, ())
    return next((words for edges, words in entries if not edges or (edge or "-") in edges), ())
