"""The task ``spatialgen/questions``: a judge answers ten questions about each image.

>>> from tsgkit.library.cards import load_card
>>> task = questions(load_card("spatialgen/questions"))
>>> task.takes, task.looks.protocols[:3], len(task.dataset(None))
(('models', 'images'), ('published', 'ours', 'ours-apart'), 25)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.cards import Card
from tsgkit.suites.judges.images import NOT_SHOWN, sight_of
from tsgkit.suites.panels import Panel, SampleView, boxes_panel, image_now
from tsgkit.suites.rows import ItemChoice, Rows
from tsgkit.suites.solvers.offline_solvers import OfflineSolver
from tsgkit.suites.solvers.solver import BASELINE
from tsgkit.suites.spatialgen.baselines import baseline_subject, controls
from tsgkit.suites.spatialgen.defects import auditable_rows
from tsgkit.suites.spatialgen.judge_requests import PROTOCOLS, SHUFFLED, ParsedProtocol, QuestionPrompts, parse_protocol
from tsgkit.suites.spatialgen.replies import score
from tsgkit.suites.spatialgen.rows import SpatialRow, load_rows, rows_in, rows_of, scenes_in_order
from tsgkit.suites.spatialgen.scores import (
    COLUMNS,
    LEFT_OUT,
    METRICS,
    NOTHING_COUNTED,
    PUBLISHED_METRICS,
    UNREAD,
    VoteScorer,
    finish,
    read_twice,
    unpublished,
    verdicts_of,
)
from tsgkit.suites.spatialgen.vlm_judge import pieces, viewer
from tsgkit.suites.task import (
    BY_ID,
    BY_POSITION,
    PUBLISHED,
    Groups,
    Looks,
    Official,
    Painting,
    PaintingOptions,
    Task,
    View,
    left_out_reasons,
    source_of,
)

QUESTIONS = "questions"


def _faults(answer: Sequence[str | None], evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yield the questions, from 1, that most rounds did not answer rightly."""
    for number, (letter, is_right) in enumerate(zip(answer, evidence["right"], strict=True), 1):
        if not is_right:
            yield f"question {number}: {letter or 'no majority'} is wrong"


def _paintings(task: Task, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
    """Return the images to generate for the chosen items, each from its unchanged prompt."""
    if options.condition != "none" or options.layouts is not None:
        raise UsageError(f"{task.key}: its prompts take no layouts", hint="omit --condition and --layouts")
    dataset = task.dataset(data)
    return [Painting(dataset.item_ids[number], dataset.sample(number).prompt) for number in dataset.chosen(choice)]


def questions(card: Card) -> Task:
    """Return the task of answering ten questions about each image; those about one prompt form a cluster."""

    def check_prompts(style: str, prompts: str | None) -> None:
        if prompts is not None:
            QuestionPrompts(card, ParsedProtocol(PUBLISHED), prompts).check()

    def draws_lots(way: str) -> bool:
        """Return True if a baseline or protocol uses randomness."""
        if way.startswith(f"{BASELINE}/"):
            return not way.startswith(f"{BASELINE}/constant:")
        protocol = parse_protocol(way)
        return protocol.base != PUBLISHED or protocol.control == SHUFFLED

    return Task(
        card=card,
        rows=Rows(stored=QUESTIONS, load=load_rows, clusters="prompts"),
        metrics=METRICS,
        view=View(
            question=lambda sample: "\n".join(
                [sample.prompt, "", *(f"{n}. {question.written()}" for n, question in enumerate(sample.questions, 1))]
            ),
            brief=lambda sample: sample.prompt,
            reference=lambda sample: "\n".join(
                f"{n}. {question.sub_domain}: {question.key}: {question.options.get(question.key, '(no such option)')}"
                for n, question in enumerate(sample.questions, 1)
            ),
            value=lambda sample: list(sample.answers),
            faults=_faults,
            verdicts=verdicts_of,
        ),
        groups=Groups(names=("scene", "group"), order=scenes_in_order),
        official=Official(
            metrics=PUBLISHED_METRICS,
            unpublished=lambda _, protocol: unpublished(parse_protocol(protocol)),
            without_weight=NOTHING_COUNTED,
            reasons=left_out_reasons(LEFT_OUT),
        ),
        looks=Looks(
            kind="images",
            viewer=viewer,
            pieces=pieces,
            scorer=lambda _, protocol, __: VoteScorer(protocol),
            readings=lambda _, sample, reply, solver: read_twice(sample, reply, solver.name),
            hint=f"name a folder of images: --images NAME=DIR; tsgkit images --task {card.name} generates them",
            check=check_prompts,
            protocols=PROTOCOLS,
            pairings=(BY_ID, BY_POSITION),
            baseline=lambda _, subject, seed, dataset: OfflineSolver(
                VoteScorer(BASELINE), program=baseline_subject(subject, rows_of(dataset), seed)
            ),
            draws_lots=draws_lots,
            controls=controls,
            replies=score,
            next_steps=lambda options: (
                "images from a model: export OPENAI_API_KEY=...; "
                f"tsgkit images{options} --model openai/gpt-image-1 -o DIR",
                f"a folder of images: tsgkit eval{options} --images NAME=DIR --judge openai/gpt-4o --limit 10",
            ),
        ),
        audit=lambda task, data: auditable_rows(rows_in(source_of(task, data))),
        paint=_paintings,
        finish=finish,
    )


def view(shown: SampleView) -> Iterator[Panel]:
    """Yield panels of a sample: the image, if a folder of images is judged, and the questions with all answers."""
    sample: SpatialRow = shown.sample
    evidence: Mapping[str, Any] = shown.judged.evidence or {}
    if shown.folder is not None:
        image_of, file = evidence.get("image_of", ""), evidence.get("file", "")
        now = image_now(shown.folder, image_of or sample.item_id, evidence.get("image"), file=file)
        sight = sight_of(shown.transcript)
        notes = [
            f"The judge was shown the image of another item, {image_of}, on purpose." if image_of else "",
            f"The image is paired with the item by its position in the folder: {file}" if file else "",
            f"{sight.reason[:1].upper()}{sight.reason[1:]}." if sight is not None and sight.found == NOT_SHOWN else "",
        ]
        yield boxes_panel("Image", (), [note for note in notes if note], now)

    rounds: Sequence[str] | None = evidence.get("rounds")
    answers, right = shown.judged.answer or (), evidence.get("right") or ()
    strict = shown.judged.scores.get("strict", {}) if rounds is not None else {}
    rows = []
    for number, question in enumerate(sample.questions):
        score = strict.get(COLUMNS[number])
        letters = [turn[number] for turn in rounds or ()]
        rows.append(
            {
                "number": number + 1,
                "text": f"{question.sub_domain}: {question.stem}",
                "options": [[letter, text] for letter, text in question.options.items()],
                "key": question.key,
                "answer": answers[number] if number < len(answers) else None,
                # unasked questions are neither right nor wrong
                "right": right[number] if rounds is not None and number < len(right) else None,
                "rounds": [None if letter == UNREAD else letter for letter in letters],
                "why": "" if score is None else score.reason,
            }
        )
    yield Panel("questions", "Questions about the image", {"rows": rows})


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return the task whose rows a file (by its first row) or folder (by its files) holds, or none."""
    if file.is_dir():
        return (QUESTIONS,) if (file / f"{QUESTIONS}.jsonl").exists() else ()
    try:
        next(rows_in(file))
    except (TsgkitError, StopIteration):
        return ()
    return (QUESTIONS,)
