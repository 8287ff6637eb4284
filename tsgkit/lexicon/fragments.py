"""Texts that are no whole sentence: cut off at a comma, or a clause or phrase without a main clause.

>>> unfinished("After letting go of the cord,"), unfinished("While she holds the lid.")
('ends in a comma', 'is only a subordinate clause')
>>> unfinished("While she holds the lid, he wipes the pan."), unfinished("With both hands lift the lid.")
('', '')

There is no dictionary. A text counts as unfinished only if each of its parts can be read as a phrase, or as the one
clause that its conjunction opens; wherever a word may be the verb of a main clause, the text counts as whole. Not
covered: clauses without a subject (``then put on the table``), nouns without an article (``soap on the sponge``),
phrases with more than three words around a noun.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.inflection import IRREGULAR_PLURAL, bases
from tsgkit.lexicon.irregular import IRREGULAR_BASES, NO_REGULAR_PAST
from tsgkit.lexicon.prepositions import PARTICLES, PREPOSITIONS

CLAUSE, PHRASE = "is only a subordinate clause", "is only a phrase"
_ENDS = {",": "ends in a comma", ";": "ends in a semicolon", ":": "ends in a colon"}
_LAST_WORDS = word_set("a an the and or nor")
_AROUND = " \t\r\n\"'’”»)]*_"
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)")
_PART_END = re.compile(r"[,;:–—()]|\s-\s")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_AUXILIARY = re.compile(
    r"(?:is|are|was|were|am|has|have|had|does|do|did|can|cannot|could|will|would|shall|should|may|might|must"
    r"|\w+n['’]t|\w+['’](?:re|ll|ve|d)|(?:he|she|it|that|there|here|what)['’]s)"
)
_DETERMINERS = word_set(
    "a an the this that these those his her its their my your our each every another both all one two three four some"
)
_SUBJECTS = word_set("he she they we i")
_PRONOUNS = _SUBJECTS | word_set("it you him them us me itself themselves himself herself")
_RELATIVE = word_set("which who that")
_CONJUNCTIONS = word_set(
    "while when whenever once because if unless although though whereas wherever which who whose after before since "
    "until till as"
)
_ALSO_PREPOSITIONS = word_set("after before since until till as")
_ADVERBS = word_set(
    "and or but nor then again also still now just too very not never next so yet even only back there here"
)
_LONGEST_PHRASE = 3


def unfinished(text: str) -> str:
    """Return what shows that a text is no whole sentence; empty where nothing does."""
    stripped = text.rstrip(_AROUND)
    if reason := _ENDS.get(stripped[-1:]):
        return reason
    words = _WORD.findall(stripped)
    if len(words) > 1 and words[-1] in _LAST_WORDS and stripped.endswith(words[-1]):
        return f"ends in '{words[-1]}'"
    if stripped.endswith("?"):
        return ""
    parts = [_part(text, at == 0) for whole in _SENTENCE_END.split(stripped) for at, text in enumerate(_parts(whole))]
    return "" if "" in parts or not parts else CLAUSE if CLAUSE in parts else PHRASE


def noun_phrases(text: str) -> list[str]:
    """Return the nouns of a text that have an article or another determiner, with the words between.

    >>> noun_phrases("The car door was closed with the other hand.")
    ['The car door', 'the other hand']
    """
    phrases = []
    for part in _PART_END.split(text):
        words = _WORD.findall(part)
        lower = [word.lower() for word in words]
        starts = (at for at, word in enumerate(lower) if word in _DETERMINERS)
        phrases += [" ".join(words[at : _end_of_noun(lower, at)]) for at in starts]
    return phrases


def _parts(sentence: str) -> list[list[str]]:
    """Return the words between commas, without the adverbs before them; capitals are kept where a name may be."""
    parts = []
    for part in _PART_END.split(sentence):
        words = _WORD.findall(part)
        while words and (words[0].lower() in _ADVERBS or words[0].lower().endswith("ly")):
            del words[0]
        parts.append([word if at and word != "I" else word.lower() for at, word in enumerate(words)])
    return [words for words in parts if words]


def _part(words: Sequence[str], is_first: bool) -> str:
    """Return the kind of fragment that words are; empty where they may have a main clause."""
    first, rest = words[0], words[1:]
    if not rest or not "".join(words).islower():  # one word, or a name, which may be the subject of any verb
        return ""
    if first in _CONJUNCTIONS:
        is_clause = first not in _ALSO_PREPOSITIONS or rest[0] in _PRONOUNS
        # "the glue was", not "the inspection it was" or "the meal tea was"
        is_clause |= rest[0] in _DETERMINERS and _AUXILIARY.fullmatch("".join(rest[2:3])) is not None
        return CLAUSE if _is_headless(rest, int(is_clause and not _is_gerund(rest[0]))) else ""
    opens = first in PREPOSITIONS or _is_gerund(first) or (first in _DETERMINERS and (is_first or len(words) == 2))
    return PHRASE if opens and _is_headless(words, 0) else ""


def _is_headless(words: Sequence[str], verbs: int) -> bool:
    """Return whether words can be read with at most so many finite verbs, which are those of a clause, not the main
    one."""
    position, may_govern = 0, False  # after a preposition or a verb comes its object, which may look like a verb
    if verbs and words[0] in _PRONOUNS:
        position = 1
        if not _AUXILIARY.fullmatch(words[1] if len(words) > 1 else ""):
            position, verbs, may_govern = 2, 0, True
    while position < len(words):
        word, following = words[position], "".join(words[position + 1 : position + 2])
        if _AUXILIARY.fullmatch(word):
            verbs, may_govern = verbs - 1, True
            if verbs < 0:
                return False
        elif word in _RELATIVE and position and _AUXILIARY.fullmatch(following):
            verbs += 1
        elif word in _PRONOUNS:
            if word in _SUBJECTS or not may_govern:
                return False
            may_govern = False
        elif word in PREPOSITIONS | PARTICLES or _is_gerund(word):
            is_infinitive = word in ("to", "having") and following not in _DETERMINERS | _PRONOUNS
            position, may_govern = position + is_infinitive, True
        elif word not in _ADVERBS and not word.endswith("ly"):
            end = _end_of_noun(words, position)
            following = "".join(words[end : end + 1])
            is_relative = following in _RELATIVE and _AUXILIARY.fullmatch("".join(words[end + 1 : end + 2]))
            finite_verbs = _finite_verbs(words[position:end], "" if is_relative else following, may_govern)
            if finite_verbs > verbs:
                return False
            position, verbs, may_govern = end - 1, verbs - finite_verbs, bool(finite_verbs)
        position += 1
    return True


def _end_of_noun(words: Sequence[str], start: int) -> int:
    """Return where the words around a noun end, beginning with an article or without one."""
    first = start + (words[start] in _DETERMINERS)
    for position in range(first + (words[start] in ("a", "an", "the")), len(words)):  # "the back", "an inside pocket"
        word = words[position]
        if _ends_noun(word) or (position > first and _is_gerund(word)):
            return max(position, start + 1)
    return len(words)


def _ends_noun(word: str) -> bool:
    is_small = word in _DETERMINERS | _PRONOUNS | _ADVERBS | _RELATIVE | PREPOSITIONS | PARTICLES
    return is_small or word.endswith("ly") or _AUXILIARY.fullmatch(word) is not None


def _finite_verbs(words: Sequence[str], following: str, may_govern: bool) -> int:
    """Return how many finite verbs may be among the words around a noun; in doubt more than a clause has."""
    in_doubt = len(words) + 1
    nouns = words[words[0] in _DETERMINERS :]
    after_noun = nouns[may_govern or len(nouns) < len(words) :]
    if len(nouns) > _LONGEST_PHRASE or any(map(_is_plural, nouns[:-1])) or any(map(_is_verb, after_noun[:-1])):
        return in_doubt
    if following in _DETERMINERS | _PRONOUNS:  # what precedes another noun ends in a verb
        return 1 if len(words) > 1 else in_doubt
    return int(any(map(_is_verb, after_noun)) or (not may_govern and any(map(_is_plural, after_noun))))


def _is_gerund(word: str) -> bool:
    return word.endswith("ing") and len(bases(word)) > 1 and word not in NO_REGULAR_PAST


def _is_plural(word: str) -> bool:
    has_ending = word.endswith("s") and len(bases(word)) > 1
    return has_ending or IRREGULAR_PLURAL.search(word) is not None or word == "people"


def _is_verb(word: str) -> bool:
    is_past = word in IRREGULAR_BASES and not IRREGULAR_PLURAL.search(word)
    return is_past or word in NO_REGULAR_PAST or (word.endswith("ed") and len(bases(word)) > 1)
