"""Agreement of a judge with people, with another judge, and with itself between rounds.

found = agreements_of(Path("runs/mine"), people=read_ratings("people.jsonl"))
print(found[0].measures[0].agreement.value)

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import meant
from tsgkit.library.files import read_text
from tsgkit.report.official_results import OfficialRow, note, official_rows
from tsgkit.report.plain_text import count, inert
from tsgkit.report.report_rows import comparison_metric
from tsgkit.report.terminal import Screen, aligned
from tsgkit.runs.folder import HEADER
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import records_of
from tsgkit.runs.saved_run import SavedRun, open_saved_run
from tsgkit.scoring.agreement import Agreement, balanced_accuracy, cohens_kappa, krippendorffs_alpha
from tsgkit.suites.judgement import Verdict

VERDICTS, LABELS = "right or wrong", "answers"
"""What is agreed on: whether an answer is right, or which one was given."""
RIGHT = {True: "right", False: "wrong"}
HEAD = ("agreement on", "between", "questions of", "measure", "value", "n", "left out")
MOST_SHOWN = 25
"""The number of answers listed that differ from official results."""
Place = tuple[str, str]
"""An item, and the number of a question in it."""
Ratings = Mapping[Place, str | None]


class _Row(BaseModel):
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

    @property
    def rows(self) -> tuple[tuple[str, object], ...]:
        """The properties of the rows that it is about; none if it is about all."""
        told = ((name, getattr(self, name)) for name in Cell._fields)
        return tuple((name, value) for name, value in told if value is not None)


class Rating(NamedTuple):
    """The statement of a rater on a question of an item: a verdict, a label, or neither if unsure."""

    rater: str
    place: Place
    right: bool | None
    label: str | None
    note: str = ""
    rows: tuple[tuple[str, object], ...] = ()
    """The properties of the rows that it is about; none if it is about all."""

    def is_about(self, cell: Cell) -> bool:
        """Return whether it is about a row of a run."""
        return all(getattr(cell, name) == value for name, value in self.rows)


@dataclass(frozen=True)
class People:
    """Ratings of people."""

    file: str
    ratings: tuple[Rating, ...]

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of the raters who decided."""
        return tuple(dict.fromkeys(one.rater for one in self.ratings if (one.right, one.label) != (None, None)))

    @property
    def right(self) -> Mapping[str, Mapping[Place, bool]]:
        """Verdicts by rater."""
        found: defaultdict[str, dict[Place, bool]] = defaultdict(dict)
        for one in self.ratings:
            if one.right is not None:
                found[one.rater][one.place] = one.right
        return found

    @property
    def labels(self) -> Mapping[str, Mapping[Place, str]]:
        """Labels by rater."""
        found: defaultdict[str, dict[Place, str]] = defaultdict(dict)
        for one in self.ratings:
            if one.label is not None:
                found[one.rater][one.place] = one.label
        return found

    @property
    def places(self) -> frozenset[Place]:
        """The rated questions."""
        return frozenset(one.place for one in self.ratings if (one.right, one.label) != (None, None))

    @property
    def unsure(self) -> int:
        """The number of ratings without a decision."""
        return sum((one.right, one.label) == (None, None) for one in self.ratings)

    def about(self, cell: Cell, known: Collection[Place]) -> People:
        """Return those about a row, where an item whose own id ends in a number is found under that id."""
        mine = (one for one in self.ratings if one.is_about(cell))
        return People(self.file, tuple(one._replace(place=_meant(one.place, known)) for one in mine))


def _meant(place: Place, known: Collection[Place]) -> Place:
    """Return the place of an item named as ITEM/3 that is no question 3 of ITEM."""
    whole = ("/".join(place), "")
    return whole if place not in known and whole in known else place


class MeasuredAgreement(NamedTuple):
    """One agreement: its subject, its raters, and the kind of question (empty: all)."""

    on: str
    between: str
    kind: str
    agreement: Agreement


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
    rated: int
    """The number of questions that people rated."""
    elsewhere: int
    """The number of rated questions that do not belong to this row."""
    ties: int
    """The number of questions left out because the raters were tied."""
    unsure: int
    """The number of ratings about this row without a decision."""
    measures: tuple[MeasuredAgreement, ...]
    notes: tuple[str, ...] = ()
    """How many answers are equal, and what is not compared."""
    differing: tuple[UnlikeAnswer, ...] = ()
    """The answers that differ from official results."""


