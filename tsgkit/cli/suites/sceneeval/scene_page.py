"""The page of a room from above: verdicts as sentences, the drawing, measures and objects under both profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.html import tag, text
from tsgkit.suites.sceneeval.plausibility import METRICS
from tsgkit.suites.sceneeval.remarks import Remark, verdicts

TROUBLES = (("in_collision", "collides"), ("out_of_bounds", "is not over the floor"))
HEAD = ("object", "held by", "trouble", "best side free", "why")
SIGNS = {True: ("✓", "right"), False: ("✗", "wrong"), None: ("?", "pale")}
WRONG, FINE = "This room is not as it should be:", "This room is as it should be:"
OFFICIAL = "As the published code measures"

Findings = Mapping[str, Any]


def scene_page(file: str, image: str, profiles: Mapping[str, Findings], problems: Sequence[str]) -> str:
    """Return a self-contained page: the verdicts, the drawing, and the findings under each profile."""
    strict, official = profiles["strict"], profiles["official"]
    ours, published = verdicts(strict), verdicts(official)
    parts = [html.paragraph(WRONG if any(verdict.holds is not True for verdict in ours) else FINE, class_="lead")]
    parts.append(tag("ul", *map(_verdict, ours), class_="options lead"))
    if [verdict.text for verdict in published] != [verdict.text for verdict in ours]:
        theirs = tag("ul", *map(_verdict, published), class_="options")
        parts.append(html.folded(text(f"{OFFICIAL}, the verdicts differ"), theirs, is_open=True))
    parts.append(tag("div", html.drawing(image, "from above, with the findings of strict"), class_="room"))
    parts.append(html.section("Problems of the file", html.listed(html.name(problem) for problem in problems)))
    parts.append(html.section("Measures", html.table(("measure", "strict", "official"), _measures(strict, official))))
    objects = html.table(HEAD, _rows(strict)) if strict["objects"] else html.paragraph("The room has no objects.")
    rows = list(_rows(official))
    published_rows = html.folded(text(OFFICIAL), html.table(HEAD, rows)) if rows else Markup("")
    parts.append(html.section("Objects", objects, published_rows))
    return html.whole_page(f"The room of {file}, seen from above", *parts)


def _verdict(verdict: Remark) -> Markup:
    sign, look = SIGNS[verdict.holds]
    about = f" ({', '.join(verdict.objects)})" if verdict.objects else ""
    why = f": {verdict.why}" if verdict.why else ""
    return tag("li", tag("b", text(sign), class_=look), Markup(" "), text(verdict.text), html.name(about + why))


def _measures(strict: Findings, official: Findings) -> Iterator[tuple[Markup, ...]]:
    for name in strict["scores"]:
        meaning = METRICS[name].meaning if name in METRICS else ""
        shares = (findings["scores"][name] for findings in (strict, official))
        texts = (f"{summed:.3g} of {weight}" if weight else "does not apply" for summed, weight in shares)
        yield text(f"{meaning} ({name})" if meaning else name), *map(text, texts)
    yield text("free floor"), *(text(value["navigability"]["reason"]) for value in (strict, official))
    ways = [{way["id"]: way for way in value["openings"]} for value in (strict, official)]
    for opening in dict.fromkeys([*ways[0], *ways[1]]):
        if any(opening in way and way[opening]["occluded"] for way in ways):
            yield html.name(opening), *(html.name(way[opening]["reason"] if opening in way else "") for way in ways)


def _rows(value: Findings) -> Iterator[tuple[Markup, ...]]:
    for name, thing in value["objects"].items():
        troubles = [words for key, words in TROUBLES if thing[key]]
        troubles += {True: [], False: ["hangs in the air"], None: ["may hang in the air"]}[thing["supported"]]
        access = "" if thing["accessibility"] is None else f"{100 * thing['accessibility']:.0f} %"
        why = html.name("; ".join(thing["reasons"]))
        support = text(str(thing["support_type"] or ""))
        yield html.name(name), support, text(", ".join(troubles)), text(access), why
