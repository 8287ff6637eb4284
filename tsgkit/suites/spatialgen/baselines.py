"""Baselines that answer without an image, for comparison with every score.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> question = question_from("Where?  Options: A: up, B: down below, C: left, D: right, E: None", "B", "Position")
>>> row = row_of("000001", "Forest", "", [question])
>>> baseline("constant:C")(row), baseline("longest")(row)
(('C',), ('B',))

=====================  ============================================================================================
``random``             any option, the refusal included
``constant:C``         always this letter
``majority-per-type``  the most common key of the sub-domain among the items of other folds
``overlap``            the option with the most words that occur in the stems of the other questions
``longest``            the option with the most characters
``most-like-others``   the option that shares most words with the other options of its question
=====================  ============================================================================================

Each is a pure function from a row to its letters, deterministic for a seed. Only ``random`` and ``constant`` ever pick
the refusal. Ties are broken at random.

A baseline subject answers as many rounds as a judge is asked. Controls show the results of all baselines on the same
questions beside every score.

>>> from tsgkit.suites.spatialgen.rows import question_items, question_from, row_of
>>> from tsgkit.suites.spatialgen.rows import SUB_DOMAINS
>>> text = "Where?  Options: A: up, B: down, C: left, D: right, E: None"
>>> row = row_of("000001", "Forest", "", [question_from(text, "B", name) for name in SUB_DOMAINS])
>>> shares = {control.name: dict(control.values) for control in controls(question_items("rows.jsonl", [row]), [0], 0)}
>>> shares["baseline/constant:B"], shares["baseline/constant:E"]
({'accuracy': 1.0, 'single_round': 1.0}, {'accuracy': 0.0, 'single_round': 0.0})

Scores with voting are compared with guessing with voting, and scores without voting with plain guessing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Reply
from tsgkit.suites.judges.images import NOT_SHOWN, ShownImage
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.offline_solvers import PREFIX, baseline_name
from tsgkit.suites.spatialgen.judge_requests import orders_of
from tsgkit.suites.spatialgen.official import ROUNDS
from tsgkit.suites.spatialgen.rows import LETTERS, SpatialRow, content_words, rows_of, similarity
from tsgkit.suites.spatialgen.scores import ACCURACY, SINGLE, Ballot, accuracy, label_of, single_round_accuracy
from tsgkit.suites.task import PUBLISHED, Control
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

Answerer = Callable[[SpatialRow], tuple[str, ...]]
Likeness = Callable[[SpatialRow, int, str], float]
"""A score for how well the option of this letter fits the question of this number (from 0)."""

NAMES = (
    "random",
    *(f"constant:{letter}" for letter in LETTERS),
    "majority-per-type",
    "overlap",
    "longest",
    "most-like-others",
)
FOLDS = 5


def baseline(name: str, rows: Iterable[SpatialRow] = (), seed: int = 0) -> Answerer:
    """Return the baseline with this name. ``majority-per-type`` counts the keys of the given rows."""
    kind, _, letter = name.partition(":")
    if name == "random":
        return lambda row: tuple(
            _rng(row, number, seed).choice(tuple(question.options) or LETTERS)
            for number, question in enumerate(row.questions)
        )
    if name == "majority-per-type":
        return majority_per_type(rows, seed)
    if name in LIKENESSES:
        return lambda row: tuple(_best_fit(LIKENESSES[name], row, number, seed) for number in range(len(row.questions)))
    if kind == "constant" and letter in LETTERS and letter:
        return lambda row: (letter,) * len(row.questions)
    raise UsageError(f"there is no baseline {name!r}", hint=f"the baselines: {', '.join(NAMES)}")


def majority_per_type(rows: Iterable[SpatialRow], seed: int = 0) -> Answerer:
    """Return a baseline that gives the sub-domain's most common key in the other folds, so no key leaks.

    Items that are not among the rows are answered from all rows. On a tie, the first letter in the alphabet is given.
    """
    known = sorted(rows, key=lambda row: row.id)
    Random(f"{seed}/folds").shuffle(known)
    fold_of = {row.id: number % FOLDS for number, row in enumerate(known)}
    counts: defaultdict[tuple[int | None, str], Counter[str]] = defaultdict(Counter)
    for row in known:
        for question in row.questions:
            for fold in (None, *range(FOLDS)):
                if fold != fold_of[row.id]:
                    counts[fold, question.sub_domain][question.key] += 1

    def answer(row: SpatialRow) -> tuple[str, ...]:
        letters = []
        for question in row.questions:
            keys = counts[fold_of.get(row.id), question.sub_domain]
            letters.append(max(sorted(question.choices or LETTERS), key=lambda letter: keys[letter]))
        return tuple(letters)

    return answer


def _best_fit(likeness: Likeness, row: SpatialRow, number: int, seed: int) -> str:
    """Return the best fitting option, or any letter if there are no options."""
    fits = {letter: likeness(row, number, letter) for letter in row.questions[number].choices}
    letters = [letter for letter, fit in fits.items() if fit == max(fits.values())] or tuple(LETTERS)
    return _rng(row, number, seed).choice(letters)


def _likeness_to_others(row: SpatialRow, number: int, letter: str) -> float:
    """Return the share of words that an option has in common with the other options, summed over these."""
    options, choices = row.questions[number].options, row.questions[number].choices
    return sum(similarity(options[letter], options[choice]) for choice in choices if choice != letter)


LIKENESSES: Mapping[str, Likeness] = {
    "overlap": lambda row, number, letter: len(
        content_words(row.questions[number].options[letter]) & other_stems(row, number)
    ),
    "longest": lambda row, number, letter: len(row.questions[number].options[letter]),
    "most-like-others": _likeness_to_others,
}
"""The baselines that pick the best fitting option, with what makes an option fit: ``overlap`` counts words (not the
share) that occur in the other stems."""


def other_stems(row: SpatialRow, number: int) -> frozenset[str]:
    """Return the words of all stems but this question's."""
    stems = (content_words(question.stem) for index, question in enumerate(row.questions) if index != number)
    return frozenset().union(*stems)