def read_ratings(path: str | Path) -> People:
    """Return the ratings in a file. Raise ``UsageError`` with the line if one is invalid or repeated."""
    ratings: dict[tuple[object, ...], Rating] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        row, where = _row(line, f"{path}: line {number}"), f"{path}: line {number}"
        one = Rating(str(row.rater), _place(row), row.right, row.label, row.note, row.rows)
        if (key := (one.rater, one.place, one.rows)) in ratings:
            raise UsageError(f"{where}: a second rating of {'/'.join(filter(None, one.place))} by {one.rater}")
        ratings[key] = one
    if not ratings:
        raise UsageError(f"{path}: there are no ratings in it")
    return People(str(path), tuple(ratings.values()))


def _row(line: str, where: str) -> _Row:
    hint = 'a line reads {"item_id": "...", "question": 0, "rater": "...", "right": true}'
    try:
        row = _Row.model_validate(load(line))
    except NotationError as error:
        raise UsageError(f"{where}: {error.message}", hint=hint) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: not a rating: {field}: {first['msg']}", hint=hint) from None
    if (row.label is not None) + (row.right is not None) + row.unsure != 1:
        raise UsageError(f"{where}: a rating has one of label, right and unsure", hint=hint)
    return row


def _place(row: _Row) -> Place:
    item = str(row.item_id)
    if row.question is not None:
        return item, str(row.question)
    head, slash, tail = item.rpartition("/")
    return (head, tail) if slash and tail.isdecimal() else (item, "")


def agreements_of(
    run: Path,
    people: People | None = None,
    other: Path | None = None,
    subject: str | None = None,
    data: str | None = None,
) -> tuple[RowAgreements, ...]:
    """Return the agreements of every row of a run: with people, with another run's judge or official results, of its
    rounds with each other.
    """
    if other is not None and other.is_dir() and not (other / HEADER).exists():
        return tuple(_with_official(run, row) for row in official_rows(run, other, data, subject))
    rows = list(_rows(run, subject, data))
    is_open = people is not None and not all(dict(one.rows).get("subject") for one in people.ratings)
    if is_open and len({cell.subject for cell, _, _ in rows}) > 1:
        raise UsageError(
            f"{run}: it has several subjects, and the ratings are about one of them", hint="name it: --subject"
        )
    others = list(_rows(other, subject, data)) if other is not None else []
    found = tuple(_agreed(run, cell, judge, verdicts, people, others) for cell, judge, verdicts in rows)
    if people is not None and not any(one.rated or one.unsure for one in found):
        known = sorted({item for _, _, verdicts in rows for item, _ in verdicts})
        first = min(one.place for one in people.ratings)[0]
        raise UsageError(f"{people.file}: it has no rating of an item of this run", hint=meant(first, known))
    if other is not None and not any(one.measures for one in found):
        raise UsageError(f"{other}: no subject, task and item is in both runs")
    return found


Verdicts = dict[Place, Verdict]


def _rows(run: Path, subject: str | None, data: str | None) -> Iterator[tuple[Cell, str | None, Verdicts]]:
    reopened = open_saved_run(run, data)
    try:
        for cell in reopened.cells(subject):
            yield cell, reopened.states[cell].row.judge, dict(_verdicts(reopened, cell))
    finally:
        reopened.samples.close()


def _verdicts(reopened: SavedRun, cell: Cell) -> Iterator[tuple[Place, Verdict]]:
    row = reopened.states[cell].row
    metric = comparison_metric(row.task.card.metrics)
    for number, record in zip(row.numbers, records_of(reopened.states[cell], reopened.samples), strict=True):
        for verdict in row.task.view.verdicts(record, row.dataset.sample(number), metric):
            yield (record["item_id"], verdict.question), verdict


def _agreed(
    run: Path,
    cell: Cell,
    judge: str | None,
    verdicts: Verdicts,
    people: People | None,
    others: Sequence[tuple[Cell, str | None, Verdicts]],
) -> RowAgreements:
    measures: list[MeasuredAgreement] = []
    people = None if people is None else people.about(cell, verdicts.keys())
    rated = people.places & verdicts.keys() if people is not None else frozenset[Place]()
    ties = 0
    if people is not None:
        told, ties = _with_people(verdicts, people)
        measures += told
    for theirs, their_judge, their_verdicts in others:
        if (theirs.subject, theirs.task) == (cell.subject, cell.task):
            measures += _with_another(verdicts, their_verdicts, f"{their_judge or theirs.subject} {theirs.solver}")
    if people is None and not others:
        measures += _between_rounds(verdicts)
    elsewhere = len(people.places) - len(rated) if people is not None else 0
    unsure = people.unsure if people is not None else 0
    return RowAgreements(str(run), cell, judge, len(verdicts), len(rated), elsewhere, ties, unsure, tuple(measures))


