"""Choice of the graphs that are the answer, by the words above them.

These say that a graph is an answer, its correction, an aside, what was given, or wrong:

>>> heading_of("Already in the scene:").role, heading_of("Summary of both graphs:").role
('given', 'aside')
>>> heading_of("Graph 2 (corrected):")
Heading(role='correction', number=2, targets=(2,))
>>> heading_of("Wait, the last graph should be:").targets, heading_of("Here is the graph:")
((-1,), Heading(role='', number=0, targets=()))

What was given, is wrong, only sums others up, or lists a state is left out, and a correction takes the place of the
graphs that it names: by their numbers, all of them where it has as many, else the only one of the same action. Where it
cannot be known which graphs count, all of them stay, and a note of the kind that :data:`UNDECIDED` lists says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

from tsgkit.graph.folding import fold_triplet
from tsgkit.graph.model import HANDS, PERSON, Triplet
from tsgkit.graph.reading.line import CROSSES, DENIES, GRAPH, Block
from tsgkit.replies.denial import WITHDRAWN
from tsgkit.replies.reasoning import TOO_MANY_LINES

ALL = 0
"""The target of a correction that speaks of every graph."""
LONGEST = 300
"""Characters of a line that are searched."""
MOST_WORDS = 4
"""Words of a heading that has no mark."""
NUMBERED = re.compile(
    rf"\W{{0,8}}(?:(?P<final>final|corrected|revised|updated|fixed)\s)?(?:{GRAPH}[ \t_-]{{0,3}}[#(]?(\d{{1,6}})\b"
    r"|\(?(\d{1,3})[.):]\W*$)",
    re.IGNORECASE,
)
"""The number of a graph in the heading above it or in its label: ``### Graph 2``, ``2.``."""
BEFORE = (
    r"(?:already|history|provided|copy\sof|(?:current|initial)\s(?:scene|state)|last\stime|given(?!\s(?:that|below|here|this|the\b[^,:\n]*,))|so\sfar|up\sto\sth(?:is|at)\spoint|(?:re-?stat\w+\s)?(?:the\s)?(?:context|background)|previous(?:ly)?|prior|preceding"
    r"|earlier|existing|before(?:\s(?:this|that|the)\b)?|known|kontext|gegeben|bisher\w*|vorher\w*|contexto|contexte)"
)
GIVEN = re.compile(
    rf"[\W_]{{0,8}}(?:(?:what|the|as|for|from|in|we|i|is|was|were|came|comes|happened|happens|ha[sd]|have|been|done|my|person|s?he|they|scene|state|story|graphs?|actions?|triplets?)\s){{0,5}}"
    rf"(?:{BEFORE}(?![\w-])|input\b|已知|上文|背景)",
    re.IGNORECASE,
)
GIVEN_NUMBER = re.compile(r"\(\W{0,3}(?:given|context|already|previous(?:ly)?)\b", re.IGNORECASE)
"""Graphs that were given, said behind the number of a graph, where ``before`` may be a time."""
ANSWERS = re.compile(
    r"\b(?:(?<!of\sthe\s)answer|target|new|next|now|final|result|output|requested|here\s(?:is|are|comes)|graphs?\s(?:for|of)|graph\sis|antwort|neue?r?s?"
    r"|respuesta|réponse)\b|答案|结果",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"\b(?:wrong|incorrect|mistakes?|errors?|invalid|faulty|rejected|discarded|ruled\sout|tempt\w+|counter-?examples?"
    r"|not\s(?:to|the\sgraph|write|use|say|like|this|these|valid|allowed|as\sfollows)|(?:one|you|we)\s(?:might|may|could))\b",
    re.IGNORECASE,
)
GIVES = re.compile(r"\bhere(?:['’]s|\sis|\sare)\s(?:the|my)\b|\bgraphs?\s(?:is|are)\b", re.IGNORECASE)
RIGHT = re.compile(r"\b(?:correct(?:ed|ion)?|right|fixed|instead(?!\sof)|should|better|was)\b", re.IGNORECASE)
OTHERWISE = re.compile(
    r"\W{0,6}(?:(?:an?|another|my|the)\s)?(?:alternativ(?:e|ely|a|amente)"
    r"|(?:(?:first|rough|initial)\s)?(?:draft|attempt|try|entwurf|borrador))\b",
    re.IGNORECASE,
)
"""An alternative to the answer, or a draft of it."""
ASIDE = re.compile(
    r"\b(?:summar(?:y|i[sz]e|i[sz]ed|i[sz]ing)|in\s(?:short|brief|sum|total|other\swords)|to\ssum\sup|combined|merged|recap\w*"
    r"|together|equivalent(?:ly)?|(?:the\s)?same\s(?:as|graphs?|triplets|again|in)\b|for\sreference|once\s(?:more|again)|as\s(?:json|cypher|a\stable|yaml)"
    r"|key\s(?:triplets|facts|relations)|overview|zusammen(?:fassung|gefasst)?|resumen|résumé|en\sresumen"
    r"|states?|status|notes?|holds|holdings?|inventory|after(?:wards)?|zustand|notizen|estado|état)\b|总结|汇总|综上|状态",
    re.IGNORECASE,
)
"""A summary of graphs, or a listing that is no part of one."""
CUE = re.compile(
    r"\b(?:correct(?:ed|ions?|ing)|incorrect|not\s++(?:right|correct|sure)|omit|moment|correct(?=\s(?:\w+\s){0,3}(?:graph|one|both|all))|wrong|my\sbad|better|improved|errat(?:um|a)|delete[ds]?|removed?|drop|scratch|edit|updates?|forgot|missing|mistakes?|again|fix(?:ed|es|ing)?|revis\w+|amended|updated|oops|sorry|wait|v(?:ersion\s)?[2-9]"
    r"|actually|second\sthought|should\s(?:be|read|have|say|look)|same\sas\b(?=.*\b(?:but|except|only|with)\b)|replace[sd]?|misread|korrektur|korrigiert\w*|corrección|corregid[oa]|rectification)\b"
    r"|不对|更正|修正|其实",
    re.IGNORECASE,
)
"""A word that makes a line about a graph a correction of it."""
IN_WORDS = re.compile(
    r"\W*(?:corrections?|errat(?:um|a)|edit|korrektur|corrección|same\sas)\b(?!\W*(?:none|not?|keine)\b)", re.IGNORECASE
)
"""The beginning of a line that corrects graphs, if only in words."""
ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "seventh": 7, "eighth": 8, "last": -1, "final": -1, "erste": 1, "zweite": 2, "dritte": 3, "letzte": -1,
}  # fmt: skip
THING = r"(?:(?:scene|action)[ -]?)?(?:graphe?|szenengraph|grafo|block|action|one)"
TARGET = re.compile(
    rf"\b(?:(?P<all>both|all|every|each|beide|alle|ambos)(?:\sof)?(?:\s(?:the|two|three|my))*\s(?:{THING}s?|of\sthem)"
    rf"|(?P<some>one|some)\sof\s(?:them\b|(?:the|my)\s(?:\w+\s){{0,2}}{THING}s?)|(?P<ordinal>{'|'.join(ORDINALS)})\s{THING}\b"
    rf"|{THING}s?[ \t_-]{{0,3}}#?(?P<number>\d{{1,3}})(?:\s?(?:and|&|,|und|y|et)\s?(?P<further>\d{{1,3}}))?\b)"
    r"|图\s?(?P<chinese>\d)",
    re.IGNORECASE,
)
ANNOUNCED = re.compile(
    r"\b(?:corrected|correction|revised|korrigiert\w*|korrektur)\b[^:：\n]{0,40}[:：]\W*$|^\W*(?:corrections?|corrected|revised|korrektur)\b[^:：\n]{0,40}[:：]"
    r"|\b(?:corrected|revised|updated|fixed|amended)\s(?:(?:scene|action)\s)?(?:graph|triplet|version|answer|output|list)s?"
    r"|\b(?:sorry|oops|wait|hmm|actually|no|my\sbad)\b[^\n]{0,60}\b(?:wrong|mistakes?|incorrect|not\s(?:right|correct))\b"
    r"|\b(?:triplet|triple|edge|relation|line)\s(?:should|must)\b|^\W*errat(?:um|a)\b|^\W*(?:please\s)?(?:delete|remove|replace|drop|omit)\s++\w[^\n]{0,60}?(?:->|→)"
    r"|korrigierte\s(?:szenen)?graph|(?:修正|更正)后?的?(?:场景)?图",
    re.IGNORECASE,
)
"""A heading that replaces graphs before it without saying which."""