def _rng(row: SpatialRow, number: int, seed: int) -> Random:
    return Random(f"{seed}/{row.id}/{number}")


@dataclass(frozen=True)
class BaselineSubject:
    """A baseline for all rounds. Random choices differ between rounds."""

    subject: str
    answerers: tuple[Answerer, ...] = field(repr=False)
    seed: int

    @property
    def fingerprint(self) -> str:
        """The baseline and its seed."""
        return f"{self.subject}/{self.seed}"

    def answer(self, item: SpatialRow) -> Transcript:
        """Return a transcript of all rounds, ten lines each."""
        texts = ["\n".join(answer(item)) for answer in self.answerers]
        replies = (LabelledReply(label_of(turn), Reply(text=text, source=LOCAL)) for turn, text in enumerate(texts))
        sight = ShownImage(NOT_SHOWN, "a baseline looks at nothing", orders=orders_of(item, PUBLISHED, 0))
        return Transcript((*replies, sight.said))


def baseline_subject(subject: str, rows: Sequence[SpatialRow], seed: int) -> BaselineSubject:
    """Return the baseline of a subject such as ``baseline/longest``."""
    name = baseline_name(subject, NAMES)
    if name == "random":
        guesses = (baseline(name, seed=seed * ROUNDS + turn) for turn in range(ROUNDS))
        return BaselineSubject(subject, tuple(guesses), seed)
    return BaselineSubject(subject, (baseline(name, rows, seed),) * ROUNDS, seed)


def controls(dataset: Dataset, numbers: Sequence[int], seed: int) -> tuple[Control, ...]:
    """Return the results of all baselines on some samples, with and without voting. Keys are counted in all rows.

    All sub-domains have equally many questions, so the share over all questions is the mean of the sub-domains.
    """
    rows, samples = rows_of(dataset), [dataset.sample(number) for number in numbers]
    results = []
    for name in NAMES:
        subject = baseline_subject(PREFIX + name, rows, seed)
        ballots = []
        for row in samples:
            letters = {answer: answer(row) for answer in dict.fromkeys(subject.answerers)}
            turns = [letters[answer] for answer in subject.answerers]
            for number, question in enumerate(row.questions):
                known = (turn[number] if turn[number] in question.options else None for turn in turns)
                ballots.append(Ballot(question.key, tuple(known)))
        values = {ACCURACY: accuracy(ballots), SINGLE: single_round_accuracy(ballots)}
        known_values = {metric: value for metric, value in values.items() if value is not None}
        results.append(Control(subject.subject, len(ballots), known_values))
    return tuple(results)