def _with_people(verdicts: Verdicts, people: People) -> tuple[list[MeasuredAgreement], int]:
    """Return the judge beside the majority, and people with each other; how many ties were dropped."""
    eyes = {rater: _in_their_eyes(rater, verdicts, people) for rater in people.raters}
    said: list[tuple[str, dict[Place, str | None], dict[str, dict[Place, str]]]] = []
    if any(eyes.values()):
        said.append((VERDICTS, {place: RIGHT[one.right] for place, one in verdicts.items()}, eyes))
    if people.labels:
        mine = {place: one.label for place, one in verdicts.items()}
        theirs = {
            rater: {place: label for place, label in rated.items() if place in verdicts}
            for rater, rated in people.labels.items()
        }
        said.append((LABELS, mine, theirs))
    measures: list[MeasuredAgreement] = []
    dropped = 0
    for on, judge, raters in said:
        majority, ties = _majority(raters.values())
        dropped = dropped if measures else ties
        for measure in (balanced_accuracy, cohens_kappa):
            measures += _by_kind(on, "judge and majority of people", verdicts, judge, majority, measure)
        if len(raters) > 1:
            measures.append(MeasuredAgreement(on, "people", "", krippendorffs_alpha(list(raters.values()))))
        everybody: list[Ratings] = [{place: judge[place] for place in majority}, *raters.values()]
        measures.append(MeasuredAgreement(on, "judge and people", "", krippendorffs_alpha(everybody)))
    return measures, dropped


def _in_their_eyes(rater: str, verdicts: Verdicts, people: People) -> dict[Place, str]:
    """Return the verdicts of a rater; a label is right if it is the key."""
    found = {place: RIGHT[right] for place, right in people.right.get(rater, {}).items() if place in verdicts}
    for place, label in people.labels.get(rater, {}).items():
        if place in verdicts and verdicts[place].key is not None:
            found[place] = RIGHT[label == verdicts[place].key]
    return found


def _majority(raters: Iterable[Mapping[Place, str]]) -> tuple[dict[Place, str], int]:
    """Return the majority rating of each question, and the number of ties.

    >>> _majority([{("1", ""): "right"}, {("1", ""): "wrong", ("2", ""): "wrong"}])
    ({('2', ''): 'wrong'}, 1)
    """
    said: defaultdict[Place, Counter[str]] = defaultdict(Counter)
    for rated in raters:
        for place, label in rated.items():
            said[place][label] += 1
    majority = {}
    for place, counts in said.items():
        (label, most), *rest = counts.most_common(2)
        if not rest or rest[0][1] < most:
            majority[place] = label
    return majority, len(said) - len(majority)


def _by_kind(
    on: str,
    between: str,
    verdicts: Verdicts,
    first: Ratings,
    second: Ratings,
    measure: Callable[[Ratings, Ratings], Agreement],
) -> Iterator[MeasuredAgreement]:
    """Yield the measure over all questions that ``second`` rates, and over each kind of them."""
    mine = {place: first[place] for place in second}
    yield MeasuredAgreement(on, between, "", measure(mine, second))
    kinds = list(dict.fromkeys(verdicts[place].kind for place in second if verdicts[place].kind))
    for kind in kinds if len(kinds) > 1 else ():
        places = [place for place in second if verdicts[place].kind == kind]
        chosen = [{place: rated[place] for place in places} for rated in (mine, second)]
        yield MeasuredAgreement(on, between, kind, measure(*chosen))


def _with_another(verdicts: Verdicts, others: Verdicts, name: str) -> Iterator[MeasuredAgreement]:
    common = verdicts.keys() & others.keys()
    if not common:
        return
    both = [{place: one[place] for place in sorted(common)} for one in (verdicts, others)]
    right = [{place: RIGHT[verdict.right] for place, verdict in one.items()} for one in both]
    labels = [{place: verdict.label for place, verdict in one.items()} for one in both]
    between = f"judge and {name}"
    for on, (first, second) in ((VERDICTS, right), (LABELS, labels)):
        if on == VERDICTS or any(first.values()) or any(second.values()):
            yield from _by_kind(on, between, both[0], first, second, cohens_kappa)
            yield MeasuredAgreement(on, between, "", krippendorffs_alpha([first, second]))


