"""Generate descriptions of furnished rooms with annotations of their demands (the published CSV, or JSON).

  tsgkit make sceneeval -o annotations.csv --items 12                         sentence patterns: no model
  tsgkit make sceneeval -o annotations.csv --items 12 --model openai/gpt-4o
  tsgkit make sceneeval -o annotations.csv --items 12 --model openai/gpt-4o --review
  tsgkit make sceneeval -o hard.json --items 6 --difficulty hard --room kitchen --room den --model openai/gpt-4o

Types of rooms, difficulties and things are drawn with a seed. The model describes each room in a separate request,
then annotates the text. Rules compare both: the difficulty, uncounted things and counts without a mention, missing,
merged or invented numbers, attributes and relations, and similar texts. Items with errors are requested again with the
findings, at most --rounds times, then dropped (OUT.dropped.jsonl has the reasons). Warnings are sent once and remain in
the notes. With --review you see every item with its findings, and accept, edit or drop it. Decisions are stored in
OUT.review.jsonl, and the same command resumes with them. --review-in browser offers the same decisions on a page; a
review can be begun in one place and finished in the other. OUT.notes.jsonl records for each item how it was made, the
remaining findings, and the decision of the review. Without --model, bundled sentence patterns are filled in. They are
plain and all alike.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli import agents
from tsgkit.cli.review import BROWSER, TERMINAL, add_review_place, all_decided, require_terminal, resolve_review_place
from tsgkit.cli.terminal import complain, count, inert, say, say_lines
from tsgkit.errors import INTERRUPTED, UsageError

if TYPE_CHECKING:
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.makers.maker import GeneratedItem, Generation

OURS = "sceneeval/data/annotations.csv"
LEVELS = ("easy", "medium", "hard")
ENDINGS = (".csv", ".json")
MOST = 1_000
PATTERNS = "sentence patterns"
PLAIN = "plain patterns, all alike: they show the file format but cannot compare models; use --model for others"
COLUMNS = ("difficulty", "scenes", "words", "objects", "ObjCount", "ObjAttr", "OORel", "OARel")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make sceneeval``."""
    option = parser.add_argument
    option("-o", "--out", required=True, metavar="OUT", help="the file to write: .csv or .json")
    option("--items", type=int, default=10, metavar="N", help="the number of items to draw (default 10)")
    about = "the model that describes and annotates, or script:FILE (default: patterns)"
    option("--model", metavar="M", help=about)
    about = "only this one; repeatable (default: in turn)"
    option("--difficulty", action="append", default=[], choices=LEVELS, help=about)
    option("--room", action="append", default=[], metavar="R", help="only this type; repeatable")
    option("--seed", type=int, default=0, metavar="N", help="the seed of the drawn rooms (default 0)")
    option("--review", action="store_true", help="review every item; can be stopped and resumed")
    add_review_place(parser)
    agents.add_model_options(parser, rounds=2)


