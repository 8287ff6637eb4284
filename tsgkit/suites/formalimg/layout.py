"""The task ``formalimg/layout``: a model, or a baseline, gives a layout as text.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.formalimg.rows import sample_from
>>> from tsgkit.suites.replies import CollectedReply
>>> from tsgkit.suites.solvers.prompter import prompter_of
>>> from tsgkit.suites.solvers.scorers import judge_reply
>>> from tsgkit.suites.styles import style_of
>>> task = layout(load_card("formalimg/layout"))
>>> task.kind, task.takes, task.metrics["g"].is_share
('layout', ('models',), False)
>>> cup = "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
>>> item = sample_from({"scenario": "knolling", "id": 0, "prompt": "A {cup}.", "dsl": cup}, "row", 0)
>>> prompter = prompter_of(task.prompt, style_of("zero-shot"), task.dataset(None), seed=0, prompts=None)
>>> prompter.text(item).split("\\n\\n")[-2]
'A {cup}.'
>>> judged = judge_reply(task, item, CollectedReply('[{"label": "cup", "box_2d": [0, 600, 100, 700]}]'), "zero-shot")
>>> judged.scores["strict"]["satisfied"].value, judged.evidence["reason"]
(0.0, 'no cup is on the top side: its centre is at y = 650, the middle at 500')
>>> random_layout(item, seed=1)
[{'label': 'cup', 'color': 'yellow', 'box_2d': [583, 191, 691, 441]}]

The baseline ``random`` places one object of each class that the instruction names at random, in a random color. It is a
lower bound. ``solver`` is an upper bound: it uses the formula, which models do not see, and needs the extra ``logic``.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from tsgkit.errors import UsageError, first_fault
from tsgkit.library.cards import Card
from tsgkit.logic.layouts import CANVAS, Box
from tsgkit.logic.vocabulary import KNOLLING as VOCABULARY
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample, read_rows, sample_from
from tsgkit.suites.formalimg.strict import LayoutAnswer, layout_in, text_of_reply
from tsgkit.suites.formalimg.task import VIEW, formula_task
from tsgkit.suites.formalimg.verdicts import Findings, clauses_of, published_verdict, scores_of, verdict_on
from tsgkit.suites.judgement import AnswerScores, Given, Spans
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.examples import Identity, Pool, WorkedExample, folded, pool_file
from tsgkit.suites.solvers.offline_solvers import OwnProgram, baseline_name
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.solvers.solver import Baselines
from tsgkit.suites.task import Official, Task

CHARACTERS = 64
"""The estimated length of an object of a layout."""
NO_REPLY = "no reply: the published code leaves the item out"
NO_SCHEMA = "the published protocol does not use a JSON schema"
DIFFERENCE = (
    "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python literal "
    "and as it stands; strict takes the last list of objects, and brings keys and values into the form asked for"
)
SMALLEST, LARGEST = 60, 260
"""The sides of random boxes."""
TRIES = 200
SOLVER = "solver"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "label": {"type": "string", "enum": list(VOCABULARY.classes)},
                    "color": {"type": "string", "enum": list(VOCABULARY.values["color"])},
                    "box_2d": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["label", "color", "box_2d"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["objects"],
    "additionalProperties": False,
}

# Question


def layout_text(objects: Sequence[Mapping[str, Any]]) -> str:
    """Return a layout as a JSON list, one object per line.

    >>> print(layout_text([{"label": "cup", "box_2d": [0, 0, 9, 9]}]))
    [
      {"label": "cup", "box_2d": [0, 0, 9, 9]}
    ]
    """
    lines = ",\n".join(f"  {json.dumps(thing, ensure_ascii=False)}" for thing in objects)
    return f"[\n{lines}\n]" if lines else "[]"


class LayoutExample(BaseModel):
    """The answer of a worked example."""

    model_config = ConfigDict(extra="allow", frozen=True)

    layout: list[dict[str, Any]]
    rationale: StrictStr


def _identity(sample: FormulaSample) -> Identity:
    return Identity((sample.dsl, folded(sample.prompt)))


def expected_length(sample: FormulaSample) -> int:
    """Return the characters of a reply with one object per class."""
    return CHARACTERS * max(len(sample.classes), 1)


# Reading


def _shown(value: object) -> str:
    """Return a list of objects in the requested form, whatever it contains."""
    if isinstance(value, list) and all(isinstance(thing, dict) for thing in value):
        try:
            return layout_text(value)
        except (TypeError, ValueError):
            pass
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # a Python literal can contain values that JSON cannot
        return ascii(value)


# Scoring


def _score(sample: FormulaSample, answer: LayoutAnswer | None, given: Given) -> AnswerScores:
    """Verify the layout in both profiles; if there is none, the evidence gives the reason."""
    published = None
    if given.published is not None:
        is_missing = given.outcome is Outcome.MISSING
        published = NO_REPLY if is_missing else published_verdict(sample, official.layout(given.published))
    if answer is None:
        nothing = clauses_of(sample.formula, hold=False)
        why = given.reason or f"no answer: {given.outcome}"
        return scores_of(sample, Findings(official=published, clauses=nothing, why=why))
    verdict, clauses = verdict_on(sample, answer.scene)
    findings = Findings(
        strict=verdict,
        official=published,
        clauses=clauses,
        answer=answer.objects,
        notes=tuple(map(str, answer.notes)),
        counts={"repaired": int(answer.is_repaired), "rejected": int(verdict.status == "rejected")},
    )
    return scores_of(sample, findings)


# Baselines


def random_layout(sample: FormulaSample, seed: int) -> list[dict[str, Any]]:
    """Place one object of each named class at random, avoiding overlaps as far as a few tries allow."""
    drawn = random.Random(hashlib.sha256(f"{seed}\n{sample.item_id}\n{sample.dsl}".encode("utf-8", "replace")).digest())
    placed: list[Box] = []
    objects = []
    for label in sample.classes:
        for attempt in range(TRIES):
            largest = LARGEST - attempt * (LARGEST - SMALLEST) // TRIES
            width, height = drawn.randint(SMALLEST, largest), drawn.randint(SMALLEST, largest)
            left, top = drawn.randint(0, CANVAS - width), drawn.randint(0, CANVAS - height)
            box = Box(left, top, left + width, top + height)
            if not any(box.shared(neighbour) for neighbour in placed):
                break
        placed.append(box)
        objects.append({"label": label, "color": drawn.choice(VOCABULARY.values["color"]), "box_2d": list(box)})
    return objects


def solved(sample: FormulaSample, seed: int) -> str:
    """Return a neat layout that satisfies the formula, in the form asked for; the empty one if none was found."""
    from tsgkit.logic.solver import solve

    neat = solve(sample.formula, seed=seed).layout
    objects = [] if neat is None else neat.value["objects"]
    return layout_text(objects if isinstance(objects, list) else [])


def needs_solver() -> None:
    """Raise ``UsageError`` if the solver is not installed."""
    from tsgkit.logic.placement import solver_module

    solver_module()


PROGRAMS = {"random": lambda sample, seed: layout_text(random_layout(sample, seed)), SOLVER: solved}


def layout(card: Card) -> Task:
    """Return the task that asks for layouts as text."""

    def pool() -> Pool:
        """Return the worked examples that the card names: rows with a ``layout`` and a ``rationale``."""
        examples = []
        for row in read_rows(pool_file(card)):
            sample = sample_from(row.value, row.place, row.number)
            try:
                answer = LayoutExample.model_validate(row.value)
            except ValidationError as error:
                raise UsageError(f"{row.place}: {first_fault(error)}") from None
            examples.append(WorkedExample(sample, layout_text(answer.layout), answer.rationale))
        return Pool(str(card.examples), tuple(examples), _identity)

    def program(task: Task, subject: str, seed: int, dataset: Dataset | None) -> OwnProgram:
        name = baseline_name(subject, PROGRAMS)
        if name == SOLVER:
            needs_solver()
        return OwnProgram(task, name, seed, PROGRAMS[name])

    def spans(sample: FormulaSample, text: str) -> Spans:
        reading = layout_in(text)
        return reading.spans if isinstance(reading, LayoutAnswer) else ()

    def published_layout(text: str) -> str | None:
        """Return what the published reader finds, as it is shown."""
        value = official.layout(text)
        return None if value is None else _shown(value)

    vocabulary = {"classes": ", ".join(VOCABULARY.classes), "colors": ", ".join(VOCABULARY.values["color"])}
    return formula_task(
        card,
        KNOLLING,
        why="no layout can be verified for them",
        view=replace(VIEW, told=lambda answer: _shown(answer.objects), noted=attrgetter("notes"), spans=spans),
        official=Official(
            unpublished=lambda style, solver: NO_SCHEMA if style == "structured" else "",
            read=published_layout,
            differences=lambda _, __, strict, published, ___: () if strict == published else (DIFFERENCE,),
        ),
        prompt=Prompt(
            task=card.task,
            folder=card.prompts,
            fields=lambda sample: {"prompt": sample.prompt},
            asked=("prompt",),
            rules=("rules", "vocabulary"),
            rule_values={"vocabulary": vocabulary},
            length=lambda sample: (expected_length(sample), 2 * expected_length(sample)),
            schema=lambda sample, most: SCHEMA,
            answer_name="layout",
            identity=_identity,
            pool=pool,
            whole={"prompt": attrgetter("prompt")},
            reply_text=text_of_reply,
        ),
        read=lambda text, sample: layout_in(text),
        score=_score,
        baselines=Baselines(tuple(PROGRAMS), program),
    )