Role = Literal["", "correction", "denied", "other", "given", "aside"]


class Heading(NamedTuple):
    """The role of the graphs below a line, the number that it gives them, and the graphs that they correct.

    The role is empty for an answer, or for one that a line names again. Targets count from 1, -1 is the last graph,
    :data:`ALL` every one.
    """

    role: Role = ""
    number: int = 0
    targets: tuple[int, ...] = ()


def is_short(text: str) -> bool:
    """Return whether a line may be a heading without a mark that says so."""
    if re.search(r"[:：]\s*\w", text):
        return False
    return len(text.split()) <= MOST_WORDS and not text.rstrip().endswith((".", "!", "?", ",", ";"))


def heading_of(line: str) -> Heading:
    """Return what a line without triplets says of the graphs below it."""
    text = line[:LONGEST]
    numbered = NUMBERED.match(text)
    number = int(numbered.group(2) or numbered.group(3)) if numbered else 0
    rest = text[numbered.end() :].lstrip() if numbered else text[text.rstrip().rfind(". ") + 1 :]
    bare = text.rstrip(" \t*_`#")
    is_label = (
        bare.endswith((":", "：", "]")) or text.lstrip().startswith("#") or bare != text.rstrip() or is_short(text)
    )
    is_label = rest.startswith("(") if numbered else is_label and not text.lstrip().startswith("</")
    roles: list[Role] = [role for role, is_role in ROLES if is_role(rest)] if is_label else []
    if numbered and roles == ["given"] and not GIVEN_NUMBER.match(rest):
        roles = []
    role = roles[0] if roles else ""
    has_cue = CUE.search(text) is not None
    names_graph = (has_cue or (numbered and numbered["final"])) and TARGET.search(text)
    if not (role == "denied" and DENIES.match(rest)) and (
        names_graph or (has_cue and (WITHDRAWN.search(text) or ANNOUNCED.search(text)))
    ):
        return Heading("correction", number, tuple(_targets(text)))
    return Heading(role, number, tuple(_targets(text)) if is_label and not (numbered or role) else ())