def run(arguments: argparse.Namespace) -> int:
    """Generate, check, review and write items, and report the ones that were dropped."""
    resolve_review_place(arguments)
    if Path(arguments.out).suffix.lower() not in ENDINGS:
        raise UsageError(f"{arguments.out}: unknown kind of output", hint="end the name in .csv or .json")
    if not 1 <= arguments.items <= MOST:
        raise UsageError(f"--items {arguments.items}: expected a number from 1 to {MOST}")
    for name in ("json", "shard"):
        if arguments.review and getattr(arguments, name):
            raise UsageError(f"--review cannot be combined with --{name}", hint="omit one of the two")
    if arguments.rounds < 0:
        raise UsageError(f"--rounds {arguments.rounds}: expected at least 0")
    agents.limits_of(arguments)
    if arguments.review and arguments.review_in == TERMINAL:
        require_terminal()
    with agents.kept_when_interrupted(arguments.out):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.suites.sceneeval.review import ItemReview
    from tsgkit.lexicon import meant
    from tsgkit.library.files import refuse_to_overwrite
    from tsgkit.library.projects import find, text_of
    from tsgkit.llm.asker import ask_for
    from tsgkit.runs.decisions import Decisions
    from tsgkit.suites.sceneeval.annotation_files import read_annotations
    from tsgkit.suites.sceneeval.annotations import spaced
    from tsgkit.suites.sceneeval.makers.maker import AnnotationMaker, texts, written
    from tsgkit.suites.sceneeval.makers.room_plans import ROOM_TYPES, draw_plans
    from tsgkit.suites.sceneeval.word_meanings import furniture

    table = furniture()
    rooms = [name for name in ROOM_TYPES if name in table.rooms]
    named = list(map(spaced, arguments.room))
    if unknown := next((name for name in named if name not in rooms), None):
        raise UsageError(f"there is no type of room {unknown!r}", hint=meant(unknown, rooms))
    levels = [level for level in LEVELS if level in arguments.difficulty] or LEVELS
    chosen = [name for name in rooms if name in named] or rooms
    plans = draw_plans(arguments.items, levels, chosen, arguments.seed, table)
    known: tuple[str, ...] = ()  # the bundled descriptions, unless their own file is being written
    if not Path(arguments.out).resolve().as_posix().endswith(f"/tasks/{OURS}"):
        bundled = find("tasks", OURS)
        known = tuple(each.description for each in read_annotations(text_of(bundled), str(bundled)).annotations)
    job = {
        "work": "make sceneeval",
        "drawn": agents.digest(list(map(asdict, plans))),
        "known": agents.digest([table.sha256, *known]),
        "texts": agents.digest(texts()),
        "rounds": arguments.rounds,
    }
    with agents.asking(arguments, arguments.out, job) if arguments.model is not None else nullcontext() as calls:
        if calls is None:
            making = written(plans, arguments.seed, table)
        else:

            async def work(engine: Engine) -> Generation:
                each = partial(engine.made, workers=arguments.concurrency)
                ask = partial(ask_for, calls.asker, task="make")
                return await AnnotationMaker(ask, table, arguments.rounds, known, each=each).make(plans)

            making = agents.carried_out(calls, work, arguments)
            if calls.shard is not None:
                return agents.finish_shard(calls, making.stopped, making.failures, arguments)
        verdicts: dict[str, str] = {}
        if arguments.review:
            if making.stopped:  # a person would have to review unfinished work again
                complain("some items are unfinished, so there is no review and output was not written")
                summary = {"stopped": making.stopped, "failures": making.failures}
                return agents.finish(summary, lambda: None, calls, arguments, making.calls, shows_usage=False)
            ready = [item for item in making.made if not item.is_given_up]
            decisions = Decisions(Path(f"{arguments.out}.review.jsonl"))
            review = ItemReview(ready, decisions, table, arguments.out, known)
            if len(review.verdicts()) < len(ready):  # nobody is asked if the result could not be written
                refuse_to_overwrite(arguments.out, force=calls is not None or arguments.force)
                if not all_decided(review.queue, in_browser=arguments.review_in == BROWSER):
                    hint = "run the same command to resume this review"
                    complain("review stopped before the end; output not written", hint)
                    return INTERRUPTED
            verdicts = review.verdicts()
        return _finish(making, verdicts, calls, arguments)


