"""Votes, metrics and scores of one image in both profiles: letters are read, orders undone and votes counted.

``official`` uses the first five replies of ten lines, whatever their round. ``strict`` uses the most readable reply of
each round; a round without one is a vote for nothing, and is never left out. Both require four votes of five. Scoring
needs no images and no judge, since the transcript records what was shown.

>>> sure = Ballot("B", ("B", "B", "B", "B", None))
>>> torn = Ballot("B", ("B", "B", "A", "A", "E"))
>>> sure.right(), torn.right(), accuracy([sure, torn]), single_round_accuracy([sure, torn])
(True, False, 0.5, 0.6)
>>> METRICS["foundation"].made_of, METRICS["accuracy"].made_of[-1], PUBLISHED_METRICS[-2:]
(('object', 'attribute'), 'causal', ('accuracy', 'spatial'))

:func:`read_twice` returns the readings of one reply by both profiles, with the reason if they differ.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> sample = row_of("1", "Park", "", [asked] * 10)
>>> readings = read_twice(sample, Reply("\\n".join(["**B**"] * 10)), "published")
>>> readings.strict, readings.official
('BBBBBBBBBB', '**********')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

from tsgkit.llm.reply import Ending, Reply
from tsgkit.replies import Read, Unreadable, numbered_answers
from tsgkit.scoring.combination import mean_of_all
from tsgkit.scoring.pooling import Outcome, Score, Tally
from tsgkit.suites.judgement import Judged, QuestionVerdict, Scores, TwoReadings
from tsgkit.suites.judges.images import sight_of, unfinished, unshown
from tsgkit.suites.judges.judge import outcome_of
from tsgkit.suites.metrics import Metric
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.judge_requests import (
    APART,
    SHUFFLED,
    Orders,
    ParsedProtocol,
    check_orders,
    parse_protocol,
    undone,
)
from tsgkit.suites.spatialgen.official import NEEDED, ROUNDS
from tsgkit.suites.spatialgen.rows import DOMAIN_OF, DOMAINS, LETTERS, MEANING, SUB_DOMAINS, ImageQuestion, SpatialRow
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.transcript import LOCAL, Transcript

UNREAD = "-"
"""The mark of an unreadable letter."""
NOT_PUBLISHED = "the published code asks all ten questions at once, options in the order of the data"
NO_SUCH_CONTROL = "the published code never shows another prompt's image"
DROPPED = "no five replies of ten lines: the published code leaves the image out"
Letters = tuple[str | None, ...]

COLUMNS = tuple(name.lower() for name in SUB_DOMAINS)
"""The metrics of the ten sub-domains, in the order of the questions."""
VOTES = tuple(f"votes_{needed}" for needed in range(1, ROUNDS + 1))
ACCURACY, SINGLE, AGREE = "accuracy", "single_round", "rounds_agree"


def _mean(meaning: str, names: tuple[str, ...], *, is_headline: bool = True) -> Metric:
    return Metric(meaning, is_headline=is_headline, made_of=names, made_by=mean_of_all)


METRICS = {
    **{
        domain.lower(): _mean(f"mean of {' and '.join(names)}", tuple(name.lower() for name in names))
        for domain, names in DOMAINS.items()
    },
    **{column: Metric(MEANING[name]) for column, name in zip(COLUMNS, SUB_DOMAINS, strict=True)},
    ACCURACY: _mean(f"questions whose key {NEEDED} of {ROUNDS} rounds said, mean of the ten sub-domains", COLUMNS),
    "spatial": _mean("mean of the eight sub-domains after the first two", COLUMNS[2:], is_headline=False),
    SINGLE: Metric("what one round alone gets, on average: no vote", is_headline=False),
    **{
        name: Metric(f"questions whose key at least {needed} of {ROUNDS} rounds said", is_headline=False)
        for needed, name in enumerate(VOTES, 1)
    },
    AGREE: Metric("pairs of rounds that say the same of a question, right or not", is_headline=False),
}
PUBLISHED_METRICS = (*(domain.lower() for domain in DOMAINS), *COLUMNS, ACCURACY, "spatial")
"""The metrics that the published code or paper computes from votes."""
SHOWN_BY_POSITION = "shown_by_position"
"""The name of the count of items that were shown a file not named after them."""
OWN_COUNTS = ("questions", "votes", "votes_unread", "votes_none", "replies_rejected", SHOWN_BY_POSITION)
"""Names of further counts: questions; expected votes, votes without a letter, votes for "None"; replies that the
published code rejects; items that were shown a file not named after them."""
NOTHING_COUNTED = "the published code counts no image: none has five replies of ten lines"
LEFT_OUT = "left out, as published (E1), for want of an image or of five replies of ten lines"
PAIRED = "images are paired with items by sorted position, as published (E3); shown a file not named after them"


def finish(board: Board, tally: Tally) -> Board:
    """Return the scoreboard with rounded published scores, all counts of this suite, and the pairing of images.

    Published columns are rounded to three digits before means of them are taken.
    """

    def rounded(name: str, value: Value) -> Value:
        columns = [tally.parts("official", column) for column in METRICS[name].made_of or (name,)]
        shares = (sum(part.sum for part in parts) / sum(part.weight for part in parts) for parts in columns)
        return replace(value, value=fmean(round(share, 3) for share in shares))

    if (values := board.profiles["official"]) is not None:
        published = {name: None if value is None else rounded(name, value) for name, value in values.items()}
        board = replace(board, profiles=board.profiles | {"official": published})
    if shifted := board.counts.get(SHOWN_BY_POSITION, 0):
        board = replace(board, reasons=board.reasons | {"pairing": f"{PAIRED}: {shifted} of {board.n}"})
    return board.with_counts(*OWN_COUNTS)


class Ballot(NamedTuple):
    """The key of one question and the letter of each round; None if a round has no readable letter.

    Missing rounds count as None: a question that was never asked is not right.
    """

    key: str
    letters: Letters

    @property
    def for_key(self) -> int:
        """The number of rounds that gave the key."""
        return self.letters[:ROUNDS].count(self.key)

    def right(self, needed: int = NEEDED) -> bool:
        """Return True if at least ``needed`` rounds gave the key."""
        return self.for_key >= needed


def plurality(letters: Sequence[str | None]) -> str | None:
    """Return the most frequent letter (the published rule for what was seen), or None if there is a tie or no letter.

    >>> plurality(["B", "A", "B", None, "C"]), plurality(["A", "B"]), plurality([None])
    ('B', None, None)
    """
    ranked = Counter(letter for letter in letters if letter is not None).most_common(2)
    is_tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return ranked[0][0] if ranked and not is_tied else None


def accuracy(ballots: Sequence[Ballot]) -> float | None:
    """Return the share of questions that enough rounds got right, or None if there are no questions."""
    return fmean(ballot.right() for ballot in ballots) if ballots else None


def single_round_accuracy(ballots: Sequence[Ballot]) -> float | None:
    """Return the mean accuracy of a single round, that is, without voting."""
    return sum(ballot.for_key for ballot in ballots) / (ROUNDS * len(ballots)) if ballots else None


def letters(reply: str, questions: Sequence[ImageQuestion]) -> tuple[str | Unreadable, ...]:
    """Return one letter for each question, or the reason why there is none.

    >>> from tsgkit.suites.spatialgen.rows import ImageQuestion
    >>> asked = [ImageQuestion("Where?", {"A": "left", "B": "right", "E": "None"}, "A")] * 2
    >>> letters("1. **B**: it stands there\\n2. (a)", asked)
    ('B', 'A')
    """
    readings = numbered_answers.letters(reply, [question.options for question in questions])
    return tuple(reading.value if isinstance(reading, Read) else reading for reading in readings)


def unpublished(way: ParsedProtocol) -> str:
    """Return why the published scores do not apply to a protocol, or an empty text if they do."""
    if way.base != PUBLISHED:
        return NOT_PUBLISHED
    return NO_SUCH_CONTROL if way.control == SHUFFLED else ""


def label_of(turn: int, number: int | None = None) -> str:
    """Return the label of a call: its round, and its question if asked alone, both numbered from 0.

    >>> label_of(0), label_of(4, 9)
    ('round/0', 'round/4/9')
    """
    return f"round/{turn}" if number is None else f"round/{turn}/{number}"


class Rounds(NamedTuple):
    """The letters of all rounds, as in the data, and the replies they were read from."""

    letters: tuple[Letters, ...]
    replies: tuple[Reply, ...]
    """The reply that counts, for each round and each question that is asked separately."""


def rounds_of(sample: SpatialRow, transcript: Transcript, orders: Orders, base: str) -> Rounds:
    """Read the letters of all rounds."""
    by_label: dict[str, list[Reply]] = {}
    for call in transcript.said:
        by_label.setdefault(call.label, []).append(call.reply)
    groups = [[question] for question in sample.questions] if base == APART else [sample.questions]
    turns: list[Letters] = []
    counted: list[Reply] = []
    for turn in range(ROUNDS):
        turn_letters: list[str | None] = []
        for number, questions in enumerate(groups):  # orders move texts, not letters
            label = label_of(turn, number if base == APART else None)
            shown, reply = _most_readable(by_label.get(label, ()), questions)
            of_group = zip(shown, orders[turn][len(turn_letters) :], strict=False)
            turn_letters += [letter and undone(order, letter) for letter, order in of_group]
            counted += [] if reply is None else [reply]
        turns.append(tuple(turn_letters))
    return Rounds(tuple(turns), tuple(counted))


def _most_readable(replies: Sequence[Reply], questions: Sequence[ImageQuestion]) -> tuple[Letters, Reply | None]:
    """Return the first reply with the most readable letters, or a failed one if no letter is readable."""
    best: Letters = (None,) * len(questions)
    chosen: Reply | None = None
    for reply in replies:
        answers = letters(reply.text or "", questions)
        known = tuple(letter if isinstance(letter, str) else None for letter in answers)
        has_failed = reply.ending is Ending.API_ERROR and not any(best)
        if chosen is None or has_failed or known.count(None) < best.count(None):
            best, chosen = known, reply
    return best, chosen


def judged(sample: SpatialRow, transcript: Transcript | None, way: ParsedProtocol) -> Judged:
    """Score a transcript on an image."""
    sight, is_published = sight_of(transcript), not unpublished(way)
    turns: tuple[Letters, ...] | None = None
    replies: official.AcceptedReplies | None = None
    notes: tuple[str, ...]
    if without := unshown(transcript):
        outcome, notes = without[0], (without[1],)
    else:
        assert transcript is not None  # noqa: S101  (otherwise no image was shown)
        assert sight is not None  # noqa: S101
        check_orders(sample, sight.orders)
        rounds = rounds_of(sample, transcript, sight.orders, way.base)
        turns = rounds.letters
        outcome, remarks = _outcome(rounds)
        notes = (*sight.notes, *remarks)
        if is_published:
            replies = official.asked(call.reply.text for call in transcript.said if call.label.startswith("round/"))
            notes = (*notes, f"official: {DROPPED}") if replies.dropped else notes
    ballots = [
        Ballot(question.key, tuple(turn[number] for turn in turns or ()))
        for number, question in enumerate(sample.questions)
    ]
    scores = {"strict": strict_scores(ballots)}
    if is_published:
        scores["official"] = official_scores(sample, replies)

    evidence: dict[str, object] = {"right": [ballot.right() for ballot in ballots]}
    if turns is not None:
        evidence["rounds"] = ["".join(letter or UNREAD for letter in turn) for turn in turns]
    if sight is not None:
        evidence |= {"image": sight.sha256 or None, "orders": [list(turn) for turn in sight.orders]}
        evidence |= {name: part for name in ("image_of", "file") if (part := getattr(sight, name))}
    if replies is not None:
        right = None if replies.dropped else [bool(scores["official"][column].sum) for column in COLUMNS]
        evidence["official"] = {"requests": replies.requests, "rejected": replies.rejected, "right": right}

    votes = [letter for ballot in ballots for letter in ballot.letters if letter is not None]
    refusals = [question.refusal for question in sample.questions]
    of_none = (ballot.letters.count(letter) for ballot, letter in zip(ballots, refusals, strict=True) if letter)
    wanted = len(ballots) * ROUNDS
    counts = {
        "items": 1,
        outcome: 1,
        "skipped_official": int(is_published and (replies is None or replies.dropped)),
        "questions": len(ballots),
        "votes": wanted,
        "votes_unread": wanted - len(votes),
        "votes_none": sum(of_none),
        "replies_rejected": replies.rejected if replies else 0,
        SHOWN_BY_POSITION: int(sight is not None and bool(sight.file)),
    }
    winners = [[letter for letter in LETTERS if ballot.letters.count(letter) >= NEEDED] for ballot in ballots]
    answer = [winner[0] if winner else None for winner in winners]
    return Judged(sample, outcome, answer=answer, scores=scores, notes=notes, evidence=evidence, counts=counts)


def _outcome(rounds: Rounds) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome for a judged image. An image with a service failure is asked about again."""
    endings = {reply.ending for reply in rounds.replies}
    votes = [letter for turn in rounds.letters for letter in turn]
    if Ending.API_ERROR in endings:
        return Outcome.API_ERROR, ("the service failed in some rounds; what was said in the others counts",)
    if any(votes):
        unread = votes.count(None)
        return Outcome.ANSWERED, (f"{unread} votes could not be read",) if unread else ()
    if len(endings) == 1 and endings != {Ending.COMPLETE}:
        outcome = outcome_of(rounds.replies[0])
        return outcome, (f"every reply is {outcome}",)
    return Outcome.UNREADABLE if rounds.replies else Outcome.MISSING, ("no letter could be read",)


