"""List the tasks with their prompts, or show the exact prompt of an item, without asking a model.

tsgkit prompts list
tsgkit prompts show tsg/ma-sgg --style cot --item tea/0
tsgkit prompts show tsg/sgqa --data sgqa.jsonl --style few-shot --shots 3 --seed 1 --json
tsgkit prompts show formalimg/layout --item knolling/7
tsgkit prompts show tsg/sgds --prompts FOLDER     (parts laid out as ours, or whole prompts such as sgds.txt)
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict

from tsgkit.cli.options import add_mapping
from tsgkit.cli.terminal import inert, say, say_json, say_lines
from tsgkit.errors import GOOD
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.solvers.prompter import PreviewOptions
from tsgkit.suites.solvers.ways import preview_of, task_prompts
from tsgkit.suites.styles import PRESETS
from tsgkit.suites.suite import task_named, task_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit prompts``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|show")
    listing = actions.add_parser("list", help="the tasks, the styles, and where the texts come from")
    show = actions.add_parser("show", help="the exact prompt of one item")
    show.add_argument("task", metavar="TASK", help="the task, such as tsg/ma-sgg or formalimg/layout")
    show.add_argument("--style", default="zero-shot", metavar="S", help=f"{', '.join(PRESETS)} (default zero-shot)")
    show.add_argument("--shots", type=int, metavar="N", help="how many worked examples (few-shot styles; default 10)")
    show.add_argument("--seed", type=int, default=0, metavar="N", help="the seed that chooses examples (default 0)")
    show.add_argument("--item", metavar="ID", help="the item (default: the first)")
    show.add_argument("--data", metavar="FILE", help="rows to take the item from (default: the task's own)")
    add_mapping(show)
    for action in (listing, show):
        action.add_argument("--prompts", metavar="DIR", help="a folder of prompts to use instead of ours")
        action.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """List prompts or show one."""
    if arguments.action == "list":
        return _list(arguments)
    names = ("item", "data", "style", "shots", "seed", "prompts")
    options = PreviewOptions(**{name: getattr(arguments, name) for name in names})
    shown = preview_of(task_of(load_card(task_named(arguments.task))), options)
    if arguments.json:
        value = {"task": shown.task, "style": shown.style.name, "shots": shown.style.shots, "item_id": shown.item_id}
        value |= {"examples": list(shown.examples), "fingerprint": shown.fingerprint}
        say_json(value | {"messages": list(shown.messages), "schema": shown.schema, "notes": list(shown.notes)})
        return GOOD
    say_lines(map(inert, shown.text.split("\n")))
    for note in shown.notes:
        say(f"\n({inert(note)})")
    if shown.schema is not None:
        say(f"\n(answer schema, sent beside the prompt)\n{inert(json.dumps(shown.schema, ensure_ascii=False))}")
    return GOOD


def _list(arguments: argparse.Namespace) -> int:
    tasks = task_prompts(map(task_of, map(load_card, card_names())), arguments.prompts)
    if arguments.json:
        names = ("reasoning", "shots", "schema")
        styles = [{"style": style.name, **{name: getattr(style, name) for name in names}} for style in PRESETS.values()]
        say_json({"tasks": [asdict(task) for task in tasks], "styles": styles})
        return GOOD
    for task in tasks:
        say(inert(f"{task.task}: {task.title}"))
        by_folder: dict[str, list[str]] = {}
        for part, source in task.parts.items():
            by_folder.setdefault(os.path.dirname(source), []).append(part)  # noqa: PTH120  a source may lie in a zip
        for folder, parts in by_folder.items():
            say(f"  {inert(folder)}: {', '.join(parts)}")
        if task.problem:
            say(f"  none: {inert(task.problem)}")
    say("styles")
    for style in PRESETS.values():
        reasoning = "step by step, then the answer" if style.reasoning else "the answer at once"
        shots = f", after {style.shots} worked examples" if style.shots else ""
        say(f"  {style.name:<13} {reasoning}{shots}{', as JSON in a schema' if style.schema else ''}")
    return GOOD
