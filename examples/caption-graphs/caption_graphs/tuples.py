"""Scene graphs of captions in the notation of tuples: objects, attributes, relations.

>>> read_tuples("Scene graph: ( man , ride , horse ) , ( horse , brown )").graph
CaptionGraph(objects=('man', 'horse'), attributes=(('horse', 'brown'),), relations=(('man', 'ride', 'horse'),))

One element is an object, two are an object and its attribute, three a subject, a relation and an object. The notation
knows objects by name alone: two dogs are one object here, which may be both brown and black.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tsgkit.replies import Unreadable
from tsgkit.replies.tuples import tuples

KINDS = ("objects", "attributes", "relations")
FORMS = {("object",), ("object", "attribute"), ("subject", "relation", "object")}
"""The notation itself, which replies like to repeat."""


class CaptionGraph(NamedTuple):
    """Objects by name, attributes of objects, relations between them; each said once, in the order of mention."""

    objects: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(cls, tuples: Iterable[Sequence[str]]) -> CaptionGraph:
        """Return the graph of some tuples.

        Whatever has an attribute or a relation is an object too, and ( horse , is , brown ) is an attribute.
        """
        found: tuple[dict[Any, None], ...] = ({}, {}, {})
        for one in tuples:
            names = tuple(map(tidy, one))
            if not 1 <= len(names) <= 3 or not all(names):
                raise ValueError(f"a tuple has 1 to 3 names; {names} has {len(names)} elements")
            if names[1:2] in (("is",), ("are",)) and len(names) == 3:
                names = names[::2]
            found[0].update(dict.fromkeys((names[0], names[-1]) if len(names) == 3 else names[:1]))
            if len(names) > 1:
                found[len(names) - 1][names] = None
        return cls(*map(tuple, found))

    @property
    def tuples(self) -> tuple[tuple[str, ...], ...]:
        """All tuples: objects, then attributes, then relations."""
        return (*((name,) for name in self.objects), *self.attributes, *self.relations)


class TupleReading(NamedTuple):
    """The graph that a reply says, and notes on what was left out of it."""

    graph: CaptionGraph
    notes: tuple[str, ...] = ()


def tidy(name: str) -> str:
    """Return a name in lower case, without articles, quotes and a final period.

    >>> tidy('"The  Stop_Sign".')
    'stop sign'
    """
    words = re.sub(r"[\"“”_\s]+", " ", name.lower())
    return re.sub(r"^(?:[\s'`‘’]+|(?:an?|the)\s+)+|[\s.'`‘’]+$", "", words)


def write_tuples(graph: CaptionGraph) -> str:
    """Return a graph in the notation, names with signs in quotes.

    >>> write_tuples(CaptionGraph.of([("man", "wear", "t-shirt (new)")]))
    '( man ) , ( "t-shirt (new)" ) , ( man , wear , "t-shirt (new)" )'
    """
    quoted = ([f'"{name}"' if re.search(r"[^\w\s-]", name) else name for name in one] for one in graph.tuples)
    return " , ".join(f"( {' , '.join(one)} )" for one in quoted)


def read_tuples(reply: str) -> TupleReading | Unreadable:
    """Read the graph that a reply says; one without any tuple, or with one of four, cannot be read."""
    found = tuples(reply, fields=("tuples", *KINDS), forms=FORMS)
    return found if isinstance(found, Unreadable) else TupleReading(CaptionGraph.of(found.tuples), found.notes)
