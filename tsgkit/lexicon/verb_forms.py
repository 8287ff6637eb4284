"""Inflected forms of one verb for writing: third person, past, gerund, past participle.

>>> third_person("carry"), gerund("cut"), gerund("open"), participle("take-out"), participle("put-down")
('carries', 'cutting', 'opening', 'taken out', 'put down')

Names of actions may have a particle or more words after the verb, joined by hyphens; these are not inflected. The verb
itself is the first word. Where several spellings occur, the usual British one is returned. Not covered: verbs of which
another word than the first is inflected (``spot-clean``), except the first words of :data:`PREFIXES`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tsgkit.lexicon.inflection import IRREGULAR_PLURAL, ed_forms, ing_forms, s_forms, syllables
from tsgkit.lexicon.irregular import IRREGULAR_FORMS, NO_REGULAR_PAST
from tsgkit.lexicon.tables import word_set

PREFIXES = ("un", "re", "over", "under", "out", "fore", "mis")
"""Beginnings after which a final consonant is doubled as without them: *unzipping*."""
_STRESSED_END = word_set("admit begin commit compel control defer emit forget omit permit prefer propel refer submit")
_SAME_PARTICIPLE = {verb: verb for verb in ("become", "come", "overcome", "run", "overrun")}
_SAME_PARTICIPLE |= {"strike": "struck", "sink": "sunk"}
_REGULAR = word_set(
    "burn dream heave lean leap learn load melt plead prove rot shave shine smell speed spell spill spoil"
)
_UNCHANGED = word_set("quit rid wed wet")


def third_person(action: str) -> str:
    """Return what someone does: ``puts down``."""
    return _formed(action, _third_person)


def past(action: str) -> str:
    """Return what someone did.

    >>> [past(verb) for verb in ("put-down", "draw", "beat", "sew", "undo", "unwind", "slip")]
    ['put down', 'drew', 'beat', 'sewed', 'undid', 'unwound', 'slipped']
    """
    return _formed(action, _past)


def gerund(action: str) -> str:
    """Return the form in -ing: ``putting down``."""
    return _formed(action, _gerund)


def participle(action: str) -> str:
    """Return the past participle: ``put down``."""
    return _formed(action, _participle)


def _formed(action: str, form: Callable[[str], str]) -> str:
    verb, *rest = action.replace("-", " ").split() or [""]
    return " ".join([form(verb), *rest])


@lru_cache(maxsize=4096)
def _third_person(verb: str) -> str:
    if verb in ("be", "have"):
        return {"be": "is", "have": "has"}[verb]
    found = tuple(s_forms(verb))
    return found[-1] if verb.endswith("o") else found[0]


@lru_cache(maxsize=4096)
def _gerund(verb: str) -> str:
    found = tuple(ing_forms(verb))
    if len(found) < 2:
        return found[0]
    if verb.endswith("e"):
        return found[1]
    return found[0] if _doubles(verb) else found[1]


@lru_cache(maxsize=4096)
def _participle(verb: str) -> str:
    """Return the participle; of a verb with a prefix that of the verb itself: *unhung*."""
    start, stem = _parted(verb)
    irregular = IRREGULAR_FORMS.get(stem, ())
    if stem in _SAME_PARTICIPLE or stem in _UNCHANGED or (stem in NO_REGULAR_PAST and not irregular):
        return start + _SAME_PARTICIPLE.get(stem, stem)
    if stem in NO_REGULAR_PAST or (irregular and stem not in _REGULAR and not IRREGULAR_PLURAL.search(irregular[-1])):
        return start + irregular[-1]
    return _regular_past(verb)


@lru_cache(maxsize=4096)
def _past(verb: str) -> str:
    """Return the past: the first irregular form but *undoes*, if it is no participle only (*beaten*, *sewn*)."""
    start, stem = _parted(verb)
    irregular = [form for form in IRREGULAR_FORMS.get(stem, ()) if not form.endswith("oes")][:1]
    if stem in _UNCHANGED or stem in NO_REGULAR_PAST:
        return start + next((form for form in irregular if not form.endswith("en")), stem)
    is_irregular = irregular and stem not in _REGULAR and not irregular[0].endswith(("n", "ves"))
    return start + irregular[0] if is_irregular else _regular_past(verb)


def _parted(verb: str) -> tuple[str, str]:
    """Return the prefix of an irregular verb, if it is not irregular itself, and the verb."""
    if verb not in IRREGULAR_FORMS:
        for start in PREFIXES:
            if verb.startswith(start) and verb.removeprefix(start) in IRREGULAR_FORMS:
                return start, verb.removeprefix(start)
    return "", verb


def _regular_past(verb: str) -> str:
    found = tuple(ed_forms(verb))
    return found[0] if len(found) < 2 or _doubles(verb) else found[1]


def _doubles(verb: str) -> bool:
    """Return whether the last consonant is doubled: it follows a stressed short vowel."""
    start = next((prefix for prefix in PREFIXES if verb.startswith(prefix)), "")
    rest = verb.removeprefix(start)
    return verb in _STRESSED_END or verb.endswith("l") or (syllables(rest) == 1 and len(rest) > 2)
