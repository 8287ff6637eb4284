"""Agreement of a judge with people, with another judge, and with itself between rounds.

rows = agreements_of(Path("runs/mine"), people=read_ratings("people.jsonl"))
print(rows[0].measures[0].agreement.value)

A file of ratings is JSON Lines of ``{"item_id", "question", "rater", "label", "right" or "unsure"}``. ``question`` is a
number from 0 if an item has several, ``right`` says whether the image or scene has what is asked for (for graphs and
other answers: whether the sample is right as a whole), ``label`` is the chosen answer, ``"unsure": true`` stands for no
decision. ``note`` is for people. ``subject``, ``task``, ``solver``, ``style``, ``repeat`` and the other axes of a plan
say which rows of a run a rating is about; without them it is about all that have the item. A judge is compared with the
majority of the raters of a question; ties and unsure ratings are left out and counted. A question without a readable
answer of the judge counts as wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import meant
from tsgkit.library.files import read_text
from tsgkit.report.official_results import OfficialRow, note, official_rows
from tsgkit.report.report_rows import comparison_metric
from tsgkit.runs.folder import HEADER
from tsgkit.runs.plan import Cell
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.scoring.agreement import (
    Agreement,
    MeasuredAgreement,
    balanced_accuracy,
    cohens_kappa,
    krippendorffs_alpha,
)
from tsgkit.suites.judgement import QuestionVerdict

VERDICTS, LABELS = "right or wrong", "answers"
"""What is agreed on: whether an answer is right, or which one was given."""
RIGHT = {True: "right", False: "wrong"}
RATING = 'a line reads {"item_id": "...", "question": 0, "rater": "...", "right": true}'
Place = tuple[str, str]
"""An item, and the number of a question in it."""
Ratings = Mapping[Place, str | None]
Verdicts = dict[Place, QuestionVerdict]


class _RatingLine(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    item_id: StrictStr | StrictInt
    question: StrictStr | StrictInt | None = None
    rater: StrictStr | StrictInt
    label: StrictStr | None = None
    right: StrictBool | None = None
    unsure: StrictBool = False
    note: StrictStr = ""
    subject: StrictStr | None = None
    task: StrictStr | None = None
    solver: StrictStr | None = None
    style: StrictStr | None = None
    repeat: StrictInt | None = None
    shots: StrictInt | None = None
    prompts: StrictStr | None = None
    seed: StrictInt | None = None


class Rating(NamedTuple):
    """The statement of a rater on a question of an item: a verdict, a label, or neither if unsure."""

    rater: str
    place: Place
    right: bool | None
    label: str | None
    note: str = ""
    rows: tuple[tuple[str, object], ...] = ()
    """The properties of the rows that it is about; none if it is about all."""

    @property
    def is_unsure(self) -> bool:
        """True if the rater did not decide."""
        return self.right is None and self.label is None

    def is_about(self, cell: Cell) -> bool:
        """Return whether it is about a row of a run."""
        return all(getattr(cell, name) == value for name, value in self.rows)


class People(NamedTuple):
    """Ratings of people."""

    file: str
    ratings: tuple[Rating, ...]

    def about(self, cell: Cell, known: Collection[Place]) -> Iterator[Rating]:
        """Yield those about a row, where an item whose own id ends in a number (ITEM/3) is found under that id."""
        for rating in self.ratings:
            if rating.is_about(cell):
                whole = ("/".join(rating.place), "")
                yield rating._replace(place=whole) if rating.place not in known and whole in known else rating


class UnlikeAnswer(NamedTuple):
    """A question with another answer in official results."""

    on: str
    item_id: str
    question: str
    here: str
    there: str


@dataclass(frozen=True)
class RowAgreements:
    """All agreements of one row of a run."""

    run: str
    cell: Cell
    judge: str | None
    questions: int
    measures: tuple[MeasuredAgreement, ...] = ()
    rated: int = 0
    """The number of questions that people rated."""
    elsewhere: int = 0
    """The number of rated questions that do not belong to this row."""
    ties: int = 0
    """The number of questions left out because the raters were tied."""
    unsure: int = 0
    """The number of ratings about this row without a decision."""
    notes: tuple[str, ...] = ()
    """How many answers are equal, and what is not compared."""
    differing: tuple[UnlikeAnswer, ...] = ()
    """The answers that differ from official results."""


def read_ratings(path: str | Path) -> People:
    """Return the ratings in a file. Raise ``UsageError`` with the line if one is invalid or repeated."""
    ratings: dict[tuple[object, ...], Rating] = {}
    for number, text in enumerate(read_text(path).split("\n"), 1):
        if not text.strip():
            continue
        where = f"{path}: line {number}"
        try:
            line = _RatingLine.model_validate(load(text))
        except NotationError as error:
            raise UsageError(f"{where}: {error.message}", hint=RATING) from None
        except ValidationError as error:
            raise UsageError(f"{where}: not a rating: {first_fault(error)}", hint=RATING) from None
        if (line.label is not None) + (line.right is not None) + line.unsure != 1:
            raise UsageError(f"{where}: a rating has one of label, right and unsure", hint=RATING)
        item, question = str(line.item_id), "" if line.question is None else str(line.question)
        head, slash, tail = item.rpartition("/")
        if line.question is None and slash and tail.isdecimal():
            item, question = head, tail
        rows = tuple((name, value) for name in Cell._fields if (value := getattr(line, name)) is not None)
        rating = Rating(str(line.rater), (item, question), line.right, line.label, line.note, rows)
        if (key := (rating.rater, rating.place, rows)) in ratings:
            named = "/".join(filter(None, rating.place))
            raise UsageError(f"{where}: a second rating of {named} by {rating.rater}")
        ratings[key] = rating
    if not ratings:
        raise UsageError(f"{path}: there are no ratings in it")
    return People(str(path), tuple(ratings.values()))


def agreements_of(
    run: Path,
    people: People | None = None,
    second_run: Path | None = None,
    subject: str | None = None,
    data: str | None = None,
) -> tuple[RowAgreements, ...]:
    """Return the agreements of every row of a run: with people, with another run's judge or official results, of its
    rounds with each other.
    """
    if second_run is not None and second_run.is_dir() and not (second_run / HEADER).exists():
        return tuple(_with_official(run, row) for row in official_rows(run, second_run, data, subject))
    rows = list(_judged_rows(run, subject, data))
    is_open = people is not None and not all(dict(rating.rows).get("subject") for rating in people.ratings)
    if is_open and len({row.cell.subject for row in rows}) > 1:
        raise UsageError(
            f"{run}: it has several subjects, and the ratings are about one of them", hint="name it: --subject"
        )
    others = list(_judged_rows(second_run, subject, data)) if second_run is not None else []
    agreements = []
    for row in rows:
        agreement = RowAgreements(str(run), row.cell, row.judge, len(row.verdicts))
        if people is not None:
            agreement = _with_people(agreement, row.verdicts, tuple(people.about(row.cell, row.verdicts)))
        judged_alike = [
            their for their in others if (their.cell.subject, their.cell.task) == (row.cell.subject, row.cell.task)
        ]
        measures = [measure for their in judged_alike for measure in _with_another(row.verdicts, their)]
        if people is None and not others:
            measures += _between_rounds(row.verdicts)
        agreements.append(replace(agreement, measures=(*agreement.measures, *measures)))
    if people is not None and not any(row.rated or row.unsure for row in agreements):
        known = sorted({item for row in rows for item, _ in row.verdicts})
        first = min(rating.place for rating in people.ratings)[0]
        raise UsageError(f"{people.file}: it has no rating of an item of this run", hint=meant(first, known))
    if second_run is not None and not any(row.measures for row in agreements):
        raise UsageError(f"{second_run}: no subject, task and item is in both runs")
    return tuple(agreements)


class _JudgedRow(NamedTuple):
    """A row of a run with its judge and the judge's verdicts."""

    cell: Cell
    judge: str | None
    verdicts: Verdicts


