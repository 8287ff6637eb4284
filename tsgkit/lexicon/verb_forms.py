"""Inflected forms of one verb for writing: third person, gerund, past participle.

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
_SAME_PARTICIPLE = {"become": "become", "come": "come", "overcome": "overcome", "run": "run", "overrun": "overrun"}
_REGULAR = word_set(
    "burn dream heave lean leap learn load melt plead prove rot shave shine smell speed spell spill spoil"
)
_UNCHANGED = word_set("quit rid wed wet")


def third_person(action: str) -> str:
    """Return what someone does: ``puts down``."""
    return _formed(action, _third_person)


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
    irregular = IRREGULAR_FORMS.get(verb, ())
    if verb in _SAME_PARTICIPLE or verb in _UNCHANGED or (verb in NO_REGULAR_PAST and not irregular):
        return _SAME_PARTICIPLE.get(verb, verb)
    if verb in NO_REGULAR_PAST or (irregular and verb not in _REGULAR and not IRREGULAR_PLURAL.search(irregular[-1])):
        return irregular[-1]
    found = tuple(ed_forms(verb))
    return found[0] if len(found) < 2 or _doubles(verb) else found[1]


def _doubles(verb: str) -> bool:
    """Return whether the last consonant is doubled: it follows a stressed short vowel."""
    start = next((prefix for prefix in PREFIXES if verb.startswith(prefix)), "")
    rest = verb.removeprefix(start)
    return verb in _STRESSED_END or verb.endswith("l") or (syllables(rest) == 1 and len(rest) > 2)
