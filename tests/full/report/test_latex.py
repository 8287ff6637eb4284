"""LaTeX that is written compiles as it is: every table, at every width, whatever others called their models."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pytest
from compared_runs import evaluate, item_ids, write_questions, write_script
from reported import baseline_run, hostile
from typeset import PLAIN, TWO_COLUMNS, needs_tex, typeset

from tsgkit.report import comparison_formats, latex
from tsgkit.report.comparison import compare
from tsgkit.report.grid import grid
from tsgkit.report.latex_text import TYPESET, escaped, width
from tsgkit.report.paper_columns import FONT_SIZE
from tsgkit.report.plain_text import Foreign
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import gather
from tsgkit.report.tables import Document, Table

pytestmark = needs_tex
NAMES = (
    "\\input{/etc/passwd}",
    "\\write18{id}\\immediate\\openout3=x",
    "^^5cinput{/etc/passwd} ^^M%",
    "".join(letter for letter in string.printable if letter not in string.whitespace),
    "$x_1^2$ & # % ~ \\\\ {a}} {",
    "\\end{table}\\end{document}",
    "[1cm] * [*]",
    "-- --- '' `` ,, ?` !` << >>",
    "  a   b ",
    "tab\tnew\nline\r\x00\x07\x1b[31m\u202e\u2028",
    "a" * 240,
    "/".join(["openai", "a-very-long-name"] * 30),
    "名前 имя όνομα שם نام नाम 이름 ชื่อ 🦊 \ud800 \uffff",
    "",
)


@pytest.mark.parametrize("begin", [PLAIN, TWO_COLUMNS], ids=["one column", "two columns"])
def test_reports_comparisons_grids_and_hostile_names_fit_their_columns(
    begin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = item_ids()
    write_questions(Path("questions.jsonl"), ids)
    for style, right in {"zero-shot": ids[:4], "few-shot": ids}.items():
        write_script(Path("model.jsonl"), ids, right)
        evaluate(style, "script:model.jsonl", more=("--style", style))
    evaluate("others", "baseline/rules", "baseline/random")
    runs = [Path("zero-shot"), Path("few-shot"), Path("others")]
    marked = comparison_formats.write(grid(runs), "latex")
    assert "$^{+}$" in marked
    run = baseline_run(tmp_path / "run", "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", limit=30)
    report = latex.write(against_published(gather([run], ("k", "domain"), metrics="all")))
    texts = [
        comparison_formats.write(compare(runs[:2]), "latex", with_items=True),
        comparison_formats.write(compare(runs[2:]), "latex"),
        marked,
        *(latex.write(hostile(name)) for name in NAMES),
    ]
    folder = tmp_path / "tex"
    found = typeset(folder, report + "\n\\clearpage\n".join(texts), begin)
    assert [points for points in found.overfull if points > 1] == []
    assert "undefined" not in found.log and "/etc/passwd)" not in found.log
    log = typeset(tmp_path / "alone", report, begin).log
    assert "Float too large" not in log and "multiply defined" not in log
    assert sorted(path.suffix for path in folder.iterdir()) == [".aux", ".log", ".pdf", ".tex", ".tex"]


def test_pdftex_knows_every_letter_takes_hundreds_of_tables_and_has_the_widths_that_are_guessed(tmp_path: Path) -> None:
    letters = sorted(TYPESET)
    rows = [(Foreign("".join(letters[start : start + 12])), "1") for start in range(0, len(letters), 12)]
    table = Table(("a table",), ("subject", "column 1"), tuple(rows), ((Foreign("".join(letters)),),))
    text = latex.written(Document("", (table,), ()))
    typeset(tmp_path / "t1", text, more=r"\usepackage[T1]{fontenc}")
    wide = tuple((f"{number}", *[f"{number}.0 [1.0, 2.0]"] * 3) for number in range(5))
    many = (Table(("a table",), ("subject", "a", "b", "c"), wide),) * 70
    typeset(tmp_path / "many", latex.written(Document("", many, ())), TWO_COLUMNS)
    random_letters = random.Random(1)
    texts = ["openai/gpt-4o", "exact_match", "18.9", "tsg/ma-sgg"]
    texts += ["".join(random_letters.choices(string.ascii_letters + string.digits + "-_/", k=20)) for _ in range(30)]
    boxes = "".join(rf"\setbox0\hbox{{\footnotesize {escaped(text)}}}\typeout{{=\the\wd0}}" for text in texts)
    found = map(float, re.findall(r"^=([\d.]+)pt", typeset(tmp_path / "ot1", text + boxes).log, re.M))
    for text, points in zip(texts, found, strict=True):
        assert points <= width(text) * FONT_SIZE <= 1.2 * points, text
