"""Reading and scoring as in the published code, except its crashes, and that code as the part of a task.

Kept apart on purpose: no reading or score here may be improved. Comments name surprising behaviour; the report names
the conditions under which the published code would crash.

>>> letter("A close reading suggests [C]")  # the first capital letter on its own wins: the article A
'A'
>>> word('["person", "verb", "x"] so [cup]')  # the first bracket wins
'"person", "verb", "x"'
>>> [len(graph) for graph in graphs("person -> verb -> wash\\n1. wash -> dobj -> cup\\n\\nperson → verb → dry")]
[2]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.solvers.solver import BASELINE, SINGLE
from tsgkit.suites.task import Official

LETTER = re.compile(r"\[([A-E])\]|\b([A-E])\b")
ARROW = "->"
ANSWER_LABEL = re.compile(
    r"^(?:[-+*][ \t]+|\d{1,3}[.)][ \t]+)?[#>*_ \t]{0,12}(?:the[ \t])?"
    r"(?:final[ \t](?:answer|graphs?|scene[ \t]graphs?|triplets|output)(?:[ \t]is)?[*_ \t]{0,6}(?:[:：][*_]{0,3}|$)"
    r"|answer[*_ \t]{0,6}[:：][*_]{0,3})",
    re.IGNORECASE | re.MULTILINE,
)
THINKING_ENDS = "</think>"
REASONING_STYLES = ("cot", "cot-few-shot")
VIEW = "the published reader is shown what follows the last answer label"


def letter(reply: str) -> str | None:
    """Return the first of ``[X]`` or a stand-alone capital X, X in A to E; None if there is none."""
    match = LETTER.search(reply)
    return None if match is None else match.group(1) or match.group(2)


def word(reply: str) -> str:
    """Return the first bracketed text of one line, else the whole reply; compared lower-cased and trimmed."""
    for line in reply.split("\n"):  # the published bracket pattern, in linear time
        start = line.find("[")
        end = line.find("]", start + 1) if start >= 0 else -1
        if end >= 0:
            return line[start + 1 : end].lower().strip()
    return reply.lower().strip()


def graphs(reply: str) -> tuple[ActionGraph, ...]:
    """Blocks between blank lines; a line is a triplet if it has exactly three parts between arrows.

    Other lines are skipped without ending a graph, so a heading without a blank line merges graphs, and a blank line
    within one splits it; bullets and bold stay in the names.
    """
    blocks: list[list[Triplet]] = [[]]
    for line in reply.split("\n"):
        parts = line.split(ARROW)
        if len(parts) == 3:
            blocks[-1].append(Triplet(*map(str.strip, parts)))
        elif not line.strip():
            blocks.append([])
    return tuple(ActionGraph(block) for block in blocks if block)


class GraphScore(NamedTuple):
    """Precision, recall and F1 of one pair of graphs."""

    precision: float
    recall: float
    f1: float


def score_graphs(references: Sequence[ActionGraph], candidates: Sequence[ActionGraph]) -> tuple[GraphScore, ...]:
    """Return one score for each pair by position; missing and surplus graphs are not scored."""
    return tuple(score_graph(*pair) for pair in zip(references, candidates, strict=False))


def score_graph(reference: ActionGraph, candidate: ActionGraph) -> GraphScore:
    """Triplets are compared as one string each, so that words may move between elements."""
    wanted = set(map(" ".join, reference.triplets))
    answered = set(map(" ".join, candidate.triplets))
    right = len(wanted & answered)
    precision = right / len(answered) if answered else 0.0
    recall = right / len(wanted) if wanted else 0.0
    total = precision + recall
    return GraphScore(precision, recall, 2 * precision * recall / total if total else 0.0)


def answer_section(reply: str) -> str:
    """Return the text that the published reader sees in reasoned replies: all after the last answer label, else all."""
    spoken = reply.replace("\r\n", "\n").rpartition(THINKING_ENDS)[2]
    matches = list(ANSWER_LABEL.finditer(spoken))
    if not matches:
        return spoken
    labels = [label for label in matches if label.end() < len(spoken.rstrip())]
    return spoken[labels[-1].end() :] if labels else ANSWER_LABEL.sub("", spoken)


# The published code of a task


def published(
    metrics: tuple[str, ...],
    read: Callable[[str], Any],
    differences: Callable[[Any, Any, Any], Iterable[str]],
    without_weight: str = "no item carries weight",
    without_text: str = "",
) -> Official:
    """Return the published code of a task; ``differences`` tell, of an item and both readings, why these differ.

    ``without_text`` says why the profiles differ on a reply without a text; empty where they do not.
    """

    def unpublished(style: str, solver: str) -> str:
        """Return why replies asked for in this way have no official figures; empty where they have."""
        if style == "structured":
            return "replies in a JSON schema were not asked for in the published way"
        return "" if solver in (SINGLE, BASELINE) else f"the published way asks once; solver {solver} does not"

    def explained(item: Any, outcome: Outcome, mine: Any, theirs: Any, view: str) -> Iterable[str]:  # noqa: ANN401
        """Return why the profiles differ on a reply, however it ended."""
        if outcome in (Outcome.ANSWERED, Outcome.UNREADABLE):
            return differences(item, mine, theirs)
        if view.strip():
            return (f"the reply ended as {outcome}: strict gives it nothing, official reads what text there is",)
        return (without_text,) if without_text else ()

    return Official(
        metrics=metrics,
        unpublished=unpublished,
        view=lambda text, style: answer_section(text) if style in REASONING_STYLES else text,
        read=read,
        differences=explained,
        without_weight=without_weight,
        reasons=lambda style, _: {"official.view": f"style {style}: {VIEW}"} if style in REASONING_STYLES else {},
    )
