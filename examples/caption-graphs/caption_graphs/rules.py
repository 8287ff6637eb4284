"""A baseline that parses captions by rules, without a model.

>>> parse("A dog without a collar sleeps on the rug.")
[('dog',), ('rug',), ('dog', 'sleep on', 'rug')]

The last word of a phrase is the object, those before it are attributes, the words between two phrases the relation: of
the object right before it where it begins with a preposition or a participle, else of the first one of the clause. Not
covered: passives, compounds, several subjects of one verb, plural verbs that are not listed, and pronouns.
"""

from __future__ import annotations

import re
import unicodedata

from tsgkit.lexicon import bases, is_preposition, singular
from tsgkit.lexicon.folding import word_set

VERBS = word_set(
    "carry chase climb cover cross cut drink drive eat fill fly follow grow hang have hit hold hug jump kick lean lie",
    "look play pour pull push reach read ride roll run sell sit sleep stand swim talk throw touch walk wash watch wear",
)
NO_VERBS = word_set("building ceiling evening morning painting ring string thing wing king wedding")
ARTICLES = word_set("a an the this that these those his her its their some")
NOTHING = word_set("object objects is are was were be there he she it they him them who which both")
BREAKS = word_set("and or but as because while where . , ;")
NEGATIONS = word_set("no without")
WORD = re.compile(r"(?:next to|close to|in front of|on top of)\b|[^\W_][\w'-]*|[.,;]")


def parse(caption: str) -> list[tuple[str, ...]]:
    """Return the tuples of a caption by the rules above."""
    elements, phrase, link = list[tuple[str, ...]](), list[str](), list[str]()  # the latter two are still open
    first = last = before = ""  # objects of the clause, and the word before
    is_one = is_near = False  # the phrase began with "a"; the relation belongs to the last object
    text = unicodedata.normalize("NFKC", caption).lower()  # as replies are read
    for word in [*WORD.findall(text), "."]:
        follows_article = before in ARTICLES
        verb = "" if follows_article or not (phrase or last) else verb_of(word, phrase, is_one, bool(last and not link))
        is_link = bool(verb) or word in NEGATIONS or (is_preposition(word) and not follows_article)
        if is_link or word in BREAKS or word in ARTICLES:
            if phrase and NEGATIONS.isdisjoint(link):
                name, owner = singular(phrase[-1]), last if is_near else first
                relation = [(owner, " ".join(link), name)] if link and owner else []
                elements += [(name,), *((name, attribute) for attribute in phrase[:-1]), *relation]
                first, last = (first if link and first else name), name
            phrase, link = [], [] if phrase else link
            is_one = word in ("a", "an")
        if word in BREAKS:
            if link and first and NEGATIONS.isdisjoint(link):
                elements.append((last if is_near else first, " ".join(link)))
            link = []
        elif is_link:
            if not link:
                is_near = not verb or (word.endswith("ing") and before not in NOTHING)
            link.append(verb or word)
        elif word not in ARTICLES | NOTHING:
            phrase.append(word)
        before = word
    return elements


def verb_of(word: str, phrase: list[str], is_one: bool, has_subject: bool) -> str:
    """Return the base of a word that is a verb behind a phrase; empty where it is none."""
    listed = next((base for base in bases(word) if base in VERBS), "")
    is_plural = phrase and (has_subject or singular(phrase[-1]) != phrase[-1])
    if listed and (word != listed or is_plural):
        return listed
    if is_one and phrase and word.endswith("s") and singular(word) != word:
        return singular(word)
    return word if word.endswith("ing") and word not in NO_VERBS else ""