def _with_official(run: Path, row: OfficialRow) -> RowAgreements:
    """Return the agreement of the answers, in both profiles, and of the objects' categories with official results."""
    task, pairs = row.row.task, row.pairs.items()
    metric = comparison_metric(task.card.metrics)

    def answers(side: str, profile: str) -> Verdicts:
        found = ((item, task.view.verdicts(getattr(pair, side), pair.sample, metric, profile)) for item, pair in pairs)
        return {(item, one.question): one for item, verdicts in found for one in verdicts}

    def categories(side: str) -> Verdicts:
        found = ((item, task.official.categories(getattr(pair, side))) for item, pair in pairs)
        return {
            (item, name): Verdict(name, True, of, text=name) for item, matched in found for name, of in matched.items()
        }

    compared = (
        ("official answers", "questions", answers("ours", "official"), answers("theirs", "official")),
        ("categories", "objects", categories("ours"), categories("theirs")),
        ("strict answers", "questions", answers("ours", "strict"), answers("theirs", "strict")),
    )
    measures, differing, notes = list[MeasuredAgreement](), list[UnlikeAnswer](), list(row.notes)
    for on, noun, ours, theirs in compared:
        common = [place for place in ours if place in theirs]
        if not ours and not theirs:
            continue
        here, there = ({place: side[place].label for place in common} for side in (ours, theirs))
        measures += _by_kind(on, f"judge and {row.theirs}", ours, here, there, cohens_kappa)
        unlike = [
            UnlikeAnswer(on, place[0], ours[place].text, mine, other)
            for place in common
            if (mine := here[place]) is not None and (other := there[place]) is not None and mine != other
        ]
        n = next(one.agreement.n for one in reversed(measures) if (one.on, one.kind) == (on, ""))
        notes.append(f"{on}: {n - len(unlike):,} of {n:,} equal")
        for where, some, rest in (("here", ours, theirs), ("there", theirs, ours)):
            if alone := [f"{some[place].text} of scene {place[0]}" for place in some if place not in rest]:
                notes.append(note(f"{noun} only {where}", alone))
        differing += unlike
    numbers = (len(compared[0][2]), 0, 0, 0, 0)
    unique = tuple(dict.fromkeys(notes))
    return RowAgreements(str(run), row.row.cell, row.row.judge, *numbers, tuple(measures), unique, tuple(differing))


def _between_rounds(verdicts: Verdicts) -> Iterator[MeasuredAgreement]:
    rounds = max((len(one.rounds) for one in verdicts.values()), default=0)
    if rounds > 1:
        raters = [
            {place: one.rounds[turn] if turn < len(one.rounds) else None for place, one in verdicts.items()}
            for turn in range(rounds)
        ]
        yield MeasuredAgreement(LABELS, f"{rounds} rounds of the judge", "", krippendorffs_alpha(raters))


def agreed_value(found: RowAgreements) -> dict[str, Any]:
    """Return the JSON value of a row's agreements."""
    counts = {name: getattr(found, name) for name in ("questions", "rated", "elsewhere", "ties", "unsure")}
    return {"run": found.run, **found.cell.value, "judge": found.judge, **counts} | {
        "measures": [
            {
                "on": one.on,
                "between": one.between,
                "kind": one.kind or None,
                "measure": str(one.agreement.measure),
                "value": one.agreement.value,
                "n": one.agreement.n,
                "left_out": one.agreement.left_out,
                "raters": one.agreement.raters,
                "reason": one.agreement.reason,
            }
            for one in found.measures
        ],
        "notes": list(found.notes),
        "differing": [one._asdict() for one in found.differing],
    }


def agreement_lines(agreement: RowAgreements, screen: Screen, *, with_people: bool) -> Iterator[str]:
    """Yield the agreement on a row as text."""
    judge = f", judged by {inert(agreement.judge)}" if agreement.judge else ""
    yield f"{inert(agreement.cell.title)}{judge}: {agreement.questions:,} questions"
    if with_people:
        others = f", {agreement.elsewhere:,} others of the file are not in this run" if agreement.elsewhere else ""
        unsure = f", {count(agreement.unsure, 'unsure rating')} left out" if agreement.unsure else ""
        yield f"  {agreement.rated:,} of them rated by people; {agreement.ties:,} ties dropped{unsure}{others}"
    if not agreement.measures:
        yield "  nothing to compare: there are no several rounds, and neither people nor another run were named"
        return
    rows = [HEAD]
    for on, between, kind, measured in agreement.measures:
        value = "-" if measured.value is None else f"{measured.value:.3f}"
        numbers = (value, f"{measured.n:,}", f"{measured.left_out:,}")
        rows.append((on, inert(between), kind or "all kinds", str(measured.measure), *numbers))
    yield from aligned(rows, len(HEAD) - 3, screen)
    yield from (f"  {inert(line)}" for line in agreement.notes)
    if agreement.differing:
        shown = agreement.differing[:MOST_SHOWN]
        lines = [(answer.on, f"scene {answer.item_id}", *answer[2:]) for answer in shown]
        yield from aligned([("differing", "item", "question", "here", "there"), *lines], 5, screen)
    if (more := len(agreement.differing) - MOST_SHOWN) > 0:
        yield f"  and {more:,} more; --json has all"
    reasons = dict.fromkeys(measured.agreement.reason for measured in agreement.measures)
    yield from (f"  no value: {inert(reason)}" for reason in reasons if reason)
