"""List of tasks, from cards and manifests alone, without loading the code of tasks.

>>> first = listed_tasks()[0]
>>> first.task, first.is_default, first.needs
('tsg/sgqa', True, 'a model')
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.suite import default_tasks, in_order, load_code, suites

NEEDED = "a model"
HEAD = "tasks (*: run where no --task is given; +: run only where named itself)"
NEXT = (
    "a task needs a model (--model M) where nothing else is said; without one our",
    "rules answer, where there are some. What a model is asked: tsgkit prompts show TASK;",
    "published data: tsgkit data list",
)


@dataclass(frozen=True)
class ListedTask:
    """A task in the list."""

    task: str
    title: str
    needs: str
    is_default: bool
    on_request: bool
    """Run where it is named itself, not where its suite is."""
    subject: str | None
    """The default subject."""
    judge: str | None
    data: str
    """The rows that are asked where none are named, as the card names them."""
    citation: str


def listed_tasks() -> tuple[ListedTask, ...]:
    """Return all tasks there are, those that are run by default first."""
    load_code()
    needs = {f"{suite.name}/{kind}": text for suite in suites() for kind, text in suite.needs.items()}
    default = default_tasks()
    cards = [load_card(name) for name in (*default, *in_order(set(card_names()) - set(default)))]
    return tuple(
        ListedTask(
            task=card.name,
            title=card.title,
            needs=needs.get(card.task, NEEDED),
            is_default=card.name in default,
            on_request=card.on_request,
            subject=card.subject,
            judge=card.judge,
            data=card.data,
            citation=card.citation,
        )
        for card in cards
    )


def task_lines(tasks: tuple[ListedTask, ...]) -> Iterator[str]:
    """Yield the list as text: a line a task, and one more where it needs something else than a model."""
    width = max((len(one.task) for one in tasks), default=0)
    yield HEAD
    for one in tasks:
        mark = "*" if one.is_default else "+" if one.on_request else " "
        yield f"{mark} {one.task:<{width}}  {one.title}"
        if one.needs != NEEDED:
            yield f"  {'':<{width}}  needs {one.needs}"
    yield from NEXT
