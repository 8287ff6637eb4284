"""Irregular forms of English words, and words that only look inflected.

>>> IRREGULAR_BASES["wrung"], IRREGULAR_BASES["knives"], IRREGULAR_BASES["left"]
(('wring',), ('knife',), ('leave',))
>>> "seed" in WHOLE_WORDS
True

The verbs are those of everyday physical actions and their common companions; rare, poetic and dialect forms are left
out. A form may belong to two bases (``lay`` is a verb of its own and the past of ``lie``): nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tsgkit.lexicon.folding import word_set

# Each line: the base, then the forms it has *instead of* a regular past.
_INSTEAD = """
arise arose arisen
awake awoke awoken
be am is are was were been
bear bore borne
beat beaten
become became
begin began begun
bend bent
bet
bid
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
broadcast
build built
burst
buy bought
cast
catch caught
choose chose chosen
cling clung
come came
cost
creep crept
cut
deal dealt
dig dug
do does did done
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fling flung
fly flew flown
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go goes went gone
grind ground
grow grew grown
have has had
hear heard
hide hid hidden
hit
hold held
hurt
keep kept
know knew known
lay laid
lead led
leave left
lend lent
let
lie lay lain
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overlay overlaid
override overrode overridden
oversee oversaw overseen
overtake overtook overtaken
overthrow overthrew overthrown
pay paid
put
read
rebind rebound
rebuild rebuilt
recut
redo redoes redid redone
redraw redrew redrawn
regrind reground
rehang rehung
relay relaid
remake remade
repay repaid
reset
retake retook retaken
rewind rewound
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
set
shake shook shaken
shed
shoot shot
shrink shrank shrunk shrunken
shut
sing sang sung
sink sank sunk sunken
sit sat
sleep slept
slide slid
sling slung
slit
speak spoke spoken
spend spent
spin spun
spit spat
split
spread
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stink stank stunk
strike struck stricken
string strung
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
thrust
tread trod trodden
unbend unbent
unbind unbound
understand understood
undergo undergoes underwent undergone
undo undoes undid undone
unfreeze unfroze unfrozen
unstick unstuck
unstring unstrung
unwind unwound
uphold upheld
upset
wake woke woken
wear wore worn
weep wept
win won
wind wound
withdraw withdrew withdrawn
withhold withheld
wring wrung
write wrote written
"""

# Each line: the base, then the forms it has *beside* the regular ones; most verbs here have both (hung, hanged).
_BESIDE = """
bust
burn burnt
clothe clad
dive dove
dream dreamt
dwell dwelt
fit
hang hung
heave hove
hew hewn
input
kneel knelt
knit
lean leant
leap leapt
learn learnt
light lit
load laden
melt molten
mow mown
overhang overhung
plead pled
prove proven
quit
rid
rot rotten
saw sawn
resew resewn
sew sewn
shave shaven
shear shorn
shine shone
show shown
slay slew slain
smell smelt
sneak snuck
sow sown
speed sped
spell spelt
spill spilt
spoil spoilt
strew strewn
stride strode stridden
swell swollen
sweat
unclothe unclad
unweave unwove unwoven
weave wove woven
wed
wet

calf calves
elf elves
half halves
hoof hooves
knife knives
leaf leaves
life lives
loaf loaves
scarf scarves
self selves
sheaf sheaves
shelf shelves
staff staves
thief thieves
wharf wharves
wife wives
wolf wolves
axis axes
basis bases
child children
crisis crises
foot feet
goose geese
louse lice
man men
mouse mice
ox oxen
tooth teeth
woman women
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in table.strip().splitlines())
    return {line[0]: tuple(line[1:]) for line in lines if line}


def _turn_round(table: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    bases: dict[str, tuple[str, ...]] = {}
    for base, forms in table.items():
        for form in forms:
            bases[form] = (*bases.get(form, ()), base)
    return bases


_NO_REGULAR_PAST = _read(_INSTEAD)

IRREGULAR_FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType({**_NO_REGULAR_PAST, **_read(_BESIDE)})
"""A base and the forms that no rule gives."""

IRREGULAR_BASES: Mapping[str, tuple[str, ...]] = MappingProxyType(_turn_round(IRREGULAR_FORMS))
"""An irregular form and the bases it may come from."""

NO_REGULAR_PAST: frozenset[str] = frozenset(_NO_REGULAR_PAST)
"""The verbs without a form in -ed: without this, ``seed`` would be a form of ``see``."""

AMBIGUOUS: Mapping[str, str] = MappingProxyType(
    {
        "bit": "bite",
        "bore": "bear",
        "bound": "bind",
        "dove": "dive",
        "fell": "fall",
        "felt": "feel",
        "found": "find",
        "ground": "grind",
        "lay": "lie",
        "leaves": "leave",
        "left": "leave",
        "rose": "rise",
        "rung": "ring",
        "saw": "see",
        "shot": "shoot",
        "spoke": "speak",
        "stole": "steal",
        "thought": "think",
        "wound": "wind",
    }
)
"""Forms that are also everyday words of their own, and the verb they may be a form of."""

WHOLE_WORDS: frozenset[str] = word_set(
    "feed hundred naked need reed sacred seed shed weed wicked",
    "ceiling during evening herring morning pudding shilling thing",
    "always axis basis besides bias canvas chaos clothes cosmos goods hers iris lens means news ours perhaps plus",
    "series species tennis theirs this thus yours",
)
"""Words that end as if inflected and are not: ``news`` is no plural of ``new``, ``seed`` no past of ``see``."""