def _finish(
    making: Generation, verdicts: dict[str, str], calls: AgentCalls | None, arguments: argparse.Namespace
) -> int:
    """Write the kept items with their notes, then print a summary."""
    from tsgkit.cli.suites.sceneeval.review import DROPPED
    from tsgkit.library.files import write_text
    from tsgkit.report.table import Table
    from tsgkit.report.terminal import table
    from tsgkit.suites.sceneeval.annotation_files import as_csv, as_json
    from tsgkit.suites.sceneeval.makers.maker import dropped_line, note_value

    kept: list[GeneratedItem] = []
    dropped: list[tuple[GeneratedItem, str]] = []
    for item in making.made:
        verdict = verdicts.get(item.name, "")
        errors = "; ".join(f"{finding.code}: {finding.message}" for finding in item.errors)
        if verdict == DROPPED:
            dropped.append((item, "dropped by the person who reviewed it"))
        elif verdict or not (item.is_given_up or errors):
            kept.append(item)
        else:
            dropped.append((item, errors or "the model gave no answer"))
    by, out = arguments.model or PATTERNS, arguments.out
    numbered = [replace(item.annotation, item_id=str(number)) for number, item in enumerate(kept)]
    if kept:
        agents.put(as_csv(numbered) if Path(out).suffix.lower() == ".csv" else as_json(numbered), calls, arguments)
        notes = (note_value(item, str(n), by, verdicts.get(item.name, "")) for n, item in enumerate(kept))
        write_text(f"{out}.notes.jsonl", agents.json_lines(notes))
    write_text(f"{out}.dropped.jsonl", "".join(dropped_line(item, why) for item, why in dropped))
    means, reviewed = statistics(numbered), Counter(verdicts.values())
    summary = {
        "items": len(kept),
        "drawn": arguments.items,
        "by": by,
        "dropped": len(dropped),
        "reasons": Counter(code for item, _ in dropped for code in {finding.code: 1 for finding in item.errors}),
        "warnings": Counter(finding.code for item in kept for finding in item.warnings),
        "mended": sum(item.mended > 0 for item in kept),
        "reviewed": reviewed,
        "statistics": means,
        "stopped": making.stopped,
        "failures": making.failures,
    }

    def show() -> None:
        say(f"{count(len(kept), 'item')} of {arguments.items} drawn, by {inert(by)}")
        if calls is None:
            say(PLAIN)
        if kept:
            cells = (
                tuple(f"{mean:.2f}" if isinstance(mean, float) else str(mean) for mean in row.values()) for row in means
            )
            say_lines(table(Table(("means of an item",), COLUMNS, tuple(cells))))
        for number, item in enumerate(kept):
            for finding in item.warnings:
                complain(f"item {number}: {finding.code}: {finding.message}")
        if dropped:
            say(f"dropped: {count(len(dropped), 'item')}, with reasons in {inert(out)}.dropped.jsonl")
        for item, why in dropped[: agents.SHOWN]:
            complain(f"drawn {item.name}: {why[:200]}")
        if reviewed:
            say("reviewed: " + ", ".join(f"{number} {name}" for name, number in sorted(reviewed.items())))

    is_enough = bool(kept) if calls is not None else len(kept) == arguments.items or bool(verdicts)
    files, wrong = [out, f"{out}.notes.jsonl"] if kept else [], [] if is_enough else ["too few items"]
    return agents.finish(summary, show, calls, arguments, making.calls, written=files, wrong=wrong)


def statistics(annotations: Sequence[Annotation]) -> list[dict[str, Any]]:
    """Return the mean lengths and numbers of demands, by difficulty and overall, as in the published tables.

    >>> from tsgkit.suites.sceneeval.annotations import annotation_of
    >>> statistics([annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa",))])[0]
    {'difficulty': 'easy', 'scenes': 1, 'words': 5.0, 'objects': 1.0, 'cnt': 1.0, 'atr': 0.0, 'oor': 0.0, 'oar': 0.0}
    """
    from tsgkit.suites.sceneeval.annotations import KINDS
    from tsgkit.suites.sceneeval.makers.annotation_vs_text import objects_of

    def row(difficulty: str, mine: Sequence[Annotation]) -> dict[str, Any]:
        counts = {"words": [len(each.description.split()) for each in mine], "objects": list(map(objects_of, mine))}
        counts |= {kind: [len(each.of_kind(kind)) for each in mine] for kind in KINDS}
        means = {name: round(sum(numbers) / len(mine), 2) for name, numbers in counts.items()}
        return {"difficulty": difficulty, "scenes": len(mine), **means}

    groups = {name: [each for each in annotations if each.difficulty == name] for name in LEVELS}
    return [row(name, mine) for name, mine in (groups | {"all": list(annotations)}).items() if mine]
