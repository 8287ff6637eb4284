"""The agreement of two annotators in the terminal: ``tsgkit agree A.jsonl B.jsonl``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say, say_lines, screen
from tsgkit.errors import GOOD
from tsgkit.library.documents.rewriter import DROPPED, UNREAD

if TYPE_CHECKING:
    from tsgkit.graph.model import Vocabulary
    from tsgkit.report.annotated_items import Versions
    from tsgkit.report.graph_agreement import Figure, GraphAgreement

HEAD = ("agreement on", "measure", "value", "95 % interval", "n")
NOT_AS_WRITTEN = {*UNREAD, *DROPPED}
"""Findings about lines and parts of a file that were not read as they stand."""
NAMED = 5
"""The number of items named in a note."""


def agree_on_graphs(
    first: Path, second: Path, vocabulary: Vocabulary | None = None, *, by_item: bool = False, as_json: bool = False
) -> int:
    """Print the agreement of two annotators."""
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.report.graph_agreement import agreement_value, graph_agreement

    versions = versions_of(first, second, vocabulary)
    for document in (versions.first, versions.second):
        if number := sum(finding.code in NOT_AS_WRITTEN for finding in document.findings):
            unread = count(number, "line or part", "lines or parts")
            complain(f"{document.file}: {unread} not read as it stands", hint="tsgkit check shows them")
    found = graph_agreement(versions)
    if as_json:
        say(json.dumps(agreement_value(found, by_item=by_item), indent=2))
        return GOOD
    say_lines(_told(found, by_item=by_item))
    return GOOD


def _told(found: GraphAgreement, *, by_item: bool) -> Iterator[str]:
    from tsgkit.report.terminal import aligned

    one, two = map(inert, found.versions.names)
    yield f"{one} and {two}: {count(len(found.versions.items), 'item')}, {count(found.descriptions, 'description')}"
    graphs = f"{found.graphs[0]:,} and {found.graphs[1]:,} graphs"
    yield f"  {graphs}; without a partner: {found.unpaired[0]:,} of {one}, {found.unpaired[1]:,} of {two}"
    yield from aligned([HEAD, *map(_row, found.figures)], 2, screen())
    if by_item:
        yield ""
        yield from aligned(_item_rows(found), 1, screen())
    for note in _notes(found):
        yield f"  {note}"
    yield from _next_step(found.versions)


def _row(one: Figure) -> Sequence[str]:
    value = "-" if one.value is None else f"{one.value:.3f}"
    between = "-" if one.interval is None else f"{one.interval.low:.3f} to {one.interval.high:.3f}"
    return one.on, one.measure, value, between, f"{one.n:,}"


def _item_rows(found: GraphAgreement) -> list[Sequence[str]]:
    first, second = found.versions.names
    rows: list[Sequence[str]] = [("item", first, second, "unpaired", "disagreements", "F1 of triplets", "equal")]
    for one in found.items:
        shares = ("-" if share is None else f"{share:.3f}" for share in (one.f1, one.equal))
        counts = (f"{number:,}" for number in (*one.graphs, one.unpaired, one.differing))
        rows.append((one.item, *counts, *shares))
    return rows


def _notes(found: GraphAgreement) -> Iterator[str]:
    yield from _notes_on_figures(found)
    yield from _notes_on_items(found.versions)
    one, two = map(inert, found.versions.names)
    if any(found.only_descriptions):
        left, right = found.only_descriptions
        yield f"descriptions without a partner: {left:,} of {one}, {right:,} of {two}"


def _notes_on_figures(found: GraphAgreement) -> Iterator[str]:
    if found.cluster_count > 1:
        yield f"intervals: over {found.cluster_count:,} {found.clusters}, which are taken as independent"
    elif found.cluster_count == 1:
        yield f"no intervals: all paired graphs are of one {found.clusters.removesuffix('s')}; at least two are needed"
    else:
        yield "no graph of one has a partner of the other"
    for one in found.figures:
        if one.reason:
            yield f"no value for {one.on}, {one.measure}: {one.reason}"
    if found.without_vocabulary:
        items = count(found.without_vocabulary, "item")
        yield f"{items} without L: all names that either annotator used there stand for it"
    if found.outside:
        names = count(len(found.outside), "name")
        yield f"kappa leaves out {names} outside L: {_listed(found.outside)}"


def _notes_on_items(versions: Versions) -> Iterator[str]:
    if versions.by_position:
        yield "items are matched by position: no id is in both files"
    for name, entries in zip(versions.names, (versions.only_first, versions.only_second), strict=True):
        if entries:
            items = _listed([entry.item for entry in entries])
            yield f"only in {inert(name)}: {count(len(entries), 'item')}, left out: {items}"
    if texts := sum(1 for item in versions.items for _ in item.differing_texts()):
        yield f"{count(texts, 'text')} of descriptions differ" if texts > 1 else "1 text of a description differs"
    if differing := [item.item for item in versions.items if item.differs_in_vocabulary]:
        items = f"{count(len(differing), 'item')} with another L in each file"
        yield f"{items}, which count together as L: {_listed(differing)}"
    if alone := [item.item for item in versions.items if item.has_vocabulary_of_one]:
        yield f"{count(len(alone), 'item')} with L in one file alone: {_listed(alone)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(inert, names[:NAMED])) + more


def _next_step(versions: Versions) -> Iterator[str]:
    if not versions.disagreements:
        yield "  no graph differs"
        return
    settled = f"settled{Path(versions.first.file).suffix}"
    words = shlex.join(["tsgkit", "view", versions.first.file, versions.second.file, "--edit", "-o", settled])
    differ = "1 graph differs" if versions.disagreements == 1 else f"{versions.disagreements:,} graphs differ"
    yield f"  {differ}; to settle: {inert(words)}"