def strict_scores(ballots: Sequence[Ballot]) -> Scores:
    """Score all questions: by sub-domain, and under other vote thresholds."""
    columns = {}
    for column, ballot in zip(COLUMNS, ballots, strict=True):
        reason = f"the key {ballot.key} was said in {ballot.for_key} of {ROUNDS} rounds"
        columns[column] = Score(float(ballot.right()), 1.0, reason)
    scores, n = {ACCURACY: _overall(columns), **columns}, float(len(ballots))
    for_keys = sum(ballot.for_key for ballot in ballots)
    scores[SINGLE] = Score(for_keys / ROUNDS, n, f"{for_keys} of {len(ballots) * ROUNDS} votes are for the key")
    for needed, name in enumerate(VOTES, 1):
        right = sum(ballot.right(needed) for ballot in ballots)
        scores[name] = Score(float(right), n, f"{right} of {len(ballots)} keys were said {needed} times or more")
    alike = 0.0
    for ballot in ballots:  # a round without a letter agrees with none
        pairs = list(combinations([*ballot.letters, *[None] * (ROUNDS - len(ballot.letters))], 2))
        alike += sum(first is not None and first == second for first, second in pairs) / len(pairs)
    scores[AGREE] = Score(alike, n, "pairs of rounds that say the same letter")
    return scores