def _targets(text: str) -> list[int]:
    """Return the graphs that a line names, each once."""
    targets: dict[int, None] = {}
    for match in TARGET.finditer(text):
        if match["all"]:
            targets[ALL] = None
        elif match["ordinal"]:
            targets[ORDINALS[match["ordinal"].lower()]] = None
        elif not match["some"]:
            numbers = (match["number"] or match["chinese"], match["further"])
            targets.update(dict.fromkeys(int(number) for number in numbers if number))
    return list(targets)


def _denies(text: str) -> bool:
    marks = text.strip(" :*")
    if marks and CROSSES.issuperset(marks):
        return True
    denies = (DENIES.match(text) and not GIVES.search(text)) or WRONG.search(text)
    return denies is not None and not RIGHT.search(text)


ROLES: tuple[tuple[Role, Callable[[str], object]], ...] = (
    ("denied", _denies),
    ("other", OTHERWISE.match),
    ("given", lambda text: (GIVEN.match(text) or GIVEN_NUMBER.search(text)) and not ANSWERS.search(text)),
    ("aside", ASIDE.search),
)


REPLACED = "withdrawn by a correction behind it"
LEFT_OUT: dict[Role, str] = {
    "denied": "below words that call it wrong or an example",
    "other": "an alternative to the answer, or a draft of it",
    "given": "given, no answer",
    "aside": "a summary of the other graphs, or a listing",
}
UNKNOWN_TARGET = "a correction, and which graphs it replaces is not said"
NOT_GIVEN = "a correction that is announced and not given"
SAME_NUMBER = "a second graph of this number"
UNDECIDED = frozenset({UNKNOWN_TARGET, NOT_GIVEN, TOO_MANY_LINES})


