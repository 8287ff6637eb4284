"""Make a benchmark from stories: questions, choices and sentences with graphs, audited, with a data card.

  tsgkit make tsg stories.jsonl -o mine                       by sentence patterns: no model is asked
  tsgkit make tsg stories.jsonl -o mine --model openai/gpt-4o
  tsgkit make tsg clips/ -o mine --only import,describe --mix 1:3,2:2,4:1
  tsgkit make tsg stories.jsonl -o mine --fix --review 0.1 --annotator ana
  tsgkit eval --task sgds --data mine/sgds.jsonl --model baseline/rules

SOURCE is any file that tsgkit convert reads, or a folder of such files: EASG clips, narratives, rows, graphs that
generate made. Stages, in order: import (sound stories), describe (a sentence for every group of graphs), elements (L),
questions, choices, generation (rows of sa-sgg and ma-sgg), audit, card. Each leaves readable files in DIR, and in
STAGE.dropped.jsonl what it left out, and why. The same command goes on where it was interrupted, and repeats no stage
that is up to date. You may correct a file by hand: later stages start from it, and nothing replaces it without --force.

A model's sentences are checked against their graphs and requested again with the findings, at most --rounds times; what
stays wrong is dropped. The audit is a gate: exit code 3 with the items to blame if a shortcut surely beats chance, keys
are skewed, or an item is there twice; --fix draws those anew. With --review, a person accepts or drops a share of the
items; with several annotators the card states their agreement.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.agents import add_model_options, kept_when_interrupted, limits_of, say_stopped
from tsgkit.cli.review import BROWSER, TERMINAL, add_review_place, all_decided, require_terminal, resolve_review_place
from tsgkit.cli.terminal import complain, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD, INTERRUPTED, FileProblem, UsageError

if TYPE_CHECKING:
    from tsgkit.cli.suites.tsg.benchmark_work import BenchmarkWork
    from tsgkit.report.audit_report import TaskAudit

ALL = ("import", "describe", "elements", "questions", "choices", "generation", "audit", "card")
"""The stages, in order."""
MOST = 1_000
SHARES = {
    "implicit": (0.0, "descriptions that leave an inferable action unsaid"),
    "repeated": (0.0, "descriptions in which an action is repeated"),
    "bare": (0.0, "descriptions as brief as a telegram"),
    "extra": (0.25, "elements of L that occur in other stories only"),
}
"""Options that are shares: the default, and what they are shares of."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make tsg``."""
    from tsgkit.suites.tsg.makers.generation_rows import DEFAULT_MIX

    option = parser.add_argument
    option("source", nargs="*", type=Path, metavar="SOURCE", help="a file of graphs, or a folder of them")
    option("-o", "--out", required=True, metavar="DIR", help="the folder of the benchmark")
    option("--only", metavar="STAGES", help=f"only these, separated by commas: {', '.join(ALL)}")
    option("--model", metavar="M", help="the model that writes, or script:FILE (default: patterns)")
    option("--seed", type=int, default=0, metavar="N", help="the seed of everything drawn (default 0)")
    mix = f"graphs per sentence with weights, 1 to 8 (default {DEFAULT_MIX})"
    option("--mix", default=DEFAULT_MIX, metavar="K:W,...", help=mix)
    option("--rewrite", action="store_true", help="write sentences of the source anew as well")
    for name, (default, what) in SHARES.items():
        option(f"--{name}", type=float, default=default, metavar="SHARE", help=f"{what} (default {default:g})")
    option("--questions", type=int, default=8, metavar="N", help="questions a story, at most (default 8)")
    option("--choices", type=int, default=6, metavar="N", help="choices a story, at most (default 6)")
    possible = "what else could be done in these stories: candidates of choices"
    option("--possible", type=Path, metavar="FILE", help=possible)
    option("--fix", action="store_true", help="draw items anew that the audit blames")
    share = "review this share of items (default: all)"
    option("--review", nargs="?", const=1.0, type=float, metavar="SHARE", help=share)
    add_review_place(parser)
    option("--annotator", metavar="NAME", help="the name of whoever reviews (default: the user's)")
    option("--apply-review", action="store_true", help="leave out the items that a person dropped")
    option("--title", metavar="T", help="the title of the data card (default: the name of DIR)")
    canary = "a string for every row, by which training can leave it out"
    option("--canary", default="", metavar="TEXT", help=canary)
    option("--licence", metavar="L", help="the licence of the source, for the data card")
    option("--executor", metavar="E", help="where sentences are written by patterns: here, processes, or ray")
    add_model_options(parser, rounds=2, shards=False)


