"""The data card of a made benchmark: every figure of its making, as JSON and as a page.

Nothing is said that no stage recorded. Where no person reviewed the items, the card says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_review import items_of, review_value, sampled
from tsgkit.cli.suites.tsg.benchmark_stages import checksum
from tsgkit.cli.suites.tsg.benchmark_work import Work
from tsgkit.library.files import write_text
from tsgkit.report import markdown
from tsgkit.report.figures import number, percent
from tsgkit.report.plain_text import Foreign
from tsgkit.report.tables import Line, Table
from tsgkit.version import __version__

NOT_REVIEWED = "not reviewed by a person"
NOT_STATED = "not stated"
SHORTCUT = ("name", "n", "value", "low", "high", "chance", "beats_chance")
HIDDEN = ("inputs", "version")
"""Settings of a stage that say nothing to a reader."""
FACTLESS = ("settings", "dropped", "items", "formats")
"""Parts of a stage that are shown elsewhere."""


def write_card(work: Work) -> None:
    """Write the card, with the last audit; title, licence and sources are those of an earlier card where none are
    named now."""
    folder, arguments, settings = work.folder, work.arguments, work.settings
    stored = {
        name: json.loads(path.read_text(encoding="utf-8")) if (path := folder.file(name)).is_file() else {}
        for name in ("audit.json", "card.json")
    }
    audit, earlier = stored["audit.json"], stored["card.json"]
    formats = folder.stages.get("import", {}).get("figures", {}).get("formats", {})
    audited = []
    for task in audit.get("audits", ()):
        blind = [each for each in task["shortcuts"] if each["blind"] and each["chance"]]
        shown = {name: task[name] for name in ("task", "items", "clusters", "chance", "smallest_difference")}
        shown["shortcuts"] = [{name: each[name] for name in SHORTCUT} for each in blind]
        shown["keys"] = task["keys"]
        shown["found"] = {each["code"]: len(each["found"]) for each in task["checks"] if each["found"]}
        audited.append(shown)
    made = {}
    for name, stage in folder.stages.items():
        recorded = {key: value for key, value in stage["made_from"].items() if key not in HIDDEN}
        made[name] = {"settings": recorded, **stage["figures"]}
    items = list(items_of(folder))
    blames = audit["gate"]["blames"] if audit else []
    review = review_value(folder.path, sampled(items, arguments.review or 1.0, settings.seed), len(items))
    card = {
        "title": arguments.title or earlier.get("title") or folder.path.resolve().name,
        "licence": arguments.licence or earlier.get("licence") or NOT_STATED,
        "sources": [
            {"name": path.name, "format": formats.get(str(path), ""), "sha256": checksum(path)}
            for path in settings.sources
        ]
        or earlier.get("sources", []),
        "made_with": f"tsgkit {__version__}",
        "stages": made,
        "audit": audited,
        "gate": {"passed": not blames, "blames": blames},
        "review": review or NOT_REVIEWED,
    }
    write_text(folder.file("card.json"), json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    write_text(folder.file("card.md"), card_page(card))


def card_page(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown."""
    stages: Mapping[str, Any] = card["stages"]
    items = [(name, number(times)) for stage in stages.values() for name, times in stage.get("items", {}).items()]
    sources = tuple((Foreign(one["name"]), one["format"], one["sha256"]) for one in card["sources"])
    licence: Line = ("licence of the source: ", Foreign(card["licence"]))
    facts = []
    for name, stage in stages.items():  # its settings, then its figures
        figures = {key: value for key, value in stage.items() if key not in FACTLESS}
        for key, value in (*stage["settings"].items(), *figures.items()):
            if value not in (None, "", [], {}, False):
                facts.append((name, key.replace("_", " "), Foreign(_shown(value))))
    drops = tuple(
        (name, Foreign(reason), number(times))
        for name, stage in stages.items()
        for reason, times in stage["dropped"].items()
    )
    tables = (
        Table(("Contents",), ("file", "items"), tuple(items)),
        Table(("Origin",), ("file", "format", "sha256"), sources, (licence, (f"made with {card['made_with']}",)), 3),
        Table(("Stages",), ("stage", "setting or figure", "value"), tuple(facts), words=3),
        Table(("Left out",), ("stage", "reason", "times"), drops, () if drops else (("nothing was left out",),), 2),
        *_audits(card),
        _review(card["review"]),
    )
    blocks = [f"# {markdown.line((Foreign(card['title']),))}", *("\n".join(markdown.table(one)) for one in tables)]
    return "\n\n".join(blocks) + "\n"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        nested = any(isinstance(one, Mapping) for one in value.values())
        parts = (f"{key} ({_shown(one)})" if nested else f"{key} {_shown(one)}" for key, one in value.items())
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _audits(card: Mapping[str, Any]) -> Iterator[Table]:
    blames = tuple((one["task"], ": ", one["code"], ": ", Foreign(one["message"])) for one in card["gate"]["blames"])
    rows = tuple(
        (audit["task"], one["name"], number(one["n"]), percent(one["value"]), percent(one["chance"]))
        for audit in card["audit"]
        for one in audit["shortcuts"]
    )
    verdict: Line = ("the gate was ", "passed" if card["gate"]["passed"] else "missed") if card["audit"] else ("none",)
    yield Table(("Audit",), ("task", "shortcut", "items", "right, %", "chance, %"), rows, (verdict, *blames), 2)
    sizes = tuple(
        (
            audit["task"],
            number(audit["items"]),
            number(audit["clusters"]),
            percent(audit["smallest_difference"]),
            _shown(audit["found"]) or "-",
        )
        for audit in card["audit"]
    )
    head = ("task", "items", "stories", "smallest difference that would show, points", "remarks")
    yield Table(("Sizes",), head, sizes)


def _review(review: Mapping[str, Any] | str) -> Table:
    if isinstance(review, str):
        return Table(("Review",), ("annotator", "items"), (), ((review,),))
    rows = tuple((Foreign(name), _shown(counts)) for name, counts in review["annotators"].items())
    notes: list[Line] = [(f"{number(review['sampled'])} of {number(review['items'])} items were drawn for review",)]
    for one in review["agreement"]:
        value = "undefined" if one["value"] is None else f"{one['value']:.2f}"
        why = f" ({one['reason']})" if one["reason"] else ""
        notes.append((f"{one['measure']}: {value} over {number(one['n'])} items{why}",))
    return Table(("Review",), ("annotator", "decisions"), rows, tuple(notes), 2)