@dataclass
class Section:
    """The blocks below a heading, and its line (from 1; 0 for the beginning of the text)."""

    heading: Heading
    line: int = 0
    blocks: list[Block] = field(default_factory=list)
    promises: bool = False
    """True where its heading must have graphs below it."""
    is_within: bool = False
    """True for one of several numbered graphs below a heading with a role."""
    is_listed: bool = False
    """True where it lists names instead of graphs, up to a blank line."""


class Entry(NamedTuple):
    """A graph with its further blocks, which name no action, and the number that its heading gave it."""

    blocks: list[Block]
    number: int = 0

    @property
    def actions(self) -> list[str]:
        """The actions that its triplets name."""
        return [line.triplet.target for block in self.blocks for line in block if line.names_action]

    @property
    def triplets(self) -> set[Triplet]:
        """Its triplets, folded."""
        return {fold_triplet(line.triplet) for block in self.blocks for line in block}


@dataclass
class Decision:
    """The blocks that are the answer, those left out with the reason, and the headings that leave it undecided."""

    blocks: list[Block] = field(default_factory=list)
    left_out: list[tuple[Block, str]] = field(default_factory=list)
    undecided: list[tuple[int, str]] = field(default_factory=list)


def decide(sections: Sequence[Section]) -> Decision:
    """Return the blocks that are the answer."""
    decision = Decision()
    entries: list[Entry] = []
    numbers: set[int] = set()
    has_answer = any(
        entry.actions for part in sections if part.heading.role in ("", "correction") for entry in _entries(part)
    )
    at = 0
    while at < len(sections):
        section, below = sections[at], _entries(sections[at])
        role = section.heading.role
        if role == "aside" and any(entry.actions for entry in below) and not _repeats(entries, below):
            role = ""
        at += 1
        if role == "correction":
            while at < len(sections) and not sections[at].heading.role:
                below += _entries(sections[at])
                at += 1
            entries = _corrected(entries, below, section, decision)
            if section.promises and not below and not any(part.blocks for part in sections[at:]):
                decision.undecided.append((section.line, NOT_GIVEN))
        elif role == "" and _names_again(entries, below, section.heading.targets):
            entries = _corrected(entries, below, section, decision)
        elif role == "" or (role == "other" and not has_answer):
            if below and below[0].number in numbers:
                decision.undecided.append((section.line, SAME_NUMBER))
            numbers.update(entry.number for entry in below if entry.number)
            _extend(entries, below)
        else:
            decision.left_out += [(block, LEFT_OUT[role]) for block in section.blocks]
    _leave_out_the_whole(entries, decision)
    decision.blocks = [block for entry in entries for block in entry.blocks]
    return decision


def _leave_out_the_whole(entries: list[Entry], decision: Decision) -> None:
    """Leave out a graph that is the union of the others, of which there are several."""
    if len(entries) < 3:
        return
    longest = max(entries, key=lambda entry: sum(map(len, entry.blocks)))
    if len(longest.actions) > 1:
        parts = [entry for entry in entries if entry is not longest]
        if longest.triplets == set(chain.from_iterable(part.triplets for part in parts)):
            decision.left_out += [(block, LEFT_OUT["aside"]) for block in longest.blocks]
            entries[:] = parts


def _entries(section: Section) -> list[Entry]:
    """Return the graphs of a section; a block that names no action belongs to the one before it."""
    entries: list[Entry] = []
    _extend(entries, [Entry([block]) for block in section.blocks])
    return [entries[0]._replace(number=section.heading.number), *entries[1:]] if entries else []