def run(arguments: argparse.Namespace) -> int:
    """Do the stages, and print what they made and whether the gate is passed."""
    from tsgkit.cli.suites.tsg.benchmark_review import review_file
    from tsgkit.cli.suites.tsg.benchmark_stages import StageSettings
    from tsgkit.cli.suites.tsg.benchmark_work import BenchmarkWork, Unfinished
    from tsgkit.runs.executors import checked_executor
    from tsgkit.suites.tsg.makers.stage_files import StageFolder

    share = arguments.review
    resolve_review_place(arguments)
    arguments.review = 1.0 if arguments.review is True else share
    if arguments.review is not None:
        if not 0 < arguments.review <= 1:
            raise UsageError(f"--review {arguments.review:g}: expected a share above 0, at most 1")
        if arguments.json:
            raise UsageError("--review cannot be combined with --json", hint="omit one of the two")
        if arguments.review_in == TERMINAL:
            require_terminal()
    stages, out = _checked_stages(arguments), Path(arguments.out)
    arguments.sources = _sources(arguments.source, out) if "import" in stages else ()
    settings = StageSettings(**{setting.name: getattr(arguments, setting.name) for setting in fields(StageSettings)})
    limits_of(arguments)
    checked_executor(arguments.executor)
    if arguments.annotator is not None or arguments.review is not None:
        arguments.annotator = arguments.annotator or os.environ.get("USER") or "me"
        review_file(out, arguments.annotator)
    with kept_when_interrupted(arguments.out):
        if out.exists() and not out.is_dir():
            raise FileProblem(f"{out}: this is a file, not a folder", hint="name a folder")
        try:
            return _run(BenchmarkWork(StageFolder(out), settings, arguments), stages)
        except Unfinished as error:
            reason, code = error.args
            say_stopped(reason, [])
            return int(code)


