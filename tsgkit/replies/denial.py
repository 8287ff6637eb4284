"""Blanking of what a reply names only to turn it down: denied, asked about, set behind another, an alternative.

>>> without_denied(Part("Not [brush] but [roller]."), {"brush"}).text.split()
['[roller].']
>>> without_denied(Part("Is it the brush? No, roller (alternative: tray)."), {"brush", "tray"}).text.split()
['Is', 'it', '?', ',', 'roller', '(', ').']
>>> without_denied(Part("Not only [brush] but also [roller]."), set()).text
'Not only [brush] but also [roller].'

Only a name that is set apart by marks, a letter of an option, or one of the known names is blanked, with the words that
deny it. All positions stay valid.

Phrases take an answer back or offer several:

>>> bool(TAKEN_BACK.search("Actually, it is on the left.")), bool(WITHDRAWN.search("Wait, no."))
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from tsgkit.replies.spans import Part

TAKEN_BACK = re.compile(
    r"\b(?:wait|hmm+|correct(?:ion|ed)|actually|scratch\s++that|second\s++thought"
    r"|(?:reconsider|(?:re-?|double[- ])check|re-?examin|verify|mistake)\w*|misread|was\s++wrong"
    r"|sorry|revis(?:e|ed|ing)|chang(?:e|ed|ing)\s++my|oops|apologies|korrektur|korrigiere|doch|perdón|mejor\s++dicho|en\s++realidad|corrección|pardon|en\s++fait|finalement|rectification)\b|不对|更正|等等|重新|纠正|其实|(?<=[.!?…]\s)no[,:]\s",
    re.IGNORECASE,
)
"""A phrase between two answers that makes the second one count."""
WITHDRAWN = re.compile(
    r"\b(?:wait|actually)\b[,.]?\s*+(?:no\b(?!\s++(?:other|need|doubt|change))|that(?:'s|\s++is)\s++(?:not|wrong))\b|\bno,?\s++wait\b|\bscratch\s++that\b|\bnot\s++sure\s++any\s?more\b"
    r"|\bmoment\b,?\s*+(?:nein|das\s++stimmt\s++nicht)|不对|更正",
    re.IGNORECASE,
)
"""A phrase after an answer that withdraws it without giving another."""
DOUBTED = re.compile(
    r"\bor\s++(?:maybe|perhaps|possibly)\s++(?:(?:the|an?|option|it(?:['’]s|\s++(?:is|was)))\s++)*+[\[(*\"'`]*+(?P<name>[\w-]++)"
    r"|\b(?:can(?:no|['’])t\s++(?:tell|decide|say|settle\s++on\s++(?:one|either)(?:\s++of\s++them)?+)|(?:hard|impossible)\s++to\s++(?:tell|say|decide)|not\s++sure)[^\S\n]*+(?:[.!;]|$)"
    r"|\A[^\w.!?\n]{0,6}(?:unless|if|provided|assuming|falls|wenn)\b[^.\n]{1,200}\b(?:then|otherwise|else|sonst|dann)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Words that make an answer before them one of two: another name, an admission, a condition right behind it."""
