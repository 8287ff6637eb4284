"""Tables in a reply: the cells that a table calls the answer, and verdicts on options in a table or in lines.

>>> [cell.text for cell in answer_cells(Part("| Question | Answer |\\n|---|---|\\n| Which tool? | roller |"))]
['roller']
>>> for text in ("Option | Fits\\nA | no\\nB | yes, all of it", "A = no, B = yes"):
...     print([(option.text, is_right) for option, is_right in verdicts(Part(text), re.compile("([A-H])"))])
[('A', False), ('B', True)]
[('A', False), ('B', True)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tsgkit.replies.spans import Part

RULER = frozenset(" \t|:=-")
MARKS = " \t*_`#[]()"
CALLED = re.compile(
    r"(?:(?:(?:my|the|final|correct|right)\s++)*+(?:answer|solution|response|antwort|respuesta|réponse|答案)"
    r"|(?:my|the\s++best|best|final|correct|right|chosen|selected)\s++(?:option|choice|letter|match|candidate|object|name|node|word|pick))",
    re.IGNORECASE,
)
"""The head of a column or a row that holds the answer."""
YES = r"(?:yes|true|(?:correct|right)(?=[\W_]*?(?:$|[,.;:(!–—]))|matche?s?|fits|[✅✓✔☑]|ja|richtig|sí|oui|是|对|正确)"
NO = r"(?:no|not|false|incorrect|wrong|mismatch|fails|does(?:n['’]t|\s++not)|[❌✗✘❎]|nein|nicht|falsch|non|[否不错])"
VERDICT = re.compile(rf"[\s*_`.:\])–—=>→➜-]*+(?:(?P<yes>{YES})|(?P<no>{NO}))(?![^\W\d_])", re.IGNORECASE)
LIMITED = re.compile(
    r"\b(?:but|except|however|(?:al)?though|only|partly|wrong|missing|lacks|aber|pero|mais)\b", re.IGNORECASE
)
BEFORE = re.compile(r"(?:^|[,;.])[\s*_`#>\[(•-]*(?:(?:option|choice|candidate)\s+)?\Z", re.IGNORECASE)
"""The text before a name with a verdict: a line or a clause begins."""
LONGEST_BEFORE, LONGEST = 40, 200
"""Characters that are searched before a name, and behind a yes for what limits it."""


def tables(part: Part) -> Iterator[list[list[Part]]]:
    """Yield the rows of each table, a row of cells each, the ruler left out."""
    rows: list[list[Part]] = []
    end = -1
    for line in part.lines():
        if "|" not in line.text or (rows and part.text.count("\n", end - part.start, line.start - part.start) > 1):
            yield from [rows] if rows else []
            rows = []
        if "|" in line.text and not set(line.text) <= RULER:
            bounds = [-1, *(bar.start() for bar in re.finditer(r"\|", line.text)), len(line.text)]
            cells = [line.cut(start + 1, end).strip() for start, end in pairwise(bounds)]
            first, last = not cells[0].text, len(cells) - (not cells[-1].text)
            rows.append(cells[first:last])
        end = line.end
    yield from [rows] if rows else []


def answer_cells(part: Part) -> list[Part]:
    """Return the cells below or beside a head that calls them the answer, or beside a question."""
    cells = []
    for rows in tables(part) if "|" in part.text else ():
        columns = [column for column, cell in enumerate(rows[0]) if CALLED.fullmatch(cell.text.strip(MARKS + ":"))]
        if columns and len(rows) > 1:
            cells += [row[column] for row in rows[1:] for column in columns if column < len(row)]
            continue
        for row in rows:
            head = row[0].text.strip(MARKS) if row else ""
            if len(row) == 2 and (CALLED.fullmatch(head.rstrip(":")) or head.endswith(("?", "？"))):
                cells.append(row[1])
    return [cell for cell in cells if cell.text]


def verdicts(part: Part, name: re.Pattern[str]) -> list[tuple[Part, bool]]:
    """Return the names (the first group of a pattern) with a verdict behind each; empty for fewer than two.

    In a table the last column holds the verdict, or the last row where the names are in its head.
    """
    verdicts_of_rows: list[tuple[Part, bool]] = []
    for rows in tables(part) if "|" in part.text else ():
        columns = [(cell, rows[-1][column]) for column, cell in enumerate(rows[0]) if column < len(rows[-1])]
        for option, cell in [*columns, *((row[0], row[-1]) for row in rows if len(row) > 1)]:
            match = name.fullmatch(option.text.strip(MARKS))
            if match and (verdict := _verdict(cell.text)) is not None:
                stripped = option.strip(MARKS)
                verdicts_of_rows.append((stripped.cut(*match.span(1)), verdict))
    for line, below in pairwise([*part.lines(), Part("")]):
        for match in name.finditer(line.text) if "|" not in line.text else ():
            verdict = _verdict(line.text, match.end())
            if verdict is None and not line.text[: match.start()].strip(MARKS):
                verdict = _verdict(below.text)
            begin = max(match.start() - LONGEST_BEFORE, 0)
            if verdict is not None and BEFORE.search(line.text, begin, match.start()):
                verdicts_of_rows.append((line.cut(*match.span(1)), verdict))
    return verdicts_of_rows if len(verdicts_of_rows) > 1 else []


def _verdict(text: str, at: int = 0) -> bool | None:
    """Return whether a text says yes or no from a place on; None where it says neither, or limits its yes."""
    verdict = VERDICT.match(text, at)
    if verdict is None or (verdict["yes"] and LIMITED.search(text, at, at + LONGEST)):
        return None
    return verdict["yes"] is not None
