"""Parts that all tasks of this suite have: rows of documents, prompts, groups, the published code, audits.

Each task is a function of a card in :mod:`~tsgkit.suites.tsg.qa`, ``selection``, ``generation``, ``derived_tasks`` or
``repairs``, whose module reads top to bottom: what is asked, how an answer is read, scored and shown, and the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.library.cards import Card
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.judgement import AnswerScores, Given
from tsgkit.suites.solvers.examples import Example, Pool, pool_file
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.solvers.solver import BASELINE, SINGLE
from tsgkit.suites.task import Groups, Official, Task, source_of
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules, auditable
from tsgkit.suites.tsg.groups import COMPUTED, STORED, groups_of, in_order, no_group
from tsgkit.suites.tsg.rows import RowRules, document_at, tsg_rows

REASONING_STYLES = ("cot", "cot-few-shot")
EVERY_RULE = ("graphs", "graph-rules", "node-rules", "hand-rules", "edge-rules", "action-rules", "error-rules")
"""The rules in the prompts of all tasks, which may share folders."""
SINGLE_COUNT = "single_graph_items"
SINGLE_NOTE = "one graph among items of several: scored as k = 1"
NO_READER = "this task has no published reader"
VIEW = "the published reader is shown what follows the last answer label"


def tsg_task(
    card: Card,
    rows: RowRules,
    *,
    prompt: Prompt,
    score: Callable[[Any, Any, Given], AnswerScores],
    audit: AuditRules,
    official: Official | None = None,
    own_groups: tuple[str, ...] = (),
    k_counts: str = "",
    **parts: Any,  # noqa: ANN401  (the other parts of a task)
) -> Task:
    """Return a task of this suite: its own parts, with those that all have."""
    computed = tuple(COMPUTED) if rows.of == "sgg" else ()
    return Task(
        card=card,
        rows=tsg_rows(rows),
        prompt=prompt,
        score=partial(_noting_single, score) if rows.of_several else score,
        groups=Groups(
            names=(*STORED, *computed, *own_groups), of=groups_of, order=in_order, k_counts=k_counts, refusal=no_group
        ),
        official=official or Official(unpublished=lambda style, solver: NO_READER),
        audit=partial(_audit, audit),
        **parts,
    )


def _noting_single(
    score: Callable[[Any, Any, Given], AnswerScores],
    item: Any,  # noqa: ANN401  (of its task)
    answer: Any,  # noqa: ANN401
    given: Given,
) -> AnswerScores:
    """Score an answer; an item of one graph in a task of several is counted."""
    scored = score(item, answer, given)
    notes = (SINGLE_NOTE, *scored.notes) if item.is_single else scored.notes
    return scored._replace(notes=notes, counts={**scored.counts, SINGLE_COUNT: int(item.is_single)})


# Prompts


def tsg_prompt(
    card: Card,
    rows: RowRules,
    *,
    answer: Callable[[Any], str],
    rationale: Callable[[Any, str], str] = lambda _, rationale: rationale,
    **parts: Any,  # noqa: ANN401  (the other parts of a prompt)
) -> Prompt:
    """Return the prompt of a task; ``rationale`` makes the reasoning about an item of that of its row."""
    kind = rows.kind
    prompt = Prompt(
        task=card.task,
        folder=card.prompts,
        homes=(f"tsg/{kind}", "tsg/shared"),
        also=EVERY_RULE,
        answer=answer,
        pool=lambda: pool_in(pool_document(card), rows, prompt, rationale),
        **parts,
    )
    return prompt


def pool_document(card: Card) -> Document:
    """Return the document of the worked examples that a card names."""
    return document_at(pool_file(card))


def pool_in(
    document: Document, rows: RowRules, prompt: Prompt, rationale: Callable[[Any, str], str] = lambda _, said: said
) -> Pool:
    """Return the worked examples of a document: ordinary rows with a ``rationale``, or one for each question."""
    rows.items_in(document)  # refuses a pool with anything wrong in it
    examples = []
    for entry in document.entries:
        rationales = tuple(_rationales(entry, document.file))
        for item, told in zip(rows.items_from(entry, document.file), cycle(rationales), strict=False):
            source = getattr(item, "source", None)
            made_of = "" if source is None else source.item_id
            examples.append(Example(item, prompt.answer(item) if prompt.answer else "", rationale(item, told), made_of))
    return Pool(document.file, tuple(examples), prompt.identity_of, f"{rows.kind}\n")


def _rationales(entry: Entry, file: str) -> Iterator[str]:
    row = entry.row or {}
    for holder in row.get("qa_pairs", [row]):
        rationale = holder.get("rationale", "")
        if not isinstance(rationale, str):
            raise UsageError(f"{file}: item {entry.item}: rationale: expected a text")
        yield rationale.strip()


# The published code


def published(
    rows: RowRules,
    metrics: tuple[str, ...],
    read: Callable[[str], Any],
    differences: Callable[[Any, Any, Any], Iterable[str]],
    without_weight: str = "no item carries weight",
) -> Official:
    """Return the published code of a task; ``differences`` tell, of an item and both readings, why these differ."""
    return Official(
        metrics=metrics,
        unpublished=_unpublished,
        view=official_view,
        read=read,
        differences=partial(_why, rows, differences),
        without_weight=without_weight,
        reasons=_reasons,
    )


def _unpublished(style: str, solver: str) -> str:
    """Return why replies asked for in this way have no official figures; empty where they have."""
    if style == "structured":
        return "replies in a JSON schema were not asked for in the published way"
    if solver not in (SINGLE, BASELINE):
        return f"the published way asks once; solver {solver} does not"
    return ""


def official_view(text: str, style: str) -> str:
    """Return the text that the published reader sees: all, or what follows the last label of reasoned replies."""
    return official.answer_section(text) if style in REASONING_STYLES else text


def _reasons(style: str, tally: Tally) -> Mapping[str, str]:
    return {"official.view": f"style {style}: {VIEW}"} if style in REASONING_STYLES else {}


def _why(
    rows: RowRules,
    differences: Callable[[Any, Any, Any], Iterable[str]],
    item: Any,  # noqa: ANN401  (of its task)
    outcome: Outcome,
    mine: Any,  # noqa: ANN401
    theirs: Any,  # noqa: ANN401
    view: str,
) -> Iterator[str]:
    if outcome in (Outcome.ANSWERED, Outcome.UNREADABLE):
        yield from differences(item, mine, theirs)
    elif view.strip():
        yield f"the reply ended as {outcome}: strict gives it nothing, official reads what text there is"
    elif rows.of == "sgg":
        yield "no text: strict counts the item as wrong, official leaves it out"


# Audits, displays, words


def _audit(about: AuditRules, task: Task, data: str | None) -> Auditable:
    """Return the rows of a task, including defective ones, with the texts of prompts and worked examples."""
    assert task.prompt is not None  # noqa: S101  (all tasks of this suite have one)
    shown = () if task.card.examples is None else task.prompt.examples().examples
    texts = [one.text for one in task.prompt.texts(None).templates.values()]
    return auditable(document_at(source_of(task, data)), task, about, shown, texts)


def told(fields: Callable[[Any], Mapping[str, str]], *names: str) -> Callable[[Any], str]:
    """Return a function that describes an item to people by some fields of its prompt."""

    def question(item: Any) -> str:  # noqa: ANN401
        values = fields(item)
        return "\n\n".join(f"{name}:\n{values[name]}" for name in names)

    return question


def graph_faults(answer: Any, evidence: Any) -> Iterator[str]:  # noqa: ANN401  (as a record has them)
    """Yield the differences of graphs, with the place of each graph once, from 1."""
    if not isinstance(evidence, list):
        yield from (change.replace(": ", " ", 1) for change in evidence["changes"])
        return
    for number, graph in enumerate(evidence, 1):
        place = f"graph {number}: " if len(evidence) > 1 else ""
        for change in graph["changes"]:
            yield place + change.replace(": ", " ", 1)
            place = ""


def expected_instead(answer: Any, evidence: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield a wrong answer of one word with the right one."""
    yield f"{answer}, expected {evidence['expected']}"


def row_groups(row: Mapping[str, Any], k: int) -> dict[str, tuple[str, ...]]:
    """Return what a row says that its items can be grouped by."""
    tags = row.get("tags")
    return {
        "k": (str(k),),
        "domain": (str(row.get("domain") or "(none)"),),
        "tag": tuple(dict.fromkeys(str(tag) for tag in tags)) if isinstance(tags, list) and tags else ("(none)",),
    }


def lists_of(graphs: Sequence[ActionGraph]) -> list[list[list[str]]]:
    """Return graphs as lists, as the published code holds them."""
    return [[list(triplet) for triplet in graph.triplets] for graph in graphs]


def shortened(text: str) -> str:
    """Return a text that may be long, in quotes."""
    return repr(text if len(text) <= 40 else text[:40] + "...")
