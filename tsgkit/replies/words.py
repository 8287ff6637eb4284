"""Reader of one name: alone, after a label, in brackets, or in a sentence that answers.

>>> said = [word(reply) for reply in ("[cup]", "It was the **cup**.", "cup (95 %)", "Answer: the cup, since it fell")]
>>> [read.value for read in said if isinstance(read, Read)]
['cup', 'cup', 'cup', 'cup']
>>> word("cup or lid"), word("I cannot tell from these graphs.")
(Unreadable(reason='two answers: cup, lid'), Unreadable(reason='no one name'))

The order of evidence is that of :mod:`~tsgkit.replies.choices`. A name keeps its spelling; articles, quotes and a final
period are not part of it. Brackets with a triplet, a number or nothing are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from tsgkit.replies.characters import bare, shown_plainly, without_hidden
from tsgkit.replies.choices import BOX, BOXES, SO, answers_in, is_one_object, is_sure
from tsgkit.replies.denial import TAKEN_BACK, WITHDRAWN, is_doubted, without_denied
from tsgkit.replies.near_json import values_in
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.sections import about_the_question, behind, labels_in, without_fences, without_labels
from tsgkit.replies.spans import Part, Read, Unreadable
from tsgkit.replies.tables import answer_cells, verdicts

NOTHING_SAID = "no answer"
NO_NAME = "no one name"
MOST_WORDS = 3
"""A text with more words is a sentence, not a name."""
CLEAN = re.compile(r"\s*+\[?([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*)\]?\.?\s*+")
ARTICLE = re.compile(r"(?:an?|the|der|die|das|den|dem|eine?|el|la|los|las|una?|le|les|une|l')\b\s*+", re.IGNORECASE)
HEDGES = (
    "most likely", "very likely", "quite likely", "most probably", "very probably", "probably", "likely", "perhaps",
    "maybe", "possibly", "presumably", "apparently", "clearly", "obviously", "definitely", "certainly",
    "wahrscheinlich", "vermutlich", "vielleicht", "probablemente", "quizás", "quizá", "tal vez", "probablement",
    "peut-être", "sans doute", "大概", "很可能", "可能", "也许",
)  # fmt: skip
"""Words that say how certain the author is; they are not part of a name."""
HEDGE = "(?:" + "|".join(word.replace(" ", r"\s++") for word in HEDGES) + ")"
HEDGED = re.compile(rf"{HEDGE}(?:\s*+[,:]\s*+|\s++|(?<=[^\x00-\x7f])(?=[^\x00-\x7f]))(?:是\s*+)?(?=\S)", re.IGNORECASE)
HEDGED_BEHIND = re.compile(rf"(?:(?<!\s)\s*+,\s*+|(?<=\S)\s++){HEDGE}\Z", re.IGNORECASE)
LEADS = re.compile(r"[^\w\[(\"'\\-]*(?:[-+*•–][ \t]+|\d{1,3}[.)][ \t]+)*[^\w\[(\"'\\-]*")
ENDS = re.compile(
    r"\(.*$|,\s(?:and\s)?(?:not|rather than|instead of)\b.*$"
    r"|\s(?:because|since|as|which|that|who|from|weil|porque|parce|car)\b.*$|\s[-–—]\s.*$|[:;]\s.*$|[.!]\s.*$|[,:]?[因由]为?.*$",
    re.DOTALL,
)
BOLD = re.compile(r"\*\*([^*\n]{1,60})\*\*(?!\s*+:)")
LEAD = re.compile(r"(?:[^:?\n]{1,40}:|[^:?\n]{1,60}\?)\s++(?=\S)")
CHINESE = re.compile("[\u4e00-\u9fff]")
LONGEST_CHINESE = 10
AROUND = " \t\r\n\"'“”‘’*_`<>[]{}$|"
"""Punctuation around a name that is not part of it."""
JOINED = re.compile(r"(?:,|/|&|\+|\band\b|\bor\b|\bund\b|\boder\b|\by\b|\bo\b|\bet\b|\bou\b|和|或者?)\s*+")
BRACKET = re.compile(r"\[([^\[\]]*)\]")
NAME = re.compile(r"(?<![\w-])([^\W\d_]\w*+(?:-\w++)*+)")
LISTED = re.compile(r"\s*+(?:[-+*•–]|\d{1,3}[.)])[ \t]")
LIST = re.compile(r"\[\s*+\[|\[[^\[\]]*,[^\[\]]*,")
"""The opening of a graph or of a list of several names."""
QUOTED = re.compile(
    r"\*\*([^*\n]{1,60})\*\*|`([^`\n]{1,60})`|\"([^\"\n]{1,60})\"|‘([^’'\n]{1,60})['’]|(?<!\w)'([^'\n]{1,60})'(?!\w)|\[([^\[\]\n]{1,60})\]"
)
IS = (
    r"(?:is|(?<=\bit['’])s|(?<=\bthat['’])s|was|are|were|must\s++be|would\s++be|will\s++be"
    r"|ist|war|lautet|es|era|est|était)\b"
)
ANSWER = re.compile(
    rf"\b(?:answer|antwort|respuesta(?:\s++correcta)?|réponse)\s++{IS}\s*+(?:therefore|thus|clearly|probably|also|donc|daher)?\s*+:?\s*+([^.\n;!?]{{1,80}})(?=[.\n;!]|$)|(?:答案|应该)(?:是|为)\s*+:?\s*+([^.\n,;]{{1,40}})",
    re.IGNORECASE,
)
SENTENCE = re.compile(
    rf"(?:the|it|this|that|he|she|they|what|which|in|at|on|based)\b[^.\n;!?\[\]]{{0,200}}?\b{IS}\s++((?:(?!\b{IS}\b)[^.\n;!?,]){{1,60}})[.!]?",
    re.IGNORECASE,
)
STATEMENT = re.compile(r"\W{0,4}(?:the|it|that|he|she|they|so)\b(?![^\n]*[.?!]\s)", re.IGNORECASE)
UNABLE = re.compile(r"\b(?:unclear|cannot|can['’]t|unable|impossible|ambiguous|sorry|none)\b", re.IGNORECASE)
PLACE = re.compile(r"[a-z]++(?:\s++[a-z]++)?\s++(?:the|an?|his|her|its|their)\s")
"""A preposition after a verb, which begins a location instead of a name."""
VERB = re.compile(rf"\b{IS}", re.IGNORECASE)
RELATIVE = re.compile(r"\b(?:that|which|who|what|where|das|que|qui)\s++\Z", re.IGNORECASE)
DESCRIBES = re.compile(rf"{RELATIVE.pattern}|\b(?:it|he|she|they|this|these|those|there|er|sie)\s++\Z", re.IGNORECASE)
"""A pronoun before a verb: what follows describes an object named earlier."""
LONGEST_PRONOUN = 12
FURTHER = re.compile(
    r",|\b(?:that|which|who|whose|whom|where|when|while|because|since|as|and|so|but|for|if)\b", re.IGNORECASE
)
"""The beginning of a clause after a name."""
I_SAY = r"i(?:['’]d|\s++would)?\s++(?:say|answer|choose|pick|go\s++with|think|believe)"
CONCLUSION = re.compile(
    rf"(?:^|(?<=[.!?;,…])\s++|\n)[^\w\n]{{0,8}}(?:{SO}|{I_SAY}|which\s++makes(?:\s++(?:the\s++answer|it))?)\b(?!\s++(?:that|far|long|is|much|many)\b)"
    rf"\s*+[,:]?\s*+(?:{I_SAY}\s++)?([^\n.;!?]{{1,200}})",
    re.IGNORECASE,
)
"""A clause that concludes: ``so the tool was the scraper``, ``that leaves the bucket``."""
INSERTED = re.compile(
    r"\s*+[:,]?\s*+(?:(?:of\s++course|indeed|clearly|obviously|therefore|again|in\s++fact)\s*+,\s*+)?", re.IGNORECASE
)
NOTHING = {
    "", "n/a", "na", "none", "null", "nothing", "unknown", "unclear", "answer", "your answer", "object", "name", "word",
    "single word", "neither", "either", "both", "undetermined",
    "insufficient information", "nothing fits",
    "yes", "no", "true", "false", "right", "wrong", "correct", "incorrect", "ja", "nein",
    "not mentioned", "not specified", "not given", "not stated", "no answer", "one", "what", "无", "没有",
    *HEDGES,
}  # fmt: skip
FILLERS = {
    "as follows", "below", "above", "given below", "shown below", "clear", "simple", "obvious", "straightforward",
    "hard", "difficult", "easy", "sorry", "sure", "okay", "ok", "certainly", "of course", "thanks", "thank you",
    "hope this helps", "thinking", "reasoning",
}  # fmt: skip
"""Words that are no names in a sentence or beside other lines; as the whole answer they may be an action."""
DENIES = re.compile(r"\bnot\b|n't\b", re.IGNORECASE)
SENTENCE_OF_ITS_OWN = re.compile(r"(?<!\S)(?:is|was|are|were)(?!\S)", re.IGNORECASE)
OF_SENTENCES = frozenset(
    {"it", "it's", "its", "this", "that", "that's", "these", "those", "he", "she", "they", "we", "you", "i'd", "i'm",
     "one", "ones", "there", "here", "so", "then", "thus", "hence", "therefore", "also", "but", "alternatively",
     "instead", "answer", "answers", "means", "conclusion", "say", "do", "does", "did"}
)  # fmt: skip
"""Words that no name holds unless it is known."""
NUMBERED = re.compile(r"(?<!\w)\d{1,3}[.)]\s|[?|]")
"""Marks of a list, a question or a table within what may be a name."""
DENIED = re.compile(r"(?:not|no|nicht|nein|never|kein\w*|cannot|can't|i)\b", re.IGNORECASE)


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return the one name that a reply says.

    ``known`` are lower-case names that are accepted in any form: "salt and pepper", "a a", "object".
    """
    if (match := CLEAN.fullmatch(reply)) and (match.group(1).lower() not in NOTHING or match.group(1).lower() in known):
        return Read(match.group(1), *match.span(1))
    text, places = without_hidden(reply)
    answer = spoken(text)
    if isinstance(answer, Unreadable):
        return answer
    for end in answer.ends():
        plain = about_the_question(without_fences(shown_plainly(end)), lambda line: _telling(line, known))
        name = _word_in(without_denied(plain, known), known, plain)
        if name not in (Unreadable(NO_NAME), Unreadable(NOTHING_SAID)):
            break
    if places is None or isinstance(name, Unreadable):
        return name
    return Read(name.value, places[name.start], places[name.end])


