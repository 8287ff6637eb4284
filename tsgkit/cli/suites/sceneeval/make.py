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
import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.agent_options import (
    add_model_options,
    calls_of,
    carried_out,
    digest,
    exit_code,
    kept_when_interrupted,
    limits_of,
    put,
    say_stopped,
    say_usage,
    shard_done,
    usage_value,
)
from tsgkit.cli.review_options import BROWSER, TERMINAL, add_review_place, require_terminal, resolve_review_place
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, INTERRUPTED, UsageError

if TYPE_CHECKING:
    from tsgkit.runs.agent_calls import AgentCalls
    from tsgkit.runs.jobs import Engine
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.makers.maker import GeneratedItem, Generation
    from tsgkit.suites.sceneeval.makers.room_plans import RoomPlan

OURS = "sceneeval/data/annotations.csv"
LEVELS = ("easy", "medium", "hard")
ENDINGS = (".csv", ".json")
MOST = 1_000
SHOWN = 5
PATTERNS = "sentence patterns"
COLUMNS = ("difficulty", "scenes", "words", "objects", "ObjCount", "ObjAttr", "OORel", "OARel")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make sceneeval``."""
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="the file to write: .csv or .json")
    parser.add_argument("--items", type=int, default=10, metavar="N", help="the number of items to draw (default 10)")
    parser.add_argument(
        "--model", metavar="M", help="the model that describes and annotates, or script:FILE (default: patterns)"
    )
    parser.add_argument(
        "--difficulty", action="append", default=[], choices=LEVELS, help="only this one; repeatable (default: in turn)"
    )
    parser.add_argument("--room", action="append", default=[], metavar="R", help="only this type; repeatable")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of the drawn rooms (default 0)")
    parser.add_argument("--review", action="store_true", help="review every item; can be stopped and resumed")
    add_review_place(parser)
    add_model_options(parser, rounds=2)


def run(arguments: argparse.Namespace) -> int:
    """Generate, check, review and write items, and report the ones that were dropped."""
    resolve_review_place(arguments)
    _refuse(arguments)
    limits_of(arguments)
    if arguments.review and arguments.review_in == TERMINAL:
        require_terminal()
    with kept_when_interrupted(arguments.out):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.suites.sceneeval.review import review_of
    from tsgkit.suites.sceneeval.makers.furniture import furniture

    draws = _draws(arguments)
    calls = None if arguments.model is None else calls_of(arguments, arguments.out, _identity(draws, arguments))
    try:
        making = _made(draws, calls, arguments)
        if calls is not None and calls.shard is not None:
            return shard_done(calls, making.stopped, making.failures, arguments)
        ready = [one for one in making.made if not one.is_given_up]
        if arguments.review and making.stopped:
            return _unreviewed(making, calls)
        decided: dict[str, str] | None = {}
        if arguments.review:
            is_ours = calls is not None or arguments.force
            known, in_browser = _known(arguments.out), arguments.review_in == BROWSER
            decided = review_of(ready, arguments.out, furniture(), known, force=is_ours, in_browser=in_browser)
        if decided is None:
            return INTERRUPTED
        return _finish(making, decided, calls, arguments)
    finally:
        if calls is not None:
            calls.close()


def _unreviewed(making: Generation, calls: AgentCalls | None) -> int:
    """Skip the review of unfinished work, since a person would have to review it again."""
    complain("some items are unfinished, so there is no review and output was not written")
    say_stopped(making.stopped, making.failures)
    return exit_code(calls, making.stopped, making.failures)


def _refuse(arguments: argparse.Namespace) -> None:
    if Path(arguments.out).suffix.lower() not in ENDINGS:
        raise UsageError(f"{arguments.out}: unknown kind of output", hint="end the name in .csv or .json")
    if not 1 <= arguments.items <= MOST:
        raise UsageError(f"--items {arguments.items}: expected a number from 1 to {MOST}")
    if arguments.review and arguments.json:
        raise UsageError("--review cannot be combined with --json", hint="omit one of the two")
    if arguments.review and arguments.shard:
        raise UsageError("--review cannot be combined with --shard", hint="omit one of the two")
    if arguments.rounds < 0:
        raise UsageError(f"--rounds {arguments.rounds}: expected at least 0")


def _draws(arguments: argparse.Namespace) -> tuple[RoomPlan, ...]:
    from tsgkit.lexicon import meant
    from tsgkit.suites.sceneeval.annotations import spaced
    from tsgkit.suites.sceneeval.makers.furniture import furniture
    from tsgkit.suites.sceneeval.makers.room_plans import ROOM_TYPES, draw_plans

    table = furniture()
    rooms = [name for name in ROOM_TYPES if name in table.rooms]
    named = [spaced(name) for name in arguments.room]
    for name in named:
        if name not in rooms:
            raise UsageError(f"there is no type of room {name!r}", hint=meant(name, rooms))
    levels = [level for level in LEVELS if level in arguments.difficulty] or LEVELS
    chosen = [name for name in rooms if name in named] or rooms
    return draw_plans(arguments.items, levels, chosen, arguments.seed, table)


def _known(out: str) -> tuple[str, ...]:
    """Return the bundled descriptions, or none if their own file is being written."""
    from tsgkit.library.projects import find, text_of
    from tsgkit.suites.sceneeval.annotation_files import read_annotations

    if Path(out).resolve().as_posix().endswith(f"/tasks/{OURS}"):
        return ()
    found = find("tasks", OURS)
    return tuple(one.description for one in read_annotations(text_of(found), str(found)).annotations)


def _identity(draws: tuple[RoomPlan, ...], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return everything that can affect a reply."""
    from dataclasses import asdict

    from tsgkit.suites.sceneeval.makers.furniture import furniture
    from tsgkit.suites.sceneeval.makers.maker import texts

    drawn = digest([asdict(one) for one in draws])
    known = digest([furniture().sha256, *_known(arguments.out)])
    return {
        "work": "make sceneeval",
        "drawn": drawn,
        "known": known,
        "texts": digest(texts()),
        "rounds": arguments.rounds,
    }


