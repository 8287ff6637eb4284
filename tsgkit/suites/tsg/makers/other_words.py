"""Other names for actions, so that a graph can be told without the names in it.

>>> other_words("close"), other_words("wind", "around"), other_words("wind", "off")
(('shut',), ('wrap',), ())

A word means nearly the same as the action, with the same object and the same preposition. Where two actions could be
meant by it, no choice may have both (:func:`tsgkit.suites.tsg.makers.claims.are_near`).
"""

from __future__ import annotations

_LINES = """
    align: line-up; bail: scoop; bang: knock; beat -: thrash; bend: flex; bind: tie; blow off from out-of: puff;
    bore: drill; break: snap; brush off from out-of: sweep; buckle: fasten; burnish: buff; button: do-up; cast: throw;
    catch: grab; chain: shackle; check: inspect examine; clamp: fasten; clip to: fasten; close: shut; coil: wind-up;
    connect: join; crack: break; crush: squash; cut-off: slice-off; cut-open: slit-open; cut-out: slice-out;
    cut: slice; dab: pat; dim: turn-down; dip: dunk; drag: haul; drape: hang; draw off from out-of through: pull;
    draw-back: pull-back; draw-in: pull-in; draw-out: pull-out; draw-up: pull-up; drill: bore; drink: sip;
    drive into through: knock; drop: let-fall; dry: towel-off; ease: coax; empty: drain; fasten: do-up;
    feed through into: pass; fetch: collect; file: rasp; fill: top-up; fit: mount; flatten: smooth-out; flick: flip;
    fling: hurl; fold -: double-over; fold-back: turn-back; gather: collect; glue: stick; grease: oil; grip: clutch;
    hack: chop; halve: split; hammer: pound bang; hang-up: suspend; hang: suspend; harden: stiffen; haul: drag;
    heat: warm; heave: hoist; hit: strike; hoist: haul-up; inject: squirt; insert: slot; inspect: examine;
    invert: upend; iron: press; knead: pummel; knock: bang; knot: tie; label: tag; lash-down: strap-down; latch: bolt;
    lather: soap; lay-down: set-down; lay: place; lean: prop; let-go: release; level: even-out; lever: prise;
    lift: raise; light: ignite; line-up: align; loosen: slacken; lower: let-down; measure: gauge; mend: repair;
    mist: spray; mix: blend; mop: swab; nail: tack; oil: grease; pack: stow; paint: coat; pass through: feed;
    paste: glue; pat: dab; peel off from: strip; peel-off: strip-off; pick: pluck; pierce: prick; pile: heap;
    pin: tack; pinch: nip; pluck off from out-of: pick; plug-in: connect; plunge: dunk; point: aim; polish: buff;
    pour: tip; press-down: push-down; press-on: push-on; press: push squeeze; prise-up: lever-up; prise: lever;
    prop: lean; pry: lever; pull-apart: tear-apart; pull-down: draw-down; pull-off: tug-off; pull-on: tug-on;
    pull-out: draw-out; pull-up: draw-up; pull: tug; pump-up: inflate; push-aside: shove-aside; push-away: shove-away;
    push-back: shove-back; push-down: press-down; push-off: shove-off; push-up: shove-up; push: shove; put-away: stow;
    put-back: return; put-down: set-down; put: place; raise: lift; release: let-go; rinse: wash;
    roll-out: flatten-out; rub -: polish; scatter: strew; scoop: ladle; scour: scrub; scrape off from out-of: scratch;
    screw into onto to: twist; screw-in: twist-in; screw-on: twist-on; scrub: scour; set-aside: put-aside;
    set-down: put-down; sew: stitch; shake: jiggle; shave: pare; shine: polish; shorten: crop; shove: push;
    shovel: scoop; shut: close; sink: submerge; slacken: loosen; slide: slip; slip: slide; slot: insert;
    smash: shatter; smooth: flatten; snap-on: click-on; soak: steep; spin: whirl; split: cleave; spray: mist;
    sprinkle: scatter; squeeze -: squash; squeeze out-of from onto into along: press; stack: pile; stand: set-upright;
    staple: tack; start: switch-on; steady: stabilise; stick in into: poke; stick on across around onto to: paste;
    stiffen: harden; stir: mix; stitch: sew; stow: pack; strap: lash; stretch: pull-taut; strew: scatter; strike: hit;
    stroke: pet; stuff: cram; sweep off from out-of into: brush; swing-aside: turn-aside; swirl: swish; swish: swirl;
    switch-off: turn-off; switch-on: turn-on; take -: pick-up; take from out-of off: remove; take-off: remove;
    take-out: remove; tap -: rap; tap into: knock; tap-down: knock-down; tear-off: rip-off; tear: rip; thaw: defrost;
    thread through onto: feed; throw-away: discard; throw: toss; tie -: knot; tie to around round in behind: fasten;
    tie-off: knot-off; tilt: tip; tip: tilt; toss: throw; trim: crop; try: test; tuck: stuff; tug: pull;
    turn -: rotate; turn into: twist; turn-off: switch-off; turn-on: switch-on; turn-over: flip-over;
    twist-off: unscrew; twist: turn; unbuckle: undo; unbutton: undo; unclamp: release; unclip: detach; undo: unfasten;
    unfasten: undo; unfold: open-out; unhook: detach; unlace: untie; unlock: unbolt; unplug: disconnect;
    unroll: spread-out; unscrew: twist-off; untie: undo; unwind: unreel; unwrap: unpack; unzip: undo; wash: clean;
    wedge: jam; whisk: beat; wiggle: waggle; wind -: coil; wind around round onto: wrap;
    wind-in: reel-in; wipe: clean; withdraw: pull-out; wrap -: bundle-up; wrap around round: wind;
    wring-out: squeeze-out; wring: squeeze; write: jot-down
"""


def _read(lines: str) -> dict[str, list[tuple[frozenset[str], tuple[str, ...]]]]:
    table: dict[str, list[tuple[frozenset[str], tuple[str, ...]]]] = {}
    for line in lines.replace("\n", " ").split(";"):
        head, _, words = line.partition(":")
        action, *edges = head.split()
        table.setdefault(action, []).append((frozenset(edges), tuple(words.split())))
    return table


_TABLE = _read(_LINES)


def other_words(action: str, edge: str = "") -> tuple[str, ...]:
    """Return words for an action before a preposition, or for the action alone; none where none is known.

    In the table, prepositions stand before the colon where a word needs them; ``-`` stands for none.
    """
    return next((words for edges, words in _TABLE.get(action, ()) if not edges or (edge or "-") in edges), ())
