"""The data card of a made benchmark: every figure of its making, as JSON and as a page.

card = card_value(about, folder.stages, audits, blames, review)
print(card_page(card))

Nothing is said that no stage recorded. Where no person reviewed the items, the card says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.report import markdown
from tsgkit.report.figures import number, percent
from tsgkit.report.plain_text import Foreign
from tsgkit.report.tables import Line, Table
from tsgkit.version import __version__

NOT_REVIEWED = "not reviewed by a person"
NOT_STATED = "not stated"
HIDDEN = ("inputs", "version")
"""Settings of a stage that say nothing to a reader."""


def card_value(
    about: Mapping[str, Any],
    stages: Mapping[str, Mapping[str, Any]],
    audits: Sequence[Mapping[str, Any]],
    blames: Sequence[Mapping[str, Any]],
    review: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the card: ``about`` has title, licence and sources; ``stages`` is the record of the folder."""
    return {
        **about,
        "made_with": f"tsgkit {__version__}",
        "stages": {name: {"settings": _settings(one), **one["figures"]} for name, one in stages.items()},
        "audit": [_audit(one) for one in audits],
        "gate": {"passed": not blames, "blames": list(blames)},
        "review": review or NOT_REVIEWED,
    }


def _settings(stage: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stage["made_from"].items() if name not in HIDDEN}


def _audit(one: Mapping[str, Any]) -> dict[str, Any]:
    names = ("name", "n", "value", "low", "high", "chance", "beats_chance")
    shortcuts = [{name: each[name] for name in names} for each in one["shortcuts"] if each["blind"] and each["chance"]]
    return {
        "task": one["task"],
        "items": one["items"],
        "clusters": one["clusters"],
        "chance": one["chance"],
        "smallest_difference": one["smallest_difference"],
        "shortcuts": shortcuts,
        "keys": one["keys"],
        "found": {each["code"]: len(each["found"]) for each in one["checks"] if each["found"]},
    }


def card_page(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown."""
    tables = (_contents(card), _origin(card), _stages(card), _drops(card), *_audits(card), _review(card["review"]))
    blocks = [f"# {markdown.line((Foreign(card['title']),))}", *("\n".join(markdown.table(one)) for one in tables)]
    return "\n\n".join(blocks) + "\n"


def _contents(card: Mapping[str, Any]) -> Table:
    items = [(name, count) for stage in card["stages"].values() for name, count in stage.get("items", {}).items()]
    return Table(("Contents",), ("file", "items"), tuple((name, number(count)) for name, count in items))


def _origin(card: Mapping[str, Any]) -> Table:
    rows = tuple((Foreign(one["name"]), one["format"], one["sha256"]) for one in card["sources"])
    licence: Line = ("licence of the source: ", Foreign(card["licence"]))
    return Table(("Origin",), ("file", "format", "sha256"), rows, (licence, (f"made with {card['made_with']}",)), 3)


def _stages(card: Mapping[str, Any]) -> Table:
    rows = tuple((name, key, value) for name, stage in card["stages"].items() for key, value in _facts(stage))
    return Table(("Stages",), ("stage", "setting or figure", "value"), rows, words=3)


def _facts(stage: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the facts of a stage: its settings, then its figures."""
    figures = {name: value for name, value in stage.items() if name not in ("settings", "dropped", "items", "formats")}
    for name, value in (*stage["settings"].items(), *figures.items()):
        if value not in (None, "", [], {}, False):
            yield name.replace("_", " "), Foreign(_shown(value))


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


def _drops(card: Mapping[str, Any]) -> Table:
    counted = [
        (name, reason, times) for name, stage in card["stages"].items() for reason, times in stage["dropped"].items()
    ]
    rows = tuple((name, Foreign(reason), number(times)) for name, reason, times in counted)
    notes: tuple[Line, ...] = () if rows else (("nothing was left out",),)
    return Table(("Left out",), ("stage", "reason", "times"), rows, notes, 2)


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