def _made(draws: tuple[RoomPlan, ...], calls: AgentCalls | None, arguments: argparse.Namespace) -> Generation:
    from tsgkit.suites.sceneeval.makers.furniture import furniture
    from tsgkit.suites.sceneeval.makers.maker import written

    if calls is None:
        return written(draws, arguments.seed, furniture())
    return carried_out(calls, functools.partial(_ask, draws, calls, arguments), arguments)


async def _ask(
    draws: tuple[RoomPlan, ...], calls: AgentCalls, arguments: argparse.Namespace, engine: Engine
) -> Generation:
    from tsgkit.llm.asker import ask_for
    from tsgkit.suites.sceneeval.makers.furniture import furniture
    from tsgkit.suites.sceneeval.makers.maker import Maker

    maker = Maker(
        lambda name: ask_for(calls.asker, name, task="make"),
        furniture(),
        arguments.rounds,
        _known(arguments.out),
        each=functools.partial(engine.made, workers=arguments.concurrency),
    )
    return await maker.make(draws)


def _finish(
    making: Generation, decided: dict[str, str], calls: AgentCalls | None, arguments: argparse.Namespace
) -> int:
    """Write the kept items with their notes, then print a summary."""
    from tsgkit.library.files import write_text
    from tsgkit.suites.sceneeval.makers.maker import dropped_line, note_value

    kept, dropped = _split_items(making, decided)
    numbered = [replace(one.annotation, item_id=str(number)) for number, one in enumerate(kept)]
    by = arguments.model or PATTERNS
    notes = [
        note_value(one, made.item_id, by, decided.get(one.name, "")) for one, made in zip(kept, numbered, strict=True)
    ]
    if numbered:
        put(_text(numbered, arguments.out), calls, arguments)
        write_text(f"{arguments.out}.notes.jsonl", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in notes))
    write_text(f"{arguments.out}.dropped.jsonl", "".join(dropped_line(one, why) for one, why in dropped))
    summary = _summary(numbered, kept, dropped, making, decided, arguments) | usage_value(calls, making.calls)
    if arguments.json:
        say(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        _print(summary, kept, dropped, arguments)
    say_stopped(making.stopped, making.failures)
    if calls is not None:
        return exit_code(calls, making.stopped, making.failures or ([] if kept else ["no items"]))
    return GOOD if len(kept) == arguments.items or decided else FINISHED_WITH_ERRORS


def _split_items(
    making: Generation, decided: dict[str, str]
) -> tuple[list[GeneratedItem], list[tuple[GeneratedItem, str]]]:
    """Return the items to write, and the dropped ones with the reason."""
    from tsgkit.cli.suites.sceneeval.item_review import DROPPED

    kept: list[GeneratedItem] = []
    dropped: list[tuple[GeneratedItem, str]] = []
    for one in making.made:
        verdict = decided.get(one.name, "")
        if verdict == DROPPED:
            dropped.append((one, "dropped by the person who reviewed it"))
        elif verdict or not (one.is_given_up or one.errors):
            kept.append(one)
        elif one.errors:
            dropped.append((one, "; ".join(f"{finding.code}: {finding.message}" for finding in one.errors)))
        else:
            dropped.append((one, "the model gave no answer"))
    return kept, dropped


def _text(annotations: list[Annotation], out: str) -> str:
    from tsgkit.suites.sceneeval.annotation_files import as_csv, as_json

    return as_csv(annotations) if Path(out).suffix.lower() == ".csv" else as_json(annotations)


def _summary(
    numbered: list[Annotation],
    kept: list[GeneratedItem],
    dropped: list[tuple[GeneratedItem, str]],
    making: Generation,
    decided: dict[str, str],
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    return {
        "items": len(kept),
        "drawn": arguments.items,
        "by": arguments.model or PATTERNS,
        "dropped": len(dropped),
        "reasons": dict(Counter(code for one, _ in dropped for code in {finding.code for finding in one.errors})),
        "warnings": dict(Counter(finding.code for one in kept for finding in one.warnings)),
        "mended": sum(one.mended > 0 for one in kept),
        "reviewed": dict(Counter(decided.values())),
        "statistics": statistics(numbered),
        "stopped": making.stopped,
        "failures": making.failures,
    }


def statistics(annotations: Sequence[Annotation]) -> list[dict[str, Any]]:
    """Return the mean lengths and numbers of demands, by difficulty and overall, as in the published tables.

    >>> from tsgkit.suites.sceneeval.annotations import annotation_of
    >>> statistics([annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa",))])[0]
    {'difficulty': 'easy', 'scenes': 1, 'words': 5.0, 'objects': 1.0, 'cnt': 1.0, 'atr': 0.0, 'oor': 0.0, 'oar': 0.0}
    """
    from tsgkit.suites.sceneeval.annotations import KINDS
    from tsgkit.suites.sceneeval.makers.annotation_vs_text import objects_of

    def row(difficulty: str, mine: Sequence[Annotation]) -> dict[str, Any]:
        counts = {"words": [len(one.description.split()) for one in mine], "objects": [objects_of(one) for one in mine]}
        counts |= {kind: [len(one.of_kind(kind)) for one in mine] for kind in KINDS}
        means = {name: round(sum(numbers) / len(mine), 2) for name, numbers in counts.items()}
        return {"difficulty": difficulty, "scenes": len(mine), **means}

    groups = {name: [one for one in annotations if one.difficulty == name] for name in LEVELS}
    return [row(name, mine) for name, mine in (groups | {"all": list(annotations)}).items() if mine]


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _print(
    summary: dict[str, Any],
    kept: list[GeneratedItem],
    dropped: list[tuple[GeneratedItem, str]],
    arguments: argparse.Namespace,
) -> None:
    from tsgkit.report.tables import Table
    from tsgkit.report.terminal import table

    say(f"{count(summary['items'], 'item')} of {summary['drawn']} drawn, by {inert(summary['by'])}")
    if arguments.model is None:
        say("plain patterns, all alike: they show the file format but cannot compare models; use --model for others")
    if summary["items"]:
        rows = tuple(tuple(map(_cell, row.values())) for row in summary["statistics"])
        say("\n".join(table(Table(("means of an item",), COLUMNS, rows))))
    for one in kept:
        for finding in one.warnings:
            complain(f"item {kept.index(one)}: {finding.code}: {finding.message}")
    if dropped:
        say(f"dropped: {count(len(dropped), 'item')}, with reasons in {inert(arguments.out)}.dropped.jsonl")
    for one, why in dropped[:SHOWN]:
        complain(f"drawn {one.name}: {why[:200]}")
    if decided := summary["reviewed"]:
        say("reviewed: " + ", ".join(f"{number} {name}" for name, number in sorted(decided.items())))
    if arguments.model is not None:
        say_usage(summary)
    if summary["items"]:
        say(f"written: {inert(arguments.out)}, {inert(arguments.out)}.notes.jsonl")