def _word_in(part: Part, known: AbstractSet[str], plain: Part) -> Read[str] | Unreadable:
    """Return the name that a text says without what it denies; ``plain`` is the text with that."""
    if not part.text.strip():
        return Unreadable(NOTHING_SAID)
    labels = labels_in(part)
    is_plain = len(labels) == 1 and "{" not in part.text
    if is_plain and (clean := CLEAN.fullmatch(part.text, labels[0].end())) and _is_name(clean.group(1)):
        return Read(clean.group(1), part.start + clean.start(1), part.start + clean.end(1))
    if candidates := [*_in_json(part, known), *_boxed(part, known)]:
        return _agreed(candidates, part, known)
    written = len(part.text.rstrip())
    if labels := [label for label in labels if label.end() < written]:
        ends = [label.start() for label in labels[1:]] + [len(part.text)]
        parts = [behind(part, label, end) for label, end in zip(labels, ends, strict=True)]
        names_of_labels = [(label, _first(section, known)) for label, section in zip(labels, parts, strict=True)]
        final = [names for label, names in names_of_labels if names and (label.group("final") or label.group("tag"))]
        if candidates := [name for names in final or [names for _, names in names_of_labels] for name in names]:
            return _agreed(candidates, part, known)
        part = parts[-1]
    else:
        part = without_labels(part)
        judged = [(name, is_right) for name, is_right in verdicts(plain, NAME) if name.text.casefold() in known]
        if len(judged) > 1 and (affirmed := [name.read_as(name.text) for name, is_right in judged if is_right]):
            return _agreed(affirmed, plain, known)
    for kind in (_in_sentences, _in_tables, _alone, _in_brackets):
        if candidates := kind(part, known):
            return _agreed(candidates, part, known)
    return Unreadable(NO_NAME if any(map(str.isalnum, part.text)) else NOTHING_SAID)


