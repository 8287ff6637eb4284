"""What pictures are judged by: questions whose keys enough rounds said, and what stands beside that.

>>> METRICS["foundation"].made_of, METRICS["accuracy"].made_of[-1], PUBLISHED[-2:]
(('object', 'attribute'), 'causal', ('accuracy', 'spatial'))
"""

from __future__ import annotations

from tsgkit.scoring.combining import mean_of_all
from tsgkit.suites.metrics import Metric
from tsgkit.suites.spatialgen.domains import DOMAINS, MEANING, SUB_DOMAINS
from tsgkit.suites.spatialgen.voting import NEEDED, ROUNDS

COLUMNS = tuple(name.lower() for name in SUB_DOMAINS)
"""The metrics of the ten sub-domains, in the order of the questions."""
VOTES = tuple(f"votes_{needed}" for needed in range(1, ROUNDS + 1))
ACCURACY, SINGLE, AGREE = "accuracy", "single_round", "rounds_agree"


def _mean(meaning: str, names: tuple[str, ...], *, is_headline: bool = True) -> Metric:
    return Metric(meaning, is_headline=is_headline, made_of=names, made_by=mean_of_all)


def _extra(meaning: str) -> Metric:
    return Metric(meaning, is_headline=False)


METRICS = {
    **{
        domain.lower(): _mean(f"mean of {' and '.join(names)}", tuple(name.lower() for name in names))
        for domain, names in DOMAINS.items()
    },
    **{column: Metric(MEANING[name]) for column, name in zip(COLUMNS, SUB_DOMAINS, strict=True)},
    ACCURACY: _mean(f"questions whose key {NEEDED} of {ROUNDS} rounds said, mean of the ten sub-domains", COLUMNS),
    "spatial": _mean("mean of the eight sub-domains after the first two", COLUMNS[2:], is_headline=False),
    SINGLE: _extra("what one round alone gets, on average: no vote"),
    **{name: _extra(f"questions whose key at least {name[-1]} of {ROUNDS} rounds said") for name in VOTES},
    AGREE: _extra("pairs of rounds that say the same of a question, right or not"),
}
PUBLISHED = (*(domain.lower() for domain in DOMAINS), *COLUMNS, ACCURACY, "spatial")
"""The metrics that the published code or paper computes from votes."""
