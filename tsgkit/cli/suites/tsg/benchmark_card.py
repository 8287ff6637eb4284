"""The data card of a made benchmark: every figure of its making, as JSON and as a page.

Nothing is said that no stage recorded. Where no person reviewed the items, the card says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_review import items_of, review_value, sampled
from tsgkit.cli.suites.tsg.benchmark_work import BenchmarkWork
from tsgkit.library.files import write_text
from tsgkit.report import markdown
from tsgkit.report.figures import number, percent
from tsgkit.report.plain_text import Foreign
from tsgkit.report.table import Line, Table
from tsgkit.suites.tsg.makers.stage_files import checksum
from tsgkit.version import __version__

NOT_REVIEWED = "not reviewed by a person"
NOT_STATED = "not stated"
SHORTCUT = ("name", "n", "value", "low", "high", "chance", "beats_chance")
HIDDEN = ("inputs", "version")
"""Settings of a stage that say nothing to a reader."""
FACTLESS = ("settings", "dropped", "items", "formats")
"""Parts of a stage that are shown elsewhere."""


def write_card(work: BenchmarkWork) -> None:
    """Write the card, with the last audit; title, licence and sources are those of an earlier card where none are
    named now."""
    folder, arguments, settings = work.folder, work.arguments, work.settings
    audit, earlier = (
        json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for path in (folder.file("audit.json"), folder.file("card.json"))
    )
    formats = folder.stages.get("import", {}).get("figures", {}).get("formats", {})
    sources = [
        {"name": path.name, "format": formats.get(str(path), ""), "sha256": checksum(path)} for path in settings.sources
    ]
    stages = {}
    for name, stage in folder.stages.items():
        recorded = {key: value for key, value in stage["made_from"].items() if key not in HIDDEN}
        stages[name] = {"settings": recorded, **stage["figures"]}
    audited = []
    for task in audit.get("audits", ()):
        blind = [each for each in task["shortcuts"] if each["blind"] and each["chance"]]
        sizes = {name: task[name] for name in ("task", "items", "clusters", "chance", "smallest_difference")}
        shortcuts = [{name: each[name] for name in SHORTCUT} for each in blind]
        remarks = {each["code"]: len(each["found"]) for each in task["checks"] if each["found"]}
        audited.append({**sizes, "shortcuts": shortcuts, "keys": task["keys"], "found": remarks})
    items = list(items_of(folder))
    blames = audit["gate"]["blames"] if audit else []
    review = review_value(folder.path, sampled(items, arguments.review or 1.0, settings.seed), len(items))
    card = {
        "title": arguments.title or earlier.get("title") or folder.path.resolve().name,
        "licence": arguments.licence or earlier.get("licence") or NOT_STATED,
        "sources": sources or earlier.get("sources", []),
        "made_with": f"tsgkit {__version__}",
        "stages": stages,
        "audit": audited,
        "gate": {"passed": not blames, "blames": blames},
        "review": review or NOT_REVIEWED,
    }
    write_text(folder.file("card.json"), json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    write_text(folder.file("card.md"), card_page(card))


def card_page(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown."""
    contents, facts, drops = list[Line](), list[Line](), list[Line]()
    for name, stage in card["stages"].items():
        contents += [(file, number(times)) for file, times in stage.get("items", {}).items()]
        figures = {key: value for key, value in stage.items() if key not in FACTLESS}
        facts += [
            (name, key.replace("_", " "), Foreign(_shown(value)))
            for key, value in (*stage["settings"].items(), *figures.items())
            if value not in (None, "", [], {}, False)
        ]
        drops += [(name, Foreign(reason), number(times)) for reason, times in stage["dropped"].items()]
    sources = [(Foreign(source["name"]), source["format"], source["sha256"]) for source in card["sources"]]
    licence: Line = ("licence of the source: ", Foreign(card["licence"]))
    verdict = ("the gate was ", "passed" if card["gate"]["passed"] else "missed") if card["audit"] else ("none",)
    blames = [(each["task"], ": ", each["code"], ": ", Foreign(each["message"])) for each in card["gate"]["blames"]]
    shortcuts, sizes = list[Line](), list[Line]()
    for audit in card["audit"]:
        difference = percent(audit["smallest_difference"])
        remarks = _shown(audit["found"]) or "-"
        sizes.append((audit["task"], number(audit["items"]), number(audit["clusters"]), difference, remarks))
        for each in audit["shortcuts"]:
            rates = (percent(each["value"]), percent(each["chance"]))
            shortcuts.append((audit["task"], each["name"], number(each["n"]), *rates))
    smallest = "smallest difference that would show, points"
    of_shortcuts = ("task", "shortcut", "items", "right, %", "chance, %")
    tables = (
        Table(("Contents",), ("file", "items"), tuple(contents)),
        Table(
            ("Origin",), ("file", "format", "sha256"), tuple(sources), (licence, (f"made with {card['made_with']}",)), 3
        ),
        Table(("Stages",), ("stage", "setting or figure", "value"), tuple(facts), words=3),
        Table(
            ("Left out",), ("stage", "reason", "times"), tuple(drops), () if drops else (("nothing was left out",),), 2
        ),
        Table(("Audit",), of_shortcuts, tuple(shortcuts), (verdict, *blames), 2),
        Table(("Sizes",), ("task", "items", "stories", smallest, "remarks"), tuple(sizes)),
        _review(card["review"]),
    )
    blocks = [f"# {markdown.line((Foreign(card['title']),))}", *("\n".join(markdown.table(table)) for table in tables)]
    return "\n\n".join(blocks) + "\n"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        nested = any(isinstance(part, Mapping) for part in value.values())
        parts = (f"{key} ({_shown(part)})" if nested else f"{key} {_shown(part)}" for key, part in value.items())
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _review(review: Mapping[str, Any] | str) -> Table:
    if isinstance(review, str):
        return Table(("Review",), ("annotator", "items"), (), ((review,),))
    rows = tuple((Foreign(name), _shown(counts)) for name, counts in review["annotators"].items())
    notes: list[Line] = [(f"{number(review['sampled'])} of {number(review['items'])} items were drawn for review",)]
    for each in review["agreement"]:
        value = "undefined" if each["value"] is None else f"{each['value']:.2f}"
        why = f" ({each['reason']})" if each["reason"] else ""
        notes.append((f"{each['measure']}: {value} over {number(each['n'])} items{why}",))
    return Table(("Review",), ("annotator", "decisions"), rows, tuple(notes), 2)
