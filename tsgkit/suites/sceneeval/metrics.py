"""What both tasks are judged by: pooled over all scenes, as the published figures are in effect, and per scene."""

from __future__ import annotations

from collections.abc import Mapping

from tsgkit.suites.metrics import PER_ITEM, Metric

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
METRICS = {"fidelity": FIDELITY, "plausibility": PLAUSIBILITY}
WORST = {name: 0.0 if one.more_is_better else 1.0 for name, one in PLAUSIBILITY.items()}
"""What a scene that is not there, or is broken, counts as in ``strict``."""
