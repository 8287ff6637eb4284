"""Checks of choices and questions on rows written by hand: what they find, and lookalikes that they pass over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon.fragments import unfinished
from tsgkit.suites.audits.items import AuditedItem, leaks
from tsgkit.suites.tsg.items import QuestionSample, SelectionSample
from tsgkit.suites.tsg.sample_checks import better_options, earlier_steps, strange_keys, unfinished_options, wrong_kinds

TABLES = dict(part.split(":\n", 1) for part in Path(__file__).with_name("audit_tables.txt").read_text().split("\n\n"))
"""Rows of each check, separated by |, their parts by /; those of *not* a check are lookalikes."""
SCENE = """pick-up brush with hand1 | coat dough with brush on board | put dough on tray with hand2 | carry tray to oven
    | open drawer with hand1 | pick-up whisk from drawer | pour milk into cup | stir milk in cup with spoon | scrape pan
    with spoon"""
POOL = ("mouse", "mouse-button", "mop-stick", "tools", "all-tools", "can", "paint-can", "egg", "wood-pieces")


def rows(table: str) -> Iterator[list[str]]:
    return ([" ".join(part.split()) for part in row.split("/")] for row in table.split("|"))


def graphs(text: str) -> tuple[ActionGraph, ...]:
    """Return graphs from their action, direct object, and labels with names: ``wash cup with sponge | dry cup``."""
    found = []
    for action, thing, *more in (row.split() for [row] in rows(text)):
        pairs = zip(more[::2], more[1::2], strict=True)
        found.append(
            ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *p) for p in pairs))
        )
    return tuple(found)


def choice(steps: str, *candidates: str) -> SelectionSample:
    """Return a choice about the last step with the first candidate as the key."""
    *context, asked = graphs(steps)
    return SelectionSample(
        item_id="0", cluster="", context=tuple(context), graph=asked, candidates=candidates, position=0
    )


def earlier(step: str, text: str, *own: str) -> Iterable[object]:
    own_graphs = graphs(f"dry cup | fill jar | {own[0]}") if own else ()
    sample = choice(f"{step} | lift pot | dry cup", "The cup was dried.", "b", text)
    return earlier_steps(replace(sample, candidate_graphs=own_graphs))


def of_kind(answer: str, question: str) -> Iterable[object]:
    asked = QuestionSample(item_id="0", cluster="", graphs=graphs(SCENE), question=question, answer=answer)
    return wrong_kinds(asked)


CHECKS: dict[str, Callable[..., Iterable[object]]] = {
    "unfinished": lambda text: [unfinished(text)] * bool(unfinished(text)),
    "better option": lambda asked, keyed, wrong: better_options(choice(asked, keyed, "a", wrong)),
    "strange key": lambda keyed: strange_keys(choice("close door | wash cup with sponge | take-out key", keyed, "b")),
    "earlier step": earlier,
    "answer kind": of_kind,
    "answer in question": lambda answer, question: leaks([AuditedItem("0", "0", question, answer=answer, pool=POOL)]),
}


def test_each_check_finds_its_rows_and_passes_over_lookalikes() -> None:
    for name, check in CHECKS.items():
        for table, count in ((name, 1), (f"not {name}", 0)):
            wrong = [row for row in rows(TABLES[table]) if len(list(check(*row))) != count]
            assert wrong == [], table
    texts = ("The lid is shut.", "With the lid in hand.", "After letting go,", "Once it was shut.")
    assert list(unfinished_options(choice("shut lid", *texts))) == [
        f"candidate {one}" for one in ("B is only a phrase", "C ends in a comma", "D is only a subordinate clause")
    ]
    captions = choice("open jar", "opening the jar", "Closing the jar with one hand.", "a jar on the shelf")
    assert not list(unfinished_options(captions)), "phrases are the style of these data"
