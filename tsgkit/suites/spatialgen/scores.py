"""Scores of one image in both profiles: letters are read, orders undone and votes counted.

``official`` uses the first five replies of ten lines, whatever their round. ``strict`` uses the most readable reply of
each round; a round without one is a vote for nothing. Scoring needs no images and no judge, since the transcript
records what was shown.

:func:`read_twice` returns the readings of one reply by both profiles, with the reason if they differ.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> sample = SpatialSample(row_of("1", "Park", "", [asked] * 10))
>>> found = read_twice(sample, Reply("\\n".join(["**B**"] * 10)), "published")
>>> found.strict, found.official
('BBBBBBBBBB', '**********')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tsgkit.llm.reply import Ending, Reply
from tsgkit.replies import Read, Unreadable, numbered_answers
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score
from tsgkit.suites.judgement import Judged, Scores, TwoReadings, Verdict
from tsgkit.suites.judges.images import ShownImage, sight_of, unfinished, unshown
from tsgkit.suites.judges.judge import outcome_of
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.judge_requests import APART, SHUFFLED, Orders, ParsedProtocol, orders_from, parse_protocol
from tsgkit.suites.spatialgen.metrics import ACCURACY, AGREE, COLUMNS, SHOWN_BY_POSITION, SINGLE, VOTES
from tsgkit.suites.spatialgen.rows import LETTERS, Question, SpatialSample
from tsgkit.suites.spatialgen.strict import letters
from tsgkit.suites.spatialgen.terms import domain_of
from tsgkit.suites.spatialgen.votes import NEEDED, ROUNDS, Ballot
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.transcript import LOCAL, Transcript

UNREAD = "-"
"""The mark of an unreadable letter."""
NOT_PUBLISHED = "the published code asks all ten questions at once, options in the order of the data"
NO_SUCH_CONTROL = "the published code never shows another prompt's image"
DROPPED = "no five replies of ten lines: the published code leaves the image out"
Letters = tuple[str | None, ...]


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


@dataclass(frozen=True)
class Rounds:
    """The letters of all rounds, as in the data, and the replies they were read from."""

    letters: tuple[Letters, ...]
    replies: tuple[Reply, ...]
    """The reply that counts, for each round and each question that is asked separately."""
    failed: bool
    """True if a reply that counts is a service failure."""

    @property
    def is_read(self) -> bool:
        """True if at least one letter was read."""
        return any(letter is not None for turn in self.letters for letter in turn)


def rounds_of(sample: SpatialSample, transcript: Transcript, orders: Orders, base: str) -> Rounds:
    """Read the letters of all rounds."""
    by_label: dict[str, list[Reply]] = {}
    for one in transcript.said:
        by_label.setdefault(one.label, []).append(one.reply)
    turns = [_turn(sample, by_label, orders, turn, base) for turn in range(ROUNDS)]
    replies = tuple(reply for _, taken in turns for reply in taken)
    failed = any(reply.ending is Ending.API_ERROR for reply in replies)
    return Rounds(tuple(letters for letters, _ in turns), replies, failed)


def _turn(
    sample: SpatialSample, by_label: Mapping[str, Sequence[Reply]], orders: Orders, turn: int, base: str
) -> tuple[Letters, list[Reply]]:
    """Read the letters of one round. Return them with the replies used."""
    questions = sample.questions  # orders move texts, not letters
    every = list(range(len(questions)))
    letters: list[str | None] = []
    taken: list[Reply] = []
    for numbers in [[number] for number in every] if base == APART else [every]:
        label = label_of(turn, numbers[0] if base == APART else None)
        read, reply = _best(by_label.get(label, ()), [questions[number] for number in numbers])
        letters += [letter and orders[turn][number].undo(letter) for number, letter in zip(numbers, read, strict=True)]
        taken += [reply] if reply is not None else []
    return tuple(letters), taken


def _best(replies: Sequence[Reply], questions: Sequence[Question]) -> tuple[Letters, Reply | None]:
    """Return the first reply with the most readable letters, or a failed one if no letter is readable."""
    best: Letters = (None,) * len(questions)
    taken: Reply | None = None
    for reply in replies:
        found = letters(reply.text or "", questions)
        read = tuple(letter if isinstance(letter, str) else None for letter in found)
        failed = reply.ending is Ending.API_ERROR and not _count_known(best)
        if taken is None or failed or _count_known(read) > _count_known(best):
            best, taken = read, reply
    return best, taken


def _count_known(letters: Letters) -> int:
    return sum(letter is not None for letter in letters)


def judged(sample: SpatialSample, transcript: Transcript | None, way: ParsedProtocol) -> Judged:
    """Score a transcript on an image."""
    sight = sight_of(transcript)
    if without := unshown(transcript):
        return _judged(sample, way, without[0], None, (without[1],), sight, None)
    assert transcript is not None  # noqa: S101  (otherwise no image was shown)
    assert sight is not None  # noqa: S101
    orders = orders_from(sample, sight.orders)
    rounds = rounds_of(sample, transcript, orders, way.base)
    outcome, notes = _outcome(rounds)
    texts = (one.reply.text for one in transcript.said if one.label.startswith("round/"))
    asked = None if unpublished(way) else official.asked(texts)
    return _judged(sample, way, outcome, rounds, (*sight.notes, *notes), sight, asked)


def _outcome(rounds: Rounds) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome for a judged image. An image with a service failure is asked about again."""
    if rounds.failed:
        return Outcome.API_ERROR, ("the service failed in some rounds; what was said in the others counts",)
    if rounds.is_read:
        unread = sum(letter is None for turn in rounds.letters for letter in turn)
        return Outcome.ANSWERED, (f"{unread} votes could not be read",) if unread else ()
    endings = {reply.ending for reply in rounds.replies}
    if len(endings) == 1 and endings != {Ending.COMPLETE}:
        outcome = outcome_of(rounds.replies[0])
        return outcome, (f"every reply is {outcome}",)
    return Outcome.UNREADABLE if rounds.replies else Outcome.MISSING, ("no letter could be read",)


