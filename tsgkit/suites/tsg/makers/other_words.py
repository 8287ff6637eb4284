"""Other names for actions, so that a graph can be told without the names in it.

>>> other_words("close"), other_words("wind", "around"), other_words("wind", "off")
(('shut',), ('wrap',), ())

A word means nearly the same as the action, with the same object and the same preposition. Where two actions could be
meant by it, no choice may have both (:func:`tsgkit.suites.tsg.makers.claims.are_near`).
"""

from __future__ import annotations

_LINES = """
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
