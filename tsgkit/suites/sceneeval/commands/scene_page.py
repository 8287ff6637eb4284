"""A scene as one HTML page that needs nothing else: the picture from above, and what was found of each object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.html import text

TROUBLES = (("in_collision", "collides"), ("out_of_bounds", "outside the floor"))
HEAD = ("object", "held by", "trouble", "best side free", "why")


def write_scene(title: str, picture: str, found: Mapping[str, Mapping[str, Any]], problems: Sequence[str]) -> str:
    """The page; ``found`` is what each profile finds."""
    tables = [
        html.section(f"Profile {profile}", html.facts(_facts(value)), html.table(HEAD, _rows(value)))
        for profile, value in found.items()
    ]
    wrong = html.section("What is wrong with the file", html.listed(html.name(problem) for problem in problems))
    return html.whole_page(title, html.drawing(picture, "from above, as strict finds it"), wrong, *tables)


def _facts(value: Mapping[str, Any]) -> Iterator[tuple[str, Markup]]:
    for name, (summed, weight) in value["scores"].items():
        yield name, text(f"{summed:.3g} of {weight}" if weight else "does not apply")
    yield "free floor", text(value["navigability"]["reason"])
    for opening in value["openings"]:
        if opening["occluded"]:
            yield opening["kind"], html.name(opening["reason"])


def _rows(value: Mapping[str, Any]) -> Iterator[tuple[Markup, ...]]:
    for name, one in value["objects"].items():
        troubles = [words for key, words in TROUBLES if one[key]]
        troubles += [] if one["supported"] else ["rests on nothing"]
        access = "" if one["accessibility"] is None else f"{100 * one['accessibility']:.0f} %"
        why = html.listed(html.name(reason) for reason in one["reasons"])
        yield html.name(name), text(one["support_type"]), text(", ".join(troubles) or "none"), text(access), why