def official_scores(
    sample: SpatialRow, replies: official.AcceptedReplies | None, keys: Sequence[str] | None = None
) -> Scores:
    """Score as the published code does, with these keys if given. A dropped image has no weight."""
    if replies is None or replies.dropped:
        return {column: Score.missing(DROPPED) for column in (ACCURACY, *COLUMNS)}
    votes = official.votes(replies.rounds, sample.answers if keys is None else keys)
    columns = {
        column: Score(float(vote.right), 1.0, f"the vote says {''.join(vote.winners)}")
        for column, vote in zip(COLUMNS, votes, strict=True)
    }
    return {ACCURACY: _overall(columns), **columns}


def _overall(columns: Scores) -> Score:
    """Return the score over all questions of an image. For one item it equals the mean of the sub-domains."""
    right = sum(score.sum for score in columns.values())
    return Score(right, float(len(columns)), f"{right:g} of {len(columns)} questions are right")


@dataclass(frozen=True)
class VoteScorer:
    """Scores transcripts of one protocol."""

    name: str
    style: str = ""

    @property
    def way(self) -> ParsedProtocol:
        """The parsed protocol."""
        return parse_protocol(self.name)

    @property
    def unpublished(self) -> str:
        """The reason why official scores do not apply, or an empty text."""
        return unpublished(self.way)

    def judge(self, sample: SpatialRow, transcript: Transcript | None) -> Judged:
        """Score a transcript."""
        return judged(sample, transcript, self.way)

    def unfinished(self, transcript: Transcript) -> str:
        """Return the reason why a transcript is unfinished, or an empty text."""
        return unfinished(transcript)