def _judged_rows(run: Path, subject: str | None, data: str | None) -> Iterator[_JudgedRow]:
    with open_saved_run(run, data) as saved:
        for cell in saved.cells(subject):
            row, verdicts = saved.states[cell].row, Verdicts()
            metric = comparison_metric(row.task.card.metrics)
            for sample, record in saved.records(cell):
                for verdict in row.task.view.verdicts(record, sample, metric):
                    verdicts[record["item_id"], verdict.question] = verdict
            yield _JudgedRow(cell, row.judge, verdicts)


def _with_people(agreement: RowAgreements, verdicts: Verdicts, ratings: Sequence[Rating]) -> RowAgreements:
    """Add the agreement of the judge with the majority, and of people with each other."""
    places = {rating.place for rating in ratings if not rating.is_unsure}
    right: dict[str, dict[Place, str]] = {rating.rater: {} for rating in ratings if not rating.is_unsure}
    labels: dict[str, dict[Place, str]] = {rating.rater: {} for rating in ratings if rating.label is not None}
    for rating in sorted(ratings, key=lambda rating: rating.label is not None):
        if (verdict := verdicts.get(rating.place)) is None:
            continue
        if rating.right is not None:
            right[rating.rater][rating.place] = RIGHT[rating.right]
        if rating.label is not None:
            labels[rating.rater][rating.place] = rating.label
        if rating.label is not None and verdict.key is not None:  # a label is right if it is the key
            right[rating.rater][rating.place] = RIGHT[rating.label == verdict.key]
    compared: list[tuple[str, dict[Place, str | None], dict[str, dict[Place, str]]]] = []
    if any(right.values()):
        compared.append((VERDICTS, {question: RIGHT[verdict.right] for question, verdict in verdicts.items()}, right))
    if labels:
        compared.append((LABELS, {question: verdict.label for question, verdict in verdicts.items()}, labels))
    measures: list[MeasuredAgreement] = []
    dropped = 0
    for on, judge, raters in compared:
        majority, ties = _majority(raters.values())
        dropped = dropped if measures else ties
        for measure in (balanced_accuracy, cohens_kappa):
            measures += _by_kind(on, "judge and majority of people", verdicts, (judge, majority), measure)
        if len(raters) > 1:
            measures.append(MeasuredAgreement(on, krippendorffs_alpha(list(raters.values())), "people"))
        everybody: list[Ratings] = [{question: judge[question] for question in majority}, *raters.values()]
        measures.append(MeasuredAgreement(on, krippendorffs_alpha(everybody), "judge and people"))
    rated = len(places & verdicts.keys())
    elsewhere, unsure = len(places) - rated, sum(rating.is_unsure for rating in ratings)
    measured = replace(agreement, measures=tuple(measures))
    return replace(measured, rated=rated, elsewhere=elsewhere, ties=dropped, unsure=unsure)