def _checked_stages(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the stages to do. Raise ``UsageError`` for settings that cannot be."""
    from tsgkit.lexicon import meant
    from tsgkit.library.files import look_alike

    stages: tuple[str, ...] = ALL
    if arguments.only is not None:
        names = [name.strip() for name in arguments.only.split(",") if name.strip()]
        if unknown := next((name for name in names if name not in ALL), None):
            raise UsageError(f"there is no stage {unknown!r:.40}", hint=meant(unknown, list(ALL)))
        if not names:
            raise UsageError("--only names no stage", hint=f"there are {', '.join(ALL)}")
        stages = tuple(name for name in ALL if name in names)
    for name in SHARES:
        value = getattr(arguments, name)
        if not 0 <= value <= (MOST if name == "extra" else 1):
            raise UsageError(f"--{name} {value:g}: expected a share from 0 to 1")
    if arguments.implicit + arguments.bare > 1:
        raise UsageError("--implicit and --bare are together more than 1")
    for name in ("questions", "choices"):
        if not 0 <= getattr(arguments, name) <= MOST:
            raise UsageError(f"--{name} {getattr(arguments, name)}: expected a number from 0 to {MOST:,}")
    if arguments.possible is not None and not arguments.possible.is_file():
        raise FileProblem(f"{arguments.possible}: no such file", hint=look_alike(arguments.possible))
    if arguments.canary and "import" not in stages:
        hint = "name it when the stories are imported, which puts it into every row; or name import in --only as well"
        raise UsageError("--canary: the stage import is not among --only", hint=hint)
    if arguments.rounds < 0:
        raise UsageError(f"--rounds {arguments.rounds}: expected at least 0")
    return stages


def _sources(names: Sequence[Path], out: Path) -> tuple[Path, ...]:
    """Return the files to import: those of a folder in alphabetical order."""
    from tsgkit.cli.suites.tsg.benchmark_stages import STAGES
    from tsgkit.library.files import look_alike

    if not names:
        raise UsageError("no SOURCE is named", hint="name a file of graphs, or do later stages with --only")
    files: list[Path] = []
    for path in names:
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.suffix in (".json", ".jsonl") and file.is_file())
            if not inside:
                raise FileProblem(f"{path}: no .json or .jsonl file in this folder")
            files += inside
        elif path.is_file():
            files.append(path)
        else:
            raise FileProblem(f"{path}: no such file or folder", hint=look_alike(path))
    ours = {name for stage in STAGES for name in stage.leaves}
    if any(out == path.parent and path.name in ours for path in files):
        raise UsageError(f"{out}: the folder of the sources", hint="name another folder")
    return tuple(dict.fromkeys(files))


def _run(work: BenchmarkWork, stages: Sequence[str]) -> int:
    from tsgkit.cli.suites.tsg.benchmark_card import write_card
    from tsgkit.cli.suites.tsg.benchmark_review import dropped_by_people, items_of, review_file, review_queue, sampled
    from tsgkit.cli.suites.tsg.benchmark_work import audits_of_folder, blames_of
    from tsgkit.lexicon import listed
    from tsgkit.library.files import write_text
    from tsgkit.report.audit_report import as_markdown
    from tsgkit.runs.decisions import Decisions

    folder, arguments, fixes = work.folder, work.arguments, 0
    work.carry_out(stages)
    if arguments.apply_review:
        work.leave_out(dropped_by_people(folder))
    audits: Sequence[TaskAudit] = audits_of_folder(folder) if "audit" in stages else ()
    if "audit" in stages and not audits:
        raise FileProblem(f"{folder.path}: no rows to audit", hint="do the stages before: leave out --only")
    if arguments.fix:
        audits, fixes = work.fixed(audits)
    blames = blames_of(audits)
    if arguments.review is not None:
        items = sampled(list(items_of(folder)), arguments.review, work.settings.seed)
        queue = review_queue(items, Decisions(review_file(folder.path, arguments.annotator)))
        if not all_decided(queue, in_browser=arguments.review_in == BROWSER):
            complain("the review was stopped before the end", "the same command goes on with it")
            return INTERRUPTED
    gate = {"passed": not blames, "redrawn": fixes, "blames": list(map(asdict, blames))}
    if "audit" in stages:
        value = {"gate": gate, "audits": [audit.value for audit in audits]}
        write_text(folder.file("audit.json"), json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        write_text(folder.file("audit.md"), as_markdown(audits))
    if "card" in stages:
        write_card(work)
    if arguments.json:
        figures = {name: stage["figures"] for name, stage in folder.stages.items()}
        summary = {"folder": str(folder.path), "done": work.done, "stages": figures, "gate": gate}
        say_json(summary | {"usage": work.usage, "failures": work.failures}, ensure_ascii=False)
    elif not arguments.quiet:
        if not work.done:
            say("everything was up to date")
        if "audit" in stages:
            again = f" after {fixes} rounds of redrawing" if fixes else ""
            say(f"audit: the gate is {'missed' if blames else 'passed'}{again} (audit.md)")
        for blame in blames:
            blamed = listed(blame.items)
            say(f"  {blame.task}: {blame.code}: {inert(blame.message)}{': ' * bool(blamed)}{inert(blamed)}")
        if blames and not arguments.fix:
            say("  --fix draws the items to blame anew")
        if "card" in stages:
            say(f"card: {inert(str(folder.file('card.md')))}")
    say_stopped("", work.failures)
    return GATE_MISSED if blames else FINISHED_WITH_ERRORS if work.failures else GOOD
