"""What is tested: ten sub-domains of spatial intelligence in four domains, and the scores above a single sub-domain.

>>> DOMAINS["Perception"], domain_of("Occlusion")
(('Position', 'Orientation', 'Layout'), 'Reasoning')

A domain is the plain mean of its sub-domains, overall the plain mean of all ten: not of the domains, so that a domain
of three sub-domains weighs more than one of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

DOMAINS = {
    "Foundation": ("Object", "Attribute"),
    "Perception": ("Position", "Orientation", "Layout"),
    "Reasoning": ("Comparison", "Proximity", "Occlusion"),
    "Interaction": ("Motion", "Causal"),
}
SUB_DOMAINS = tuple(name for names in DOMAINS.values() for name in names)
"""In the order in which every item asks for them."""
MEANING = {
    "Object": "everything named is there, and nothing else",
    "Attribute": "colour, shape and material are those of the right thing",
    "Position": "where something is, in the picture or seen from something in it",
    "Orientation": "which way something faces, is turned or is posed",
    "Layout": "how a group is arranged: row, circle, stack",
    "Comparison": "which is larger, taller or more, and how many times",
    "Proximity": "what touches, is near, is far",
    "Occlusion": "what hides what, partly or fully",
    "Motion": "what is caught in the middle of doing what",
    "Causal": "what visibly made something happen",
}
_HOME = {name: domain for domain, names in DOMAINS.items() for name in names}


class Aggregates(NamedTuple):
    """The scores of one subject at every height; None where there is nothing to take a mean of."""

    sub_domains: dict[str, float | None]
    domains: dict[str, float | None]
    overall: float | None


def domain_of(sub_domain: str) -> str | None:
    """The domain of a sub-domain; None for a name that is none of the ten."""
    return _HOME.get(sub_domain)


def aggregates(scores: Mapping[str, float]) -> Aggregates:
    """The domains and the overall score of some sub-domains' scores.

    A mean of which a part is missing is not known: it is None, never the mean of the rest.

    >>> aggregates({"Object": 61.0, "Attribute": 77.2}).domains["Foundation"]
    69.1
    >>> aggregates({"Object": 61.0}).domains["Foundation"] is None
    True
    """
    sub_domains = {name: scores.get(name) for name in SUB_DOMAINS}
    domains = {domain: _mean(sub_domains[name] for name in names) for domain, names in DOMAINS.items()}
    return Aggregates(sub_domains, domains, _mean(sub_domains.values()))


def _mean(scores: Iterable[float | None]) -> float | None:
    values = list(scores)
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None
