"""Subjects that need no model: they see the sample and answer with text in the published answer form.

>>> from tsgkit.graph import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> sample = SelectionSample(item_id="0", cluster="", context=(), graph=graph, candidates=("Shut it.", "Open the jar."),
...                          position=1)
>>> BASELINES["rules"](sample, 0)
'[B]'

``random`` shows what understanding nothing is worth, ``rules`` what word matching and a few rules are. Neither looks
at the reference: ``k`` and the letters are what every subject is told.

``guessing`` draws; ``selection`` chooses a sentence; ``asking`` takes a question apart and ``questions`` answers it;
``mentions`` finds L in a sentence, ``events`` what is done in it, ``holding`` by which hand, and ``generation`` makes
as many graphs as are asked for; ``halves`` completes half a graph, ``mending`` turns round what breaks rules;
``elements`` is L for writers, ``wording`` what words have in common, ``writing`` the
form of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tsgkit.suites.solvers.unasked import Seeded, baseline_name
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.baselines.guessing import guess
from tsgkit.suites.tsg.baselines.halves import actions, joined, nodes
from tsgkit.suites.tsg.baselines.mending import mend
from tsgkit.suites.tsg.baselines.questions import answer
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.baselines.writing import bracketed, graphs_text, listed
from tsgkit.suites.tsg.derived import ActionsSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.samples import AnySample, QuestionSample, SelectionSample


def deduce(sample: AnySample) -> str:
    """The answer that word matching and a few rules lead to."""
    if isinstance(sample, SelectionSample):
        return bracketed(select(sample))
    if isinstance(sample, QuestionSample):
        return bracketed(answer(sample))
    if isinstance(sample, NodesSample):
        return listed(nodes(sample))
    if isinstance(sample, ActionsSample):
        return listed(actions(sample))
    if isinstance(sample, EdgesSample):
        return graphs_text(joined(sample))
    return graphs_text([mend(sample)] if isinstance(sample, RefineSample) else generate(sample))


def _rules(sample: AnySample, seed: int) -> str:
    del seed  # nothing is left to chance
    return deduce(sample)


BASELINES: Mapping[str, Callable[[AnySample, int], str]] = MappingProxyType({"random": guess, "rules": _rules})
"""The baselines by name: each answers a sample, and the seed decides what is left to chance."""


def program_named(subject: str, seed: int) -> Seeded[AnySample]:
    """The baseline of a subject's name (``baseline/rules``); ``UsageError`` where there is none."""
    name = baseline_name(subject, BASELINES)
    return Seeded(name, seed, BASELINES[name])


__all__ = ["BASELINES", "deduce", "guess", "program_named"]
