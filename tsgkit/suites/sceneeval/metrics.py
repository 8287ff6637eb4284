"""What the tasks are judged by: pooled, as the published figures are in effect, and per scene or description."""

from __future__ import annotations

from collections.abc import Mapping

from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric

PER_SCENE = "_per_scene"


def _both(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Each metric, and its average over scenes."""
    averages = {
        name + PER_SCENE: Metric(f"{one.meaning}: the average over scenes", PER_ITEM, one.more_is_better, False)
        for name, one in metrics.items()
    }
    return {**metrics, **averages}


FIDELITY = _both(
    {
        "cnt": Metric("demands on numbers of objects that are met"),
        "atr": Metric("demands on attributes that are met"),
        "oor": Metric("demands on relations between objects that are met"),
        "oar": Metric("demands on relations to the room that are met"),
    }
)
PLAUSIBILITY = _both(
    {
        "col_ob": Metric("objects that collide", more_is_better=False),
        "col_sc": Metric("scenes in which anything collides", more_is_better=False),
        "sup": Metric("objects that something holds"),
        "nav": Metric("the largest free part of the floor over all free floor"),
        "acc": Metric("how free the best functional side of an object is"),
        "oob": Metric("objects that are not over the floor", more_is_better=False),
        "opc": Metric("sides of doors and windows that nothing stands before"),
    }
)


def _extra(meaning: str, *, per_item: bool = False, more_is_better: bool = True) -> Metric:
    return Metric(meaning, PER_ITEM if per_item else POOLED, more_is_better, is_headline=False)


FIELDS = {
    "cnt": "numbers of objects",
    "atr": "attributes",
    "oor": "relations between objects",
    "oar": "relations to the room",
}
"""What the fields of an annotation are about."""
ANNOTATE = {
    "precision": Metric("the share of the entries said that are right"),
    "recall": Metric("the share of the entries wanted that were said"),
    **{f"{field}_f1": Metric(f"f1 of the entries on {what}") for field, what in FIELDS.items()},
    "f1_meaning": Metric("f1 with relations, comparisons and rooms taken for what they mean"),
    "f1": Metric("the harmonic mean of precision and recall, all fields together"),
    "precision_meaning": _extra("precision with relations, comparisons and rooms taken for what they mean"),
    "recall_meaning": _extra("recall with relations, comparisons and rooms taken for what they mean"),
    **{f"{field}_f1_meaning": _extra(f"f1 by meaning of the entries on {what}") for field, what in FIELDS.items()},
    **{f"{field}_precision": _extra(f"precision of the entries on {what}") for field, what in FIELDS.items()},
    **{f"{field}_recall": _extra(f"recall of the entries on {what}") for field, what in FIELDS.items()},
    "f1_per_item": _extra("f1, every description counting the same", per_item=True),
    "precision_per_item": _extra("precision, every description counting the same", per_item=True),
    "recall_per_item": _extra("recall, every description counting the same", per_item=True),
    **{
        f"{field}_f1_per_item": _extra(f"f1 of the entries on {what}, every description the same", per_item=True)
        for field, what in FIELDS.items()
    },
    "exact_match": _extra("all entries of a description are right, none is missing or surplus"),
    "quantities": _extra("right comparisons and numbers, where by meaning all else of an entry is right"),
    "anchors": _extra("right anchors, where by meaning all else of a relation is right and the anchor matters"),
    "unread": _extra("entries that cannot be read, over all entries said", more_is_better=False),
}
METRICS = {"fidelity": FIDELITY, "plausibility": PLAUSIBILITY}
"""Those of the tasks that look at rooms."""
TASKS = {**METRICS, "annotate": ANNOTATE}
WORST = {name: 0.0 if one.more_is_better else 1.0 for name, one in PLAUSIBILITY.items()}
"""What a scene that is not there, or is broken, counts as in ``strict``."""