def _majority(raters: Iterable[Mapping[Place, str]]) -> tuple[dict[Place, str], int]:
    """Return the majority rating of each question, and the number of ties.

    >>> _majority([{("1", ""): "right"}, {("1", ""): "wrong", ("2", ""): "wrong"}])
    ({('2', ''): 'wrong'}, 1)
    """
    votes: defaultdict[Place, Counter[str]] = defaultdict(Counter)
    for ratings in raters:
        for question, label in ratings.items():
            votes[question][label] += 1
    majority = {}
    for question, counts in votes.items():
        (label, most), *rest = counts.most_common(2)
        if not rest or rest[0][1] < most:
            majority[question] = label
    return majority, len(votes) - len(majority)


def _by_kind(
    on: str,
    between: str,
    verdicts: Verdicts,
    pair: tuple[Ratings, Ratings],
    measure: Callable[[Ratings, Ratings], Agreement],
) -> Iterator[MeasuredAgreement]:
    """Yield the measure over all questions that the second of a pair rates, and over each kind of them."""
    kinds = list(dict.fromkeys(verdicts[question].kind for question in pair[1] if verdicts[question].kind))
    for kind in ("", *(kinds if len(kinds) > 1 else ())):
        places = [question for question in pair[1] if kind in ("", verdicts[question].kind)]
        first, second = ({question: ratings[question] for question in places} for ratings in pair)
        yield MeasuredAgreement(on, measure(first, second), between, kind)