def verdicts_of(
    record: Mapping[str, Any], sample: SpatialRow, metric: str = ACCURACY, profile: str = "strict"
) -> Iterator[QuestionVerdict]:
    """Yield the verdict of the votes on each question, with its domain as the kind.

    Without evidence, as after an error, none is right.
    """
    evidence = record["evidence"] or {"right": [False] * len(sample.questions)}
    answer = record["answer"] or [None] * len(sample.questions)
    rounds = evidence.get("rounds", ())
    for number, question in enumerate(sample.questions):
        yield QuestionVerdict(
            question=str(number),
            right=evidence["right"][number],
            label=answer[number],
            key=question.key,
            kind=DOMAIN_OF.get(question.sub_domain, ""),
            rounds=tuple(None if turn[number] == UNREAD else turn[number] for turn in rounds),
            text=question.stem,
        )


RECORD = '{"found":'
"""The first characters of the record of what was shown."""
NO_REPLY = "this is no reply, but the record of what was shown, and in which orders"
ANY = ImageQuestion("", dict.fromkeys(LETTERS, "an option"), "")
REJECTED = "official rejects a reply that is not exactly ten lines, and asks again"
FIRST_CHARACTERS = "official takes the first character of every line, whatever it is"
AS_SHOWN = "letters as they were shown: the orders of the options are undone before votes are counted"


