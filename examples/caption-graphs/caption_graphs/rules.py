"""A baseline that parses captions by rules, without a model.

>>> parse("A dog without a collar sleeps on the rug.")
CaptionGraph(objects=('dog', 'rug'), attributes=(), relations=(('dog', 'sleep on', 'rug'),))

The last word of a phrase is the object, those before it are attributes, the words between two phrases the relation: of
the object right before it where it begins with a preposition or a participle, else of the first one of the clause. Not
covered: passives, compounds, several subjects of one verb, plural verbs that are not listed, and pronouns.
"""

from __future__ import annotations

import re
import unicodedata

from tsgkit.lexicon import bases, is_preposition, singular
from tsgkit.lexicon.tables import word_set

from caption_graphs.tuples import CaptionGraph

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


def parse(caption: str) -> CaptionGraph:
    """Parse a caption by the rules above."""
    clause, before = _Clause(), ""
    text = unicodedata.normalize("NFKC", caption).lower()  # as replies are read
    for word in [*WORD.findall(text), "."]:
        verb = "" if before in ARTICLES or not (clause.phrase or clause.last) else clause.verb(word)
        is_link = bool(verb) or word in NEGATIONS or (is_preposition(word) and before not in ARTICLES)
        if is_link or word in BREAKS or word in ARTICLES:
            clause.end_phrase()
            clause.is_one = word in ("a", "an")
        if word in BREAKS:
            clause.end_relation()
        elif is_link:
            if not clause.link:
                clause.is_near = not verb or (word.endswith("ing") and before not in NOTHING)
            clause.link.append(verb or word)
        elif word not in ARTICLES | NOTHING:
            clause.phrase.append(word)
        before = word
    return CaptionGraph.of(clause.tuples)


class _Clause:
    """The state of a parse: tuples, the open phrase and relation, and the objects these may belong to."""

    def __init__(self) -> None:
        self.tuples, self.phrase, self.link = list[tuple[str, ...]](), list[str](), list[str]()
        self.first = self.last = ""
        self.is_one = self.is_near = False  # the phrase began with "a"; the relation belongs to the last object

    def verb(self, word: str) -> str:
        """Return the base of a word that is a verb here; empty where it is none."""
        listed = next((base for base in bases(word) if base in VERBS), "")
        is_plural = self.phrase and (singular(self.phrase[-1]) != self.phrase[-1] or (self.last and not self.link))
        if listed and (word != listed or is_plural):
            return listed
        if self.is_one and self.phrase and word.endswith("s") and singular(word) != word:
            return singular(word)
        return word if word.endswith("ing") and word not in NO_VERBS else ""

    def end_phrase(self) -> None:
        """Make an object of the open phrase, with its attributes and its relation."""
        if self.phrase and NEGATIONS.isdisjoint(self.link):
            name, owner = singular(self.phrase[-1]), self.last if self.is_near else self.first
            relation = [(owner, " ".join(self.link), name)] if self.link and owner else []
            self.tuples += [(name,), *((name, attribute) for attribute in self.phrase[:-1]), *relation]
            self.first, self.last = (self.first if self.link and self.first else name), name
        self.phrase, self.link = [], [] if self.phrase else self.link

    def end_relation(self) -> None:
        if self.link and self.first and NEGATIONS.isdisjoint(self.link):
            self.tuples.append((self.last if self.is_near else self.first, " ".join(self.link)))
        self.link = []