def _judged(
    sample: SpatialSample,
    way: ParsedProtocol,
    outcome: Outcome,
    rounds: Rounds | None,
    notes: tuple[str, ...],
    sight: ShownImage | None,
    asked: official.Asked | None,
) -> Judged:
    ballots = ballots_of(sample, rounds)
    scores = {"strict": strict_scores(ballots)}
    if not unpublished(way):
        scores["official"] = official_scores(sample, asked)
    why = (*notes, *((f"official: {DROPPED}",) if asked is not None and asked.dropped else ()))
    return Judged(
        sample=sample,
        outcome=outcome,
        answer=[_winner(ballot) for ballot in ballots],
        scores=scores,
        notes=why,
        evidence=_evidence(sample, ballots, rounds, sight, asked),
        counts=_counts(sample, outcome, ballots, asked, way)
        | {SHOWN_BY_POSITION: int(sight is not None and bool(sight.file))},
    )


def ballots_of(sample: SpatialSample, rounds: Rounds | None) -> tuple[Ballot, ...]:
    """Return one ballot for each question."""
    turns = () if rounds is None else rounds.letters
    return tuple(
        Ballot(question.key, tuple(turn[number] for turn in turns)) for number, question in enumerate(sample.questions)
    )


def strict_scores(ballots: Sequence[Ballot]) -> Scores:
    """Score all questions: by sub-domain, and under other vote thresholds."""
    columns = {column: _voted(ballot) for column, ballot in zip(COLUMNS, ballots, strict=True)}
    scores, n = {ACCURACY: _overall(columns), **columns}, float(len(ballots))
    said = sum(ballot.for_key for ballot in ballots)
    scores[SINGLE] = Score(said / ROUNDS, n, f"{said} of {len(ballots) * ROUNDS} votes are for the key")
    for needed, name in enumerate(VOTES, 1):
        right = sum(ballot.right(needed) for ballot in ballots)
        scores[name] = Score(float(right), n, f"{right} of {len(ballots)} keys were said {needed} times or more")
    scores[AGREE] = Score(sum(map(_agreement, ballots)), n, "pairs of rounds that say the same letter")
    return scores


def _voted(ballot: Ballot) -> Score:
    said = f"the key {ballot.key} was said in {ballot.for_key} of {ROUNDS} rounds"
    return Score(float(ballot.right()), 1.0, said)


def _agreement(ballot: Ballot) -> float:
    """Return the share of pairs of rounds with the same letter. A round without a letter agrees with none."""
    letters = [*ballot.letters, *[None] * (ROUNDS - len(ballot.letters))]
    pairs = list(combinations(letters, 2))
    return sum(one is not None and one == other for one, other in pairs) / len(pairs)


def official_scores(sample: SpatialSample, asked: official.Asked | None, keys: Sequence[str] | None = None) -> Scores:
    """Score as the published code does, with these keys if given. A dropped image has no weight."""
    if asked is None or asked.dropped:
        return {column: Score.missing(DROPPED) for column in (ACCURACY, *COLUMNS)}
    votes = official.votes(asked.rounds, sample.row.answers if keys is None else keys)
    columns = {
        column: Score(float(vote.right), 1.0, f"the vote says {''.join(vote.winners)}")
        for column, vote in zip(COLUMNS, votes, strict=True)
    }
    return {ACCURACY: _overall(columns), **columns}


def _overall(columns: Scores) -> Score:
    """Return the score over all questions of an image. For one item it equals the mean of the sub-domains."""
    right = sum(score.sum for score in columns.values())
    return Score(right, float(len(columns)), f"{right:g} of {len(columns)} questions are right")


def _winner(ballot: Ballot) -> str | None:
    """Return the letter given by enough rounds."""
    said = {letter for letter in ballot.letters if letter is not None and ballot.letters.count(letter) >= NEEDED}
    return said.pop() if said else None