def read_twice(sample: SpatialRow, reply: Reply, protocol: str) -> TwoReadings:
    """Return the readings of one reply by both profiles. The letters are as shown, before orders are undone."""
    if reply.source == LOCAL and (reply.text or "").startswith(RECORD):
        return TwoReadings(Outcome.ANSWERED, None, NO_REPLY, (), None, NO_REPLY, ())
    way = parse_protocol(protocol)
    questions = [ANY] if way.base == APART else sample.questions
    readings = numbered_answers.letters(reply.text or "", [question.options for question in questions])
    marks = [reading.value if isinstance(reading, Read) else UNREAD for reading in readings]
    unread = [reading.reason for reading in readings if isinstance(reading, Unreadable)]
    strict = None if len(unread) == len(readings) else "".join(marks)
    accepted = official.accepted(reply.text or "")
    published = None if accepted is None else "".join(accepted)
    not_official = unpublished(way)
    why = ""
    if way.base != PUBLISHED:
        why = AS_SHOWN
    elif not not_official and strict != published:
        why = REJECTED if published is None else FIRST_CHARACTERS
    return TwoReadings(
        outcome=Outcome.ANSWERED if strict is not None else outcome_of(reply),
        strict=strict,
        unreadable=unread[0] if strict is None else "",
        notes=(),
        official=None if not_official else published,
        not_official=not_official,
        why=(why,) if why else (),
        spans=tuple((reading.start, reading.end) for reading in readings if isinstance(reading, Read)),
    )