def _with_another(verdicts: Verdicts, other_row: _JudgedRow) -> Iterator[MeasuredAgreement]:
    places = sorted(verdicts.keys() & other_row.verdicts.keys())
    sides = (verdicts, other_row.verdicts)
    right = [{question: RIGHT[side[question].right] for question in places} for side in sides]
    labels = [{question: side[question].label for question in places} for side in sides]
    between = f"judge and {other_row.judge or other_row.cell.subject} {other_row.cell.solver}"
    for on, (first, second) in ((VERDICTS, right), (LABELS, labels)) if places else ():
        if on == VERDICTS or any(first.values()) or any(second.values()):
            yield from _by_kind(on, between, verdicts, (first, second), cohens_kappa)
            yield MeasuredAgreement(on, krippendorffs_alpha([first, second]), between)


def _with_official(run: Path, row: OfficialRow) -> RowAgreements:
    """Return the agreement of the answers, in both profiles, and of the objects' categories with official results."""
    task, pairs = row.row.task, row.pairs.items()
    metric = comparison_metric(task.card.metrics)

    def answers(side: str, profile: str) -> Verdicts:
        return {
            (item, verdict.question): verdict
            for item, pair in pairs
            for verdict in task.view.verdicts(getattr(pair, side), pair.sample, metric, profile)
        }

    def categories(side: str) -> Verdicts:
        return {
            (item, name): QuestionVerdict(name, True, category, text=name)
            for item, pair in pairs
            for name, category in task.official.categories(getattr(pair, side)).items()
        }

    strict = (answers("ours", "strict"), answers("theirs", "strict"))
    measures, differing, notes = list[MeasuredAgreement](), list[UnlikeAnswer](), list(row.notes)
    for on, noun, ours, theirs in (
        ("official answers", "questions", answers("ours", "official"), answers("theirs", "official")),
        ("categories", "objects", categories("ours"), categories("theirs")),
        ("strict answers", "questions", *strict),
    ):
        if not ours and not theirs:
            continue
        common = [question for question in ours if question in theirs]
        here, their_labels = ({question: side[question].label for question in common} for side in (ours, theirs))
        by_kind = list(_by_kind(on, f"judge and {row.theirs}", ours, (here, their_labels), cohens_kappa))
        unlike = [
            UnlikeAnswer(on, question[0], ours[question].text, mine, their_label)
            for question in common
            if (mine := here[question]) is not None
            and (their_label := their_labels[question]) is not None
            and mine != their_label
        ]
        n = by_kind[0].agreement.n
        notes.append(f"{on}: {n - len(unlike):,} of {n:,} equal")
        for where, side, rest in (("here", ours, theirs), ("there", theirs, ours)):
            if alone := [f"{side[question].text} of scene {question[0]}" for question in side if question not in rest]:
                notes.append(note(f"{noun} only {where}", alone))
        measures += by_kind
        differing += unlike
    agreement = RowAgreements(str(run), row.row.cell, row.row.judge, len(strict[0]), tuple(measures))
    return replace(agreement, notes=tuple(dict.fromkeys(notes)), differing=tuple(differing))


def _between_rounds(verdicts: Verdicts) -> Iterator[MeasuredAgreement]:
    rounds = max((len(verdict.rounds) for verdict in verdicts.values()), default=0)
    if rounds > 1:
        raters = [
            {
                question: verdict.rounds[turn] if turn < len(verdict.rounds) else None
                for question, verdict in verdicts.items()
            }
            for turn in range(rounds)
        ]
        yield MeasuredAgreement(LABELS, krippendorffs_alpha(raters), f"{rounds} rounds of the judge")
