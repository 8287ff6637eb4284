"""Style sheet of all pages: phone and desktop, light and dark, screen and print.

Colours are those of Okabe and Ito, lightened where the page is dark. Colour never says anything alone.
"""

from __future__ import annotations

from collections.abc import Iterator

DARK = {
    "#ffffff": "#17171a", "#f1f1f1": "#2a2a30", "#222222": "#ececf0", "#333333": "#ececf0", "#666666": "#a9a9b4",
    "#0072b2": "#56b4e9", "#d55e00": "#f07a2e", "#009e73": "#1fb58a", "#cc79a7": "#df9bc2", "#e69f00": "#f0b429",
    "#d8ecd8": "#24402c", "#d6e4f5": "#23364d", "#f7e6c4": "#4a3a17", "#ead9f2": "#3f2d4a", "#cfeeee": "#1d4444",
    "#f3d9d9": "#4d2929", "#c9c9c9": "#6c6c76", "#e06666": "#b04444", "#f6b26b": "#a8691f", "#8e7cc3": "#6f5fae",
    "#6e6e6e": "#9a9aa4", "#d9d9d9": "#3c3c44", "#56b4e9": "#b5e0fa", "#7a3fa0": "#b58ad6",
}  # fmt: skip
"""The colours of plots and of drawings of graphs and rooms, and what they are on a dark page."""


def _dark_drawings() -> Iterator[str]:
    """Yield the rules that recolour drawings, whose colours are attributes, on a dark page."""
    for light, dark in DARK.items():
        yield f'  figure svg[fill="{light}"], figure svg [fill="{light}"] {{ fill: {dark}; }}'
        yield f'  figure svg [stroke="{light}"] {{ stroke: {dark}; }}'


STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c1c1e; --pale: #5d5d66; --paper: #ffffff; --raised: #f4f4f6; --line: #d0d0d8; --link: #005a9c;
  --strict: #0072b2; --official: #b34700; --good: #00785a; --bad: #b34700; --marked: #ffe38a; --marked-ink: #1c1c1e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #ececf0; --pale: #a9a9b4; --paper: #17171a; --raised: #232328; --line: #44444e; --link: #7fc4ff;
    --strict: #56b4e9; --official: #f0a04b; --good: #4fd1a5; --bad: #f0a04b; --marked: #6b5300; --marked-ink: #ffffff;
  }
}
@media screen and (prefers-color-scheme: dark) {
DRAWINGS
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", Helvetica, Arial, "Liberation Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; margin: .5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .4rem; overflow-wrap: anywhere; }
h4 { font-size: 1rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
h2, p, li, dd, summary { overflow-wrap: anywhere; } p, li, dd, summary { max-width: 60rem; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.pale, figcaption, caption { color: var(--pale); font-size: .9rem; }
bdi, td, th, dd { unicode-bidi: isolate; }
code, pre { font: .875rem/1.45 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised); border: 1px solid var(--line);
  border-radius: .4rem; padding: .6rem .75rem; margin: .4rem 0; max-height: 28rem; overflow: auto; direction: ltr; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--pale); } dd { margin: 0; }
.wide { overflow-x: auto; max-width: 100%; }
.long { overflow-y: auto; max-height: min(34rem, 85vh); }
.long thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); box-shadow: 0 1px 0 var(--line); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .5rem 0; }
caption { text-align: left; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--pale); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
.figure { text-align: right; }
.group { display: block; font-weight: 400; }
.scores .group { white-space: normal; }
.scores tbody th, .scores thead th:first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.scores thead th:first-child { z-index: 2; }
.scores .interval { display: block; font-size: .85em; }
.lead { font-size: 1.05rem; }
mark { background: var(--marked); color: var(--marked-ink); text-decoration: underline; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 9rem; }
td { white-space: nowrap; } td.words { white-space: normal; min-width: 14rem; }
.interval { color: var(--pale); white-space: nowrap; }
figure { margin: .5rem 0 1rem; }
figure svg { display: block; height: auto; max-width: 100%; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .5rem 2rem; }
.plots svg { width: 100%; max-width: 27rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .25rem 1.5rem; }
.sides figure, .legend figure { margin: .25rem 0; }
.graph, .legend, .room { margin: .25rem 0 .75rem; }
.graph .wide, .room .wide { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem; }
.room .wide { width: fit-content; }
summary > h2 { display: inline; border: 0; padding: 0; }
details:has(> summary > h2) { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .75rem; }
.right { color: var(--good); } .wrong { color: var(--bad); }
.options { list-style: none; padding: 0; margin: 0; }
.tree, .tree ul { list-style: none; padding-left: 1.1rem; margin: .1rem 0; } .tree { padding-left: 0; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.changes { list-style: none; padding: 0; margin: .4rem 0; }
.changes li { font: .875rem/1.5 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace;
  padding-left: 3.4em; text-indent: -3.4em; }
.changes b { display: inline-block; width: 3.4em; text-indent: 0; }
.kind-matched { color: var(--pale); } .kind-missing b { color: var(--bad); } .kind-extra b { color: var(--strict); }
.kind-reversed b, .kind-mismatched b, .kind-wrong-hand b { color: var(--official); }
.outside { font-weight: 600; text-decoration: underline wavy var(--bad); }
.note { border-left: .25rem solid var(--official); padding: .2rem .75rem; background: var(--raised); }
@media (max-width: 46rem) {
  main { padding: .75rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .4rem .75rem; }
  table:not(.cards) td { white-space: normal; min-width: 4.2rem; }
  table:not(.cards) tbody th { min-width: 8.5rem; }
  .cards, .cards caption, .cards tbody, .cards tr, .cards td, .cards tbody th { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards, .cards tbody { width: 100%; }
  .cards tr { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; margin: .5rem 0; }
  .cards td, .cards tbody th { border: 0; padding: .1rem 0; white-space: normal; }
  .cards td { display: flex; justify-content: space-between; gap: 1rem; }
  .cards .figure { text-align: left; } .cards td:has(> span:empty) { display: none; }
  .cards td::before { content: attr(data-label); color: var(--pale); flex: none; }
  .cards tbody th::before { content: attr(data-label) " "; color: var(--pale); font-weight: 400; }
  .scores .interval { display: inline; } .scores tbody th { position: static; }
  .long .cards thead th { position: absolute; }
  .cards td > span { text-align: right; overflow-wrap: anywhere; min-width: 0; }
}
@media print {
  :root { --ink: #000; --paper: #fff; --raised: #fff; --pale: #444; }
  main { max-width: none; padding: 0; } pre, .long { max-height: none; overflow: visible; }
  .long thead th { position: static; }
  figure, tr, .card { break-inside: avoid; }
}
""".replace("DRAWINGS", "\n".join(_dark_drawings()))
