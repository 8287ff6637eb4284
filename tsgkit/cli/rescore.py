"""Score the stored replies of a run again with the readers and metrics of this version. No model is called.

tsgkit rescore runs/gpt-4o-tsg-0123456789abcdef
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import count, inert, job_watch, say, say_json, say_lines, screen
from tsgkit.errors import GOOD
from tsgkit.interface.options import RescoreOptions

MOST_SHOWN = 5
LONGEST = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    add_options(parser, RescoreOptions, until="executor")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser, RescoreOptions, after="executor")


def run(arguments: argparse.Namespace) -> int:
    """Score again, and print the changes."""
    from tsgkit.replies import READER
    from tsgkit.report.figures import percent
    from tsgkit.report.report_rows import main_metric
    from tsgkit.report.results_table import board_lines
    from tsgkit.runs.rescore_job import Rescoring
    from tsgkit.runs.results import result_value
    from tsgkit.runs.saved_run import open_saved_run

    job = Rescoring(arguments.run, arguments.data, arguments.executor)
    rescored = job.carry_out(job_watch(quiet=arguments.quiet))
    before, after = rescored.before, rescored.after
    reopened = open_saved_run(arguments.run, arguments.data)
    if arguments.json:
        values = [result_value(one, reopened.states[one.cell], reopened.samples) for one in after]
        reread = []
        for sample in rescored.reread:
            readings = (("before", sample.before), ("after", sample.after))
            value = {name: {"outcome": outcome, "answer": answer} for name, (outcome, answer) in readings}
            reread.append({**sample.cell.value, "item_id": sample.item_id, **value})
        say_json({"run": str(arguments.run), "results": values, "reread": reread, "misfits": rescored.misfits})
        return GOOD
    say_lines(board_lines(after, reopened.prepared, screen()))
    metrics = {row.cell: main_metric(row.task.card.metrics) for row in reopened.prepared.rows}
    for old, new in zip(before, after, strict=True):
        name = metrics[new.cell]
        was, now = ((one.board.profiles["strict"] or {}).get(name) for one in (old, new))
        if was is not None and now is not None and was.value != now.value:
            say(f"  {inert(new.cell.title)}: {name} was {percent(was)}, is {percent(now)}")
    if rescored.misfits:
        misfits = "did not fit into the run: made anew where their replies are recorded, else not asked yet"
        say(f"  {count(rescored.misfits, 'record')} of samples.jsonl {misfits}")
    if rescored.reread:
        than = f"by reader {READER} than by reader {rescored.reader}" if rescored.reader != READER else "than before"
        say(f"  {count(len(rescored.reread), 'sample')} read differently {than}:")
    for sample in rescored.reread[:MOST_SHOWN]:
        texts = []
        for outcome, answer in (sample.before, sample.after):
            text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            text = "" if answer is None else inert(text)
            texts.append(f"{outcome} {text if len(text) <= LONGEST else f'{text[:LONGEST]}...'}".strip())
        say(f"    {inert(sample.cell.title)} {inert(sample.item_id)}: {' -> '.join(texts)}")
    if (more := len(rescored.reread) - MOST_SHOWN) > 0:
        say(f"    and {more:,} more: --json lists them")
    changed = sum(old.board != new.board for old, new in zip(before, after, strict=True))
    samples = count(reopened.header["samples"], "sample")
    scored = f"{samples} scored again, {changed} of {count(len(after), 'row')} changed"
    say(f"{scored}; run: {inert(str(arguments.run))}")
    return GOOD