def _evidence(
    sample: SpatialSample,
    ballots: Sequence[Ballot],
    rounds: Rounds | None,
    sight: ShownImage | None,
    asked: official.Asked | None,
) -> dict[str, object]:
    """Return the evidence for the scores, by question and round."""
    value: dict[str, object] = {"right": [ballot.right() for ballot in ballots]}
    if rounds is not None:
        value["rounds"] = ["".join(letter or UNREAD for letter in turn) for turn in rounds.letters]
    if sight is not None:
        value |= {"image": sight.sha256 or None, "orders": [list(turn) for turn in sight.orders]}
        value |= {name: part for name in ("image_of", "file") if (part := getattr(sight, name))}
    if asked is not None:
        right = [] if asked.dropped else [vote.right for vote in official.votes(asked.rounds, sample.row.answers)]
        value["official"] = {"requests": asked.requests, "rejected": asked.rejected, "right": right or None}
    return value


def _counts(
    sample: SpatialSample,
    outcome: Outcome,
    ballots: Sequence[Ballot],
    asked: official.Asked | None,
    way: ParsedProtocol,
) -> dict[str, int]:
    votes = [letter for ballot in ballots for letter in ballot.letters]
    refusals = [
        letter == question.refusal
        for ballot, question in zip(ballots, sample.questions, strict=True)
        for letter in ballot.letters
        if letter is not None
    ]
    skipped = not unpublished(way) and (asked is None or asked.dropped)
    wanted = len(ballots) * ROUNDS
    return {
        "items": 1,
        outcome: 1,
        "skipped_official": int(skipped),
        "questions": len(ballots),
        "votes": wanted,
        "votes_unread": wanted - sum(letter is not None for letter in votes),
        "votes_none": sum(refusals),
        "replies_rejected": asked.rejected if asked else 0,
    }


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

    def judge(self, sample: SpatialSample, transcript: Transcript | None) -> Judged:
        """Score a transcript."""
        return judged(sample, transcript, self.way)

    def unfinished(self, transcript: Transcript) -> str:
        """Return the reason why a transcript is unfinished, or an empty text."""
        return unfinished(transcript)


def verdicts_of(
    record: Mapping[str, Any], sample: SpatialSample, metric: str = ACCURACY, profile: str = "strict"
) -> Iterator[Verdict]:
    """Yield the verdict of the votes on each question, with its domain as the kind.

    Without evidence, as after an error, none is right.
    """
    evidence = record["evidence"] or {"right": [False] * len(sample.questions)}
    answer = record["answer"] or [None] * len(sample.questions)
    said = evidence.get("rounds", ())
    for number, question in enumerate(sample.questions):
        yield Verdict(
            question=str(number),
            right=evidence["right"][number],
            label=answer[number],
            key=question.key,
            kind=domain_of(question.sub_domain) or "",
            rounds=tuple(None if turn[number] == UNREAD else turn[number] for turn in said),
            text=question.stem,
        )


NOTHING = "-"
RECORD = '{"found":'
"""The first characters of the record of what was shown."""
NO_REPLY = "this is no reply, but the record of what was shown, and in which orders"
ANY = Question("", dict.fromkeys(LETTERS, "an option"), "")
REJECTED = "official rejects a reply that is not exactly ten lines, and asks again"
FIRST_CHARACTERS = "official takes the first character of every line, whatever it is"
AS_SHOWN = "letters as they were shown: the orders of the options are undone before votes are counted"


def read_twice(sample: SpatialSample, reply: Reply, protocol: str) -> TwoReadings:
    """Return the readings of one reply by both profiles. The letters are as shown, before orders are undone."""
    if reply.source == LOCAL and (reply.text or "").startswith(RECORD):
        return TwoReadings(Outcome.ANSWERED, None, NO_REPLY, (), None, NO_REPLY, ())
    way = parse_protocol(protocol)
    questions = [ANY] if way.base == APART else sample.questions
    read = numbered_answers.letters(reply.text or "", [question.options for question in questions])
    found = [one.value if isinstance(one, Read) else one for one in read]
    unread = [one.reason for one in found if isinstance(one, Unreadable)]
    strict = (
        None if len(unread) == len(found) else "".join(NOTHING if isinstance(one, Unreadable) else one for one in found)
    )
    accepted = official.accepted(reply.text or "")
    theirs = None if accepted is None else "".join(accepted)
    not_official = unpublished(way)
    return TwoReadings(
        outcome=Outcome.ANSWERED if strict is not None else outcome_of(reply),
        strict=strict,
        unreadable=unread[0] if strict is None else "",
        notes=(),
        official=None if not_official else theirs,
        not_official=not_official,
        why=_why(strict, theirs, protocol, bool(not_official)),
        spans=tuple((one.start, one.end) for one in read if isinstance(one, Read)),
    )


def _why(strict: str | None, theirs: str | None, protocol: str, not_official: bool) -> tuple[str, ...]:
    if not_official:
        return () if parse_protocol(protocol).base == PUBLISHED else (AS_SHOWN,)
    if strict == theirs:
        return ()
    return (REJECTED if theirs is None else FIRST_CHARACTERS,)