def _agreed(names_read: Sequence[Read[str]], part: Part, known: AbstractSet[str]) -> Read[str] | Unreadable:
    """Return the one name that all agree on; the last one if words before it take others back."""
    last = max(names_read, key=lambda entry: entry.start)
    behind_it = _concluded(part.cut(last.end - part.start), known)
    names_read = [*names_read, *(entry for entry in behind_it if entry.value.casefold() in known)]
    last = max(names_read, key=lambda entry: entry.start)
    names = {entry.value.casefold(): entry.value for entry in names_read}
    if len(names) > 1:
        others = [entry.end for entry in names_read if entry.value.casefold() != last.value.casefold()]
        if max(others) >= last.start or not TAKEN_BACK.search(
            part.text, max(others) - part.start, last.start - part.start
        ):
            return Unreadable(f"two answers: {', '.join(sorted(names.values()))}")
    if is_doubted(part.text[max(last.end - part.start, 0) :], lambda name: not known or name.casefold() in known):
        return Unreadable("the answer is one of several")
    if WITHDRAWN.search(part.text, max(last.end - part.start, 0)):
        return Unreadable("the answer is taken back")
    return last


def _first(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names that the first line of a part gives."""
    lines = part.lines()
    if len(lines) > 1 and all(LISTED.match(line.text) and _is_short(line) for line in lines):
        return [name for line in lines for name in _names(line, known)]
    return _names(lines[0], known) if lines else []


def _names(line: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the name of a line, or several joined names; none if the line has other words."""
    lead = LEADS.match(line.text)
    content = line.cut(lead.end() if lead else 0).strip()
    bracket = BRACKET.match(content.text)
    if bracket and (further := list(_bracketed(content.cut(bracket.end()), known))):
        return [*_joined(_stripped(content.cut(*bracket.span(1))), known), *further]
    if "->" in content.text or LIST.search(bracket.group() if bracket else content.text):
        return []
    content = content.cut(*bracket.span(1)) if bracket else bare(content).strip()
    for name in (_unmarked(content), _stripped(content)):
        if name.text.casefold() in known:
            return [name.read_as(name.text)]
    if (lead := LEAD.match(name.text)) and (led := _joined(_stripped(name.cut(lead.end())), known)):
        return led
    if explained := ENDS.search(name.text):
        name = _stripped(name.cut(0, explained.start()).strip(","))
    return _joined(name, known)


def _joined(name: Part, known: AbstractSet[str]) -> list[Read[str]]:
    if name.text.casefold() in known:
        return [name.read_as(name.text)]
    if name.text.casefold().startswith("either "):
        name = name.cut(7)
    parts, at = [], 0
    for joint in JOINED.finditer(name.text):
        parts.append(_stripped(name.cut(at, joint.start())))
        at = joint.end()
    parts.append(_stripped(name.cut(at)))
    names = [part.read_as(part.text) for part in parts if _is_name(part.text)]
    if 0 < len(names) < len(parts) and _is_name(parts[0].text) and (not known or parts[0].text.casefold() in known):
        is_behind_comma = "," in name.text[: parts[1].start - name.start]
        return names[:1] if is_behind_comma and len(parts[1].text.split()) > MOST_WORDS else []  # an explanation
    return names if len(names) == len(parts) else []


def _unmarked(part: Part) -> Part:
    """Return a name without quotes, marks and a final period."""
    return part.strip(AROUND).strip(".!?:").strip(AROUND)


def _stripped(part: Part) -> Part:
    """Return a name without marks, articles and words that say how sure it is."""
    name = _unmarked(part)
    if hedge := HEDGED.match(name.text):
        name = _unmarked(name.cut(hedge.end()))
    if hedge := HEDGED_BEHIND.search(name.text):
        name = _unmarked(name.cut(0, hedge.start()))
    article = ARTICLE.match(name.text)
    return name.cut(article.end()) if article and article.end() < len(name.text) else name


def _is_name(text: str) -> bool:
    if CHINESE.search(text) and (len(text) > LONGEST_CHINESE or "是" in text):
        return False
    folded = text.casefold()
    words = len(text.split()) <= MOST_WORDS and len(text) <= 60 and "->" not in text
    return (
        words
        and folded not in NOTHING
        and not ARTICLE.fullmatch(text)
        and not text.isdecimal()
        and any(map(str.isalpha, text))
        and not DENIED.match(text)
        and not SENTENCE_OF_ITS_OWN.search(text)
        and not NUMBERED.search(text)
        and OF_SENTENCES.isdisjoint(folded.replace("’", "'").split())
    )


def _in_json(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    if "{" not in part.text and not part.text.lstrip().startswith("["):
        return []
    reads = []
    for value in values_in(part.text):
        texts = list(answers_in(value.value))
        if (
            isinstance(value.value, list)
            and len(value.value) == 1
            and isinstance(value.value[0], str)
            and '"' in part.text
        ):
            texts = [value.value[0]]
        for text in texts:
            names = _names(Part(text), known)
            reads += [Read(name.value, part.start + value.start, part.start + value.end) for name in names]
    return reads


def _boxed(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    if not any(mark in part.text for mark in BOXES):
        return []
    return [name for box in BOX.finditer(part.text) for name in _names(part.cut(*box.span(1)), known)]


def _in_tables(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    return [name for cell in answer_cells(part) for name in _names(cell, known)]


def _in_sentences(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names of sentences that answer."""
    plain = bare(part)
    names: list[Read[str]] = []
    for match in ANSWER.finditer(plain.text):
        span = match.span(1 if match.group(1) else 2)
        if is_sure(plain.text, match.start()):
            names += _telling(plain.cut(*span), known) or _quoted(part.cut(*span), known)
    names += _concluded(part, known)
    if names:
        return names
    for raw in part.lines():
        line = bare(raw).strip()
        if (sentence := SENTENCE.fullmatch(line.text)) and not DENIES.search(line.text):
            names += _quoted(raw, known) or _complements(line, sentence.span(1), known)
    lines = part.lines()
    if names and len(lines) > 1 and names[-1].end <= lines[-1].start and len(lines[-1].text.split()) == 1:
        names += _telling(lines[-1], known)  # what stands alone behind a sentence may be what the sentence leads to
    return names or _set_apart(part, known)


def _concluded(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names that the last conclusion on the last line leads to: known ones, or set apart by marks."""
    lines = part.lines()
    line = bare(lines[-1]) if lines else part
    clauses = list(CONCLUSION.finditer(line.text))
    if not clauses or not is_sure(line.text, clauses[-1].start(1)):
        return []
    clause = line.cut(*clauses[-1].span(1))
    verbs = [verb.end() for verb in VERB.finditer(clause.text)]
    rest = clause.cut(verbs[-1] if verbs else 0)
    inserted = INSERTED.match(rest.text)
    name = rest.cut(inserted.end() if inserted else 0)
    if any(map(str.isalnum, line.text[clauses[-1].end() :])):
        return []
    return [
        conclusion
        for conclusion in _telling(name, known)
        if conclusion.value.casefold() in known or not (known or verbs)
    ]


def _complements(line: Part, last: tuple[int, int], known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names that the verbs of a sentence lead to.

    The words after the last verb count unless they only describe an object named earlier.
    """
    *earlier, main = [verb.span() for verb in VERB.finditer(line.text, 0, last[0])]
    is_description = _describes(line.text, main[0], DESCRIBES if earlier else RELATIVE)
    complements = []
    for (start, end), (until, _) in pairwise([*earlier, main]):
        if not _describes(line.text, start, RELATIVE):
            further = FURTHER.search(line.text, end, until)
            names = _telling(line.cut(end, further.start() if further else until), known)
            complements += [name for name in names if name.value.casefold() in known or (is_description and not known)]
    led = _telling(line.cut(*last), known)
    is_none = complements or is_description
    return complements + [
        name for name in led if name.value.casefold() in known or not (is_none or PLACE.match(name.value.casefold()))
    ]


def _describes(text: str, verb: int, subjects: re.Pattern[str]) -> bool:
    """Return whether the subject of a verb, after the first word, is one of these pronouns."""
    subject = subjects.search(text, max(0, verb - LONGEST_PRONOUN), verb)
    return subject is not None and subject.start() > 0


def _telling(line: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names of a line beside other words, fillers left out."""
    return [name for name in _names(line, known) if name.value.casefold() not in FILLERS]


def _set_apart(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the one name in bold of a text, which no sentence denies, or that its last sentence sets apart at its
    end: ``The person uses the `scraper`.``
    """
    spans = [match.span(1) for match in BOLD.finditer(part.text) if is_sure(part.text, match.start())]
    if len(spans) == 1:
        return _within(part.cut(*spans[0]), known)
    *_, line = part.lines() or [part]
    is_statement = STATEMENT.match(line.text) and not (DENIES.search(line.text) or UNABLE.search(part.text))
    names = _quoted(line, known) if is_statement else []
    return [name for name in names if not any(map(str.isalnum, part.text[name.end - part.start :]))]


def _quoted(line: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the one name that a sentence sets apart."""
    spans = [match.span(match.lastindex or 0) for match in QUOTED.finditer(line.text)]
    return _within(line.cut(*spans[0]), known) if len(spans) == 1 else []


def _within(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the names that are set apart within a sentence: known ones, where there are any."""
    return [name for name in _names(part, known) if not known or name.value.casefold() in known]


def _alone(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    """Return the name that the whole text, its first or its last line is."""
    lines = part.lines()
    if not lines or is_one_object(part):
        return []
    if len(lines) == 1:
        return _names(lines[0], known)
    listed = [line for line in lines if LISTED.match(line.text)]
    if len(listed) == len(lines):
        return [name for line in lines for name in _names(line, known)]
    is_led_to = len(listed) < 2 or (lines[-1] not in listed and lines[-2].text.rstrip().endswith(":"))
    last = _telling(lines[-1], known) if _is_short(lines[-1]) and is_led_to else []
    return [*(_telling(lines[0], known) if _is_short(lines[0]) else []), *last]


def _is_short(line: Part) -> bool:
    return len(line.text.split()) <= MOST_WORDS + 2


def _in_brackets(part: Part, known: AbstractSet[str]) -> list[Read[str]]:
    return list(_bracketed(part, known))


def _bracketed(part: Part, known: AbstractSet[str]) -> Iterator[Read[str]]:
    for match in BRACKET.finditer(part.text):
        inside = _stripped(part.cut(*match.span(1)))
        if "," not in inside.text and _is_name(inside.text):
            yield inside.read_as(inside.text)