def _extend(entries: list[Entry], more: Sequence[Entry]) -> None:
    for entry in more:
        if entries and not (entry.actions or entry.number):
            entries[-1].blocks.extend(entry.blocks)
        else:
            entries.append(entry)


def _names_again(entries: Sequence[Entry], below: Sequence[Entry], targets: Sequence[int]) -> bool:
    """Return whether the graph below words about one before has its action: ``Let me redo graph 2:``."""
    if len(targets) != 1 or len(below) != 1 or targets[0] == ALL or any(len(entry.actions) != 1 for entry in entries):
        return False
    [position] = (entries and len(below[0].actions) == 1 and _places(entries, below, targets)) or [len(entries)]
    return position < len(entries) and entries[position].actions == below[0].actions


def _repeats(entries: Sequence[Entry], below: Sequence[Entry]) -> bool:
    """Return whether graphs without a triplet of their own stand behind others."""
    news = set(chain.from_iterable(entry.triplets for entry in below if entry.actions))
    return bool(entries) and news.issubset(chain.from_iterable(entry.triplets for entry in entries))


def _corrected(entries: list[Entry], below: list[Entry], section: Section, decision: Decision) -> list[Entry]:
    """Return the graphs after a correction; all of them where it is not known which ones it replaces."""
    if not entries or not below:
        return entries + below
    targets = section.heading.targets
    actions, corrections = ([action for entry in part for action in entry.actions] for part in (entries, below))
    is_all = (ALL in targets or not targets) and corrections and len(corrections) >= len(actions)
    if is_all or (len(below) > len(targets) and corrections == actions):
        decision.left_out += [(block, REPLACED) for entry in entries for block in entry.blocks]
        return below
    is_clear = ALL not in targets and all(len(entry.actions) == 1 for entry in (*entries, *below))
    places = _places(entries, below, targets) if is_clear else None
    if places is None:
        decision.undecided.append((section.line, UNKNOWN_TARGET))
        _extend(entries, below)
        return entries
    corrected: list[Entry] = list(entries)
    for entry, position in zip(below, places, strict=True):
        if position < len(entries):
            decision.left_out += [(block, REPLACED) for block in entries[position].blocks]
            corrected[position] = entry._replace(number=entries[position].number)
        else:
            corrected.append(entry)
    return corrected


def _is_about(entry: Entry, correction: Entry) -> bool:
    """Return whether two graphs have an action or an object in common."""
    names, others = (
        {name for triplet in part.triplets for name in triplet[::2]} - {PERSON, *HANDS} for part in (entry, correction)
    )
    return not names.isdisjoint(others)


def _places(entries: Sequence[Entry], below: Sequence[Entry], targets: Sequence[int]) -> list[int] | None:
    """Return the place that each corrected graph takes, those behind the end for further ones; None if unknown."""
    actions = [entry.actions[0] for entry in entries]
    numbers = {entry.number: position for position, entry in enumerate(entries) if entry.number}
    positions = [
        numbers.get(target, target - 1 if not numbers and target <= len(entries) else len(entries))
        for target in targets
    ]
    positions = [
        len(entries) - 1 if target == -1 else position for target, position in zip(targets, positions, strict=True)
    ]
    places: list[int] = []
    used_positions: set[int] = set()
    for entry in below:
        if entry.number in numbers:
            position = numbers[entry.number]
        elif entry.number and numbers:
            position = len(entries)
        elif positions:
            position = positions.pop(0)
        elif len(used_positions) == len(entries):
            position = len(entries)
        elif actions.count(entry.actions[0]) == 1:
            position = actions.index(entry.actions[0])
        elif targets and entry.actions[0] not in actions:
            position = len(entries)
        else:
            return None
        if position in used_positions or (position < len(entries) and not _is_about(entry, entries[position])):
            return None
        places.append(position)
        used_positions |= {position} - {len(entries)}
    return places