ALTERNATIVE = re.compile(
    r"^[^\w\n]*(?:option|alternative|variant|possibility)\s*(?:\d{1,2}|[A-D])\b[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)
"""A heading above one of several offered answers."""


def is_doubted(behind: str, is_answer: Callable[[str], object]) -> bool:
    """Return whether the text behind an answer leaves it open which of several counts."""
    return any(not doubt["name"] or is_answer(doubt["name"]) for doubt in DOUBTED.finditer(behind))


MARKED = r"\[[^\[\]\n]{1,60}\]|\*\*[^*\n]{1,60}\*\*|`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”"
ARTICLE = r"(?:(?i:the|an?|der|die|das|den|el|la|le|option|choice|answer|letter|candidate)\s++)?"
LETTER = r"(?:\([A-H]\)|(?:[B-H]|A(?!\s++(?!(?i:n?or|but|and|is|was|oder|und|noch|sondern|ni|y|sino)\b)\w))(?![\w'’]))"
WORD = r"[^\W\d_]\w*+(?:-\w++)*+"
NAMED = rf"(?:{LETTER}|{ARTICLE}(?:{MARKED}|{LETTER}|(?P<first>{WORD})))"
"""A name: set apart by marks, the letter of an option, or a word."""
OR = r"(?i:n?or|oder|ni)"
FURTHER = f"(?>{NAMED.replace('P<first>', ':')})"
LIST = rf"{NAMED}(?P<more>(?:\s*+,\s*+(?!{OR}\b){FURTHER}){{0,6}}+\s*+(?:,\s*+)?{OR}\s++{FURTHER})?"
COMMA = r"(?:,\s{0,3}(?i:(?:and|und|y|et)\s{1,3})?|(?<!\w)(?i:and|und|y|et)\s{1,3})?"
DO = r"(?i:be|use|using|answer|write|choose|pick|say|select|take|with|called?)"
BUT = r"(?:\s*+,?\s*+(?:(?i:but|sondern|sino|mais)\b(?!\s++(?i:also|auch)\b)|而是)\s*+:?)?"
WRONG = (
    r"(?:(?i:no|nope|wrong|incorrect|false|not\s++(?:right|correct|it)|excluded|ruled\s++out|nein|falsch)\b|[❌✗✘❎])"
    r"(?!\s++(?:doubt|other|need))"
)
DENIALS: dict[tuple[str, ...], str] = {
    ("not", "never", "nicht", "neither", "nor", "weder", "noch", "ni ", "avoid", "kein"):
        rf"{COMMA}(?<!\w)(?i:(?:do(?:es)?|did|can|could|must|should|would)\s++(?=not\s++{DO}))?"
        rf"(?i:not|never|nicht|neither|nor|weder|noch|ni|avoid|kein\w*)\s++(?!(?i:only|just|nur)\b)(?:{DO}\s*+:?\s*+)?{LIST}{BUT}",
    ("n't", "n’t"):
        rf"(?:(?i:\b(?:do|does|did|ca|could|should|would))(?=n['’]t\s++{DO}))?n['’]t\s++(?:{DO}\s*+:?\s*+)?{LIST}{BUT}",
    ("cannot", "no es", "pas"):
        rf"(?<!\w)(?i:cannot\s++be|no\s++es|ce\s++n['’]est\s++pas)\s++{LIST}{BUT}",
    ("不是", "并非", "不选"):
        rf"(?:不是|并非|不选)\s*+{LIST}{BUT}",
    ("than", "instead", "opposed", "unlike", "statt", "anstelle", "lugar", "plutôt", "lieu"):
        rf"{COMMA}(?<!\w)(?i:rather\s++than|instead\s++of|as\s++opposed\s++to|unlike|statt|anstelle\s++von|en\s++lugar\s++de"
        rf"|plutôt\s++que|au\s++lieu\s++d[eu])\s++{LIST}",
    ("alternativ", "another", "runner", "second"):
        rf"{COMMA}(?<!\w)(?i:alternative(?:ly)?|alternativa|alternativement|another\s++option|runner-up|second\s++(?:choice|best))"
        rf"(?:\s++(?i:answer|name))?(?:\s*+[:,–-]|\s++(?i:is|was|would\s++be|could\s++be))?\s*+{LIST}",
    ("?", "？"):
        rf"(?<![^\W_]){LIST}\s*+[?？](?!\s*+(?i:yes|ja\b|sí|oui|correct|right|exactly|是|对))(?:\s*+(?i:no|nope|nein|not|non)\b(?=\s*+[,.:;!–—-]))?",
    ("no", "wrong", "incorrect", "false", "excluded", "ruled", "nein", "falsch", *"❌✗✘❎"):
        rf"(?<![\w-])(?!\"){ARTICLE}(?:{MARKED}|(?P<first>{WORD}))(?P<more>)\s*+(?::|=|-{{1,2}}>|[→–—-]|(?i:is|was|would\s++be)\b|(?=[❌✗✘❎]|no\b))\s*+{WRONG}",
    ("wrong", "incorrect", "false", "falsch", "rejected", "excluded", "eliminated", *"❌✗✘❎"):
        rf"(?:[❌✗✘❎]\s*+|\b(?i:wrong|incorrect|false|falsch|rejected|excluded|eliminated)\s*+:\s*+){LIST}",
}  # fmt: skip
"""Patterns of denials, each within a line; every text that one matches contains one of the words before it."""
DENIED = {words: re.compile(pattern.replace(r"\s", r"[^\S\n]")) for words, pattern in DENIALS.items()}
UNMARKED = re.compile(rf"{ARTICLE}(?:{MARKED}|{LETTER}|{OR}\b|({WORD}))")
"""The words of a list that are neither letters nor set apart by marks."""
ANY = re.compile("[^?？\n]")
"""The text that is blanked; the mark of a question stays."""


def without_denied(part: Part, known: AbstractSet[str] = frozenset()) -> Part:
    """Return a text with the names that it turns down blanked; ``known`` are folded names that need no marks."""

    def blanked(match: re.Match[str]) -> str:
        if match["first"] and match["first"].casefold() not in known:
            return match.group()
        further = filter(None, UNMARKED.findall(match["more"] or ""))
        is_list = all(name.casefold() in known for name in further)
        end = (match.end() if is_list else match.start("more")) - match.start()
        return ANY.sub(" ", match.group()[:end]) + match.group()[end:]

    text, folded = part.text, part.text.lower()
    for words, pattern in DENIED.items():
        if any(map(folded.__contains__, words)):
            text = pattern.sub(blanked, text)
    return Part(text, part.start)
