"""List the tasks: what each asks and needs, and which ones run by default.

tsgkit tasks
tsgkit tasks --json
"""

from __future__ import annotations

import argparse
from typing import Any

from tsgkit.cli.terminal import inert, say, say_json
from tsgkit.errors import GOOD
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.suite import default_tasks, in_order, load_code, suites

NEEDED = "a model"
HEAD = "tasks (*: run where no --task is given; +: run only where named itself)"
NEXT = """\
a task needs a model (--model M) where nothing else is said; without one our
rules answer, where there are some. What a model is asked: tsgkit prompts show TASK;
published data: tsgkit data list"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """List the tasks, from cards and manifests alone, those that are run by default first."""
    load_code()
    needs = {f"{suite.name}/{kind}": text for suite in suites() for kind, text in suite.needs.items()}
    default = default_tasks()
    tasks: list[dict[str, Any]] = [
        {
            "task": card.name,
            "title": card.title,
            "needs": needs.get(card.task, NEEDED),
            "is_default": card.name in default,
            **{name: getattr(card, name) for name in ("on_request", "subject", "judge", "data", "citation")},
        }
        for card in map(load_card, (*default, *in_order(set(card_names()) - set(default))))
    ]
    if arguments.json:
        say_json({"tasks": tasks}, ensure_ascii=False)
        return GOOD
    width = max((len(task["task"]) for task in tasks), default=0)
    say(HEAD)
    for task in tasks:
        mark = "*" if task["is_default"] else "+" if task["on_request"] else " "
        say(inert(f"{mark} {task['task']:<{width}}  {task['title']}"))
        if task["needs"] != NEEDED:
            say(inert(f"  {'':<{width}}  needs {task['needs']}"))
    say(NEXT)
    return GOOD
