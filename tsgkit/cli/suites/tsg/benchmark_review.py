"""The review of made items by people: each accepts or drops the items of one seeded share; agreement of several people.

Decisions lie in ``review.NAME.jsonl`` of the folder, one file for each annotator. They apply to what was shown, so an
item that is changed later is shown again. No item is removed by a decision alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_stages import STAGE_OF, TASKS
from tsgkit.errors import UsageError
from tsgkit.runs.decisions import Decisions, shown_as
from tsgkit.scoring.agreement import cohens_kappa, krippendorffs_alpha
from tsgkit.serve.decision_protocol import Choice, DecisionQueue, EntryPart, QueueItem, ShownEntry
from tsgkit.suites.audits.items import LETTERS
from tsgkit.suites.tsg.makers.stage_files import StageFolder

ACCEPT, DROP = "accept", "drop"
CHOICES: Sequence[Choice] = (
    {"choice": ACCEPT, "label": "Accept", "key": "a"},
    {"choice": DROP, "label": "Drop", "key": "d"},
)


@dataclass(frozen=True)
class ReviewItem:
    """An item as it is shown to a person."""

    task: str
    item_id: str
    value: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The task and the id."""
        return f"{self.task} {self.item_id}"

    @property
    def name(self) -> str:
        """The hash of what is shown."""
        return shown_as([self.task, self.item_id, self.value])


def items_of(folder: StageFolder) -> Iterator[ReviewItem]:
    """Yield all items of a folder; every question is one."""
    for file, task in TASKS.items():
        if not folder.file(file).is_file():
            continue
        for row in folder.values(file):
            if task != "sgqa":
                yield ReviewItem(task, str(row["item_id"]), row)
                continue
            for number, pair in enumerate(row["qa_pairs"]):
                value = {"context_graphs": row["context_graphs"], **pair}
                yield ReviewItem(task, str(pair.get("item_id", f"{row.get('item_id', '')}/{number}")), value)


def sampled(items: Sequence[ReviewItem], share: float, seed: int) -> list[ReviewItem]:
    """Return a share of items, the same for everybody; an item does not depend on the others."""
    digests = (hashlib.sha256(f"{seed}/{item.task}/{item.item_id}".encode()).digest() for item in items)
    lots = (int.from_bytes(digest[:8], "big") / 2**64 for digest in digests)
    return [item for item, lot in zip(items, lots, strict=True) if lot < share]


def review_file(folder: Path, annotator: str) -> Path:
    """Return the file of an annotator's decisions. Raise ``UsageError`` for a name that cannot be part of a file's."""
    if not annotator or not all(letter.isalnum() or letter in "-_" for letter in annotator):
        raise UsageError(f"--annotator {annotator!r:.40}: not a plain name", hint="use letters, digits, - and _")
    return folder / f"review.{annotator}.jsonl"


def review_queue(items: Sequence[ReviewItem], decisions: Decisions) -> DecisionQueue:
    """Return the queue of made items; a decision may be changed."""
    return DecisionQueue(
        "Review of made items",
        "The command goes on and writes the data card.",
        [QueueItem(item.name, item.title, item.task) for item in items],
        decisions,
        choices=lambda _: CHOICES,
        show=lambda number: ShownEntry(parts_of(items[number])),
        record=lambda number, *_: {"task": items[number].task, "item": items[number].item_id},
    )


def parts_of(item: ReviewItem) -> list[EntryPart]:
    """Return what a person sees of an item."""
    value = item.value
    graphs = [
        f"{number}  {'; '.join(' '.join(triplet) for triplet in graph)}"
        for number, graph in enumerate(value.get("context_graphs", ()))
    ]
    if item.task == "sgqa":
        return [
            {"kind": "lines", "title": "Graphs", "lines": graphs},
            {"kind": "text", "title": "Question", "text": str(value["Q"])},
            {"kind": "text", "title": "Answer", "text": str(value["A"])},
        ]
    if item.task == "sgds":
        options = [
            f"{LETTERS[place]}{' (right)' if place == value['position'] else ''}: {text}"
            for place, text in enumerate(value["variations"])
        ]
        return [
            {"kind": "lines", "title": "Graphs before", "lines": graphs},
            {"kind": "graph", "title": "Graph", "triplets": value["triplet"]},
            {"kind": "lines", "title": "Candidates", "lines": options},
        ]
    before = value["context"] if isinstance(value["context"], list) else [value["context"]]
    parts: list[EntryPart] = [
        {"kind": "lines", "title": "Sentences before", "lines": before},
        {"kind": "text", "title": "Sentence", "text": str(value["target_sentence"])},
    ]
    for number, graph in enumerate(value["graphs"], 1):
        parts.append({"kind": "graph", "title": f"Graph {number}", "triplets": graph["triplets"]})
    return parts


def decisions_of(folder: Path, items: Sequence[ReviewItem]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the decisions of every annotator about items as they are now, by name and item."""
    decisions: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted(folder.glob("review.*.jsonl")):
        known = Decisions(path)
        if decided := {item.name: decision for item in items if (decision := known.find(item.name)) is not None}:
            decisions[path.name.removeprefix("review.").removesuffix(".jsonl")] = decided
    return decisions


def review_value(folder: Path, items: Sequence[ReviewItem], total: int) -> dict[str, Any] | None:
    """Return the figures of a review for the data card; None if there was none."""
    ratings = {
        annotator: {name: str(decision["choice"]) for name, decision in decided.items()}
        for annotator, decided in decisions_of(folder, items).items()
    }
    if not ratings:
        return None
    agreement = [cohens_kappa(*ratings.values())] if len(ratings) == 2 else []
    agreement += [krippendorffs_alpha([*ratings.values()])] if len(ratings) > 1 else []
    figures = ("measure", "value", "n", "reason")
    return {
        "items": total,
        "sampled": len(items),
        "annotators": {annotator: dict(Counter(choices.values())) for annotator, choices in ratings.items()},
        "agreement": [{name: getattr(each, name) for name in figures} for each in agreement],
    }


def dropped_by_people(folder: StageFolder) -> dict[str, dict[str, str]]:
    """Return the items that somebody dropped, by stage and id, with who did and why."""
    items = list(items_of(folder))
    decisions = decisions_of(folder.path, items)
    reasons: dict[str, dict[str, str]] = {}
    for item in items:
        drops = [
            f"{annotator}: {decided[item.name].get('note') or 'no reason given'}"
            for annotator, decided in decisions.items()
            if item.name in decided and decided[item.name]["choice"] == DROP
        ]
        if drops:
            stage = STAGE_OF[f"{item.task}.jsonl"]
            reasons.setdefault(stage, {})[item.item_id] = f"dropped by a person: {'; '.join(drops)}"
    return reasons
