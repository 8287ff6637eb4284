"""Replies that were collected elsewhere, and their scores: files of replies, logs of Inspect, and sample logs of
lm-evaluation-harness.

    with replies_from("inspect", "logs/x.eval", dataset.item_ids) as log:
        log.file            # replies as tsgkit score reads them

A sample belongs to the item of its id, or of the ``item_id`` that its metadata or its ``doc`` names; the numbers that a
harness gives samples itself (``doc_id``, whole ids of Inspect) say nothing of items. What a log says of
a reply that its text does not show becomes its outcome: cut off, refused, or failed. Logs that tsgkit wrote also hold
the style, the solver and all calls of a sample, from which the answer of several calls is made again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import load_card
from tsgkit.library.files import STDIN, look_alike, read_text
from tsgkit.llm.reply import CUT, FILTERED, Ending, Reply, reply_from
from tsgkit.suites.judgement import Judged, scored
from tsgkit.suites.replies import CollectedReply, read_replies
from tsgkit.suites.rows import Dataset
from tsgkit.suites.scoreboard import Board, ScoreReport, add_judged
from tsgkit.suites.solvers.factories import check_solver, factory_of
from tsgkit.suites.solvers.scorers import Draws, judge_reply
from tsgkit.suites.solvers.solver import BASELINE, SINGLE, Scorer
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_named, task_of
from tsgkit.suites.task import Task, group_metrics, no_group, source_of
from tsgkit.suites.transcript import LabelledReply, Transcript

INSPECT, LM_EVAL = "inspect", "lm-eval"
SOURCES = (INSPECT, LM_EVAL)
CALLS, SOLVER, STYLE = "tsgkit.calls", "tsgkit.solver", "tsgkit.style"
"""The names under which our calls, the solver that made them, and its style are kept in a sample of Inspect."""
ABOUT = "tsgkit"
"""The field of a line of our sample logs for what lm-evaluation-harness has no field for."""
OURS = frozenset(("outcome", "counts", "evidence", "why_wrong"))
"""Metadata of samples in the logs that tsgkit exports to Inspect."""
MISSING = "missing"
UNTEXTED = ("truncated", "refused", "api_error")
"""Outcomes that a text does not show."""
ID_FIELDS = ("item_id", "id", "sample_id", "data_id")
"""Fields of a document that may hold the id of an item."""
ONE_CALL = (SINGLE, BASELINE)
"""Solvers that make one call."""
JSON_LOG = ".json"
ZERO_SHOT = "zero-shot"
HINT = "name a log that was written when the evaluation had ended"


def score(
    task: str,
    data: str | Path,
    replies: str | Path,
    *,
    style: str | None = None,
    by: Sequence[str] = (),
    seed: int = 0,
    source: str | None = None,
    epoch: int | None = None,
) -> ScoreReport:
    """Return the scores of replies to a task that were collected elsewhere; ``UsageError`` where it takes none.

    ``source`` names the harness whose log holds them, and ``epoch`` one of several repetitions in it. Without a
    ``style``, that of a log of ours is taken.
    """
    chosen = task_of(load_card(task_named(task)))
    scoring = _score_replies if chosen.looks is None else chosen.looks.replies
    if scoring is None or (chosen.looks is None and chosen.prompt is None):
        hint = chosen.looks.hint if chosen.looks is not None else "tsgkit eval runs the task"
        raise UsageError(f"{chosen.key}: replies collected elsewhere cannot be scored", hint=hint)
    for group in by:
        if group not in chosen.groups.names:
            raise no_group(group, [chosen])
    if chosen.grader is not None:
        hint = "tsgkit eval runs the task, and asks the model"
        raise UsageError(f"{chosen.key}: a model rates the answers, and tsgkit score asks none", hint=hint)
    if source is None:
        if epoch is not None:
            raise UsageError("--epoch is said of a log", hint=f"add --from {'|'.join(SOURCES)} LOG")
        return scoring(chosen, str(data), str(replies), style=style, by=by, seed=seed)
    if source not in SOURCES:
        raise UsageError(f"there are no logs of {source}", hint=meant(source, SOURCES))
    with replies_from(source, str(replies), chosen.dataset(str(data)).item_ids, epoch=epoch) as log:
        style = style or log.style or None
        if log.solver and chosen.prompt is not None:
            check_solver(log.solver, chosen)
            scorer = factory_of(log.solver).scorer(log.solver, chosen, style_of(style or ZERO_SHOT).name)
            dataset = _items_to_score(chosen, str(data))
            judged = _judged(dataset, scorer.judge, log.transcripts)
            report = report_of(chosen, judged, scorer, by, seed, chosen.rows.notes(dataset))
        else:
            report = scoring(chosen, str(data), str(log.file), style=style, by=by, seed=seed)
    return replace(report, notes=(*report.notes, *log.notes))


def _score_replies(task: Task, data: str, file: str, *, style: str | None, by: Sequence[str], seed: int) -> ScoreReport:
    assert task.prompt is not None  # noqa: S101  (the caller looked)
    scorer, dataset = Draws(task, style_of(style or ZERO_SHOT).name), _items_to_score(task, data)
    unused = set(dataset.left_out)
    replies = read_replies(file, (*dataset.item_ids, *unused), task.prompt.reply_text)
    notes = task.rows.notes(dataset)
    if left := len(replies.keys() & unused):
        notes += (f"replies to rows that are left out: {left}",)
    judged = _judged(dataset, lambda item, reply: judge_reply(task, item, reply, scorer.style), replies)
    return report_of(task, judged, scorer, by, seed, notes)


def _items_to_score(task: Task, data: str) -> Dataset:
    rows = task.rows
    if rows.to_score is None:
        dataset = rows.load(source_of(task, data))
    else:
        dataset = rows.to_score(data if data == STDIN else source_of(task, data))
    if not len(dataset):
        raise UsageError(f"{data}: there are no items in it")
    return dataset


def _judged(
    dataset: Dataset, judge: Callable[[Any, Any], Judged], answers: Mapping[str, CollectedReply | Transcript]
) -> tuple[Judged, ...]:
    samples = map(dataset.sample, range(len(dataset)))
    return tuple(scored(judge, sample, answers.get(sample.item_id)).judged for sample in samples)


def report_of(
    task: Task, judged: tuple[Judged, ...], scorer: Scorer, by: Sequence[str], seed: int, notes: tuple[str, ...]
) -> ScoreReport:
    """Return the board of some judgements, and one for each member of these groups."""

    def board_of(samples: Iterable[Judged], only: Collection[str] | None = None) -> Board:
        return task.board(add_judged(task.tally(), samples), scorer, seed, only=only)

    groups: dict[str, dict[str, Board]] = {}
    for group in by:
        members: dict[str, list[Judged]] = {}
        for result in judged:
            for name in task.groups.of(result.sample, group):
                if group not in task.groups.parts:
                    members.setdefault(name, []).append(result)
                elif (part := task.groups.part_of(result.sample, result.evidence, group, name)) is not None:
                    counted = replace(result, scores=part.scores, counts=result.counts | part.counts)
                    members.setdefault(name, []).append(counted)
        only = set(group_metrics(task, group, tuple(task.metrics))) if group in task.groups.parts else None
        groups[group] = {name: board_of(members[name], only) for name in task.groups.order(members, group)}
    return ScoreReport(task.key, scorer.style, seed, task.metrics, board_of(judged), groups, judged, notes)


class LoggedReply(NamedTuple):
    """A sample of a log: names that may be its item's id, the repetition it is, and what was said."""

    names: tuple[str, ...]
    epoch: int
    reply: object
    outcome: str | None = None
    solver: str = ""
    """The solver of several calls; empty for one call, and where it is not known."""
    transcript: Transcript | None = None
    """All calls, where there is a solver."""
    style: str = ""
    """The style of the prompts; empty where it is not known."""


@dataclass(frozen=True)
class Log:
    """The replies of a log as ``tsgkit score`` reads them, and notes about samples that were left out."""

    file: Path
    notes: tuple[str, ...]
    solver: str = ""
    """The solver of several calls; empty if samples have one reply each."""
    transcripts: Mapping[str, Transcript] = field(default_factory=dict)
    """All calls of each item, where there is a solver."""
    style: str = ""
    """The style of the prompts; empty where the log does not name it."""


@contextmanager
def replies_from(source: str, file: str, item_ids: Collection[str], *, epoch: int | None = None) -> Iterator[Log]:
    """Yield the replies of a log as a file, as long as the block lasts. ``epoch`` chooses a repetition, from 1."""
    if file == STDIN:
        raise UsageError(f"--from {source}: a log is no standard input", hint="name its file")
    if not Path(file).is_file():
        raise FileProblem(f"{file}: no such file", hint=look_alike(Path(file)))
    logged = list(_inspect_samples(file) if source == INSPECT else _harness_samples(file))
    matched, others = _matched(logged, file, item_ids, epoch)
    transcripts = {item_id: sample.transcript for item_id, sample in matched.items() if sample.transcript is not None}
    with tempfile.TemporaryDirectory(prefix="tsgkit-replies-") as folder:
        written = Path(folder) / f"{Path(file).stem[:60]}.jsonl"
        with written.open("w", encoding="utf-8") as lines:
            for item_id, sample in matched.items():
                if sample.outcome != MISSING:
                    outcome = {} if sample.outcome is None else {"outcome": sample.outcome}
                    lines.write(json.dumps({"item_id": item_id, "reply": sample.reply, **outcome}) + "\n")
        samples = "1 sample is" if others == 1 else f"{others:,} samples are"
        yield Log(
            written,
            (f"{samples} of no item of the data",) if others else (),
            _same("solver", (sample.solver for sample in matched.values()), file),
            transcripts,
            _same("style", (sample.style for sample in matched.values()), file),
        )


def _same(noun: str, names: Iterable[str], file: str) -> str:
    """Return the name that all samples have for something, or none."""
    different = sorted(set(names) - {""})
    if len(different) > 1:
        raise UsageError(
            f"{file}: its samples are of several {noun}s: {', '.join(different)}", hint="log one at a time"
        )
    return different[0] if different else ""


def _matched(
    logged: list[LoggedReply], file: str, item_ids: Collection[str], epoch: int | None
) -> tuple[dict[str, LoggedReply], int]:
    """Return the sample of each item, and the number of samples of no item."""
    known, epochs = set(item_ids), sorted({sample.epoch for sample in logged})
    if epoch is None and len(epochs) > 1:
        shown = f"{len(epochs)} repetitions of its samples"
        raise UsageError(f"{file}: there are {shown}", hint=f"choose one: --epoch {epochs[0]}")
    if epoch is not None and epoch not in epochs:
        raise UsageError(f"{file}: there is no repetition {epoch}", hint=f"there are {', '.join(map(str, epochs))}")
    matched, others = dict[str, LoggedReply](), 0
    for sample in logged:
        if epoch not in (None, sample.epoch):
            continue
        item_id = next((name for name in sample.names if name in known), None)
        if item_id is None:
            others += 1
        else:
            matched.setdefault(item_id, sample)  # a log has a line for each filter, with the same replies
    if not matched:
        first = ", ".join(dict.fromkeys(name for sample in logged[:3] for name in sample.names))
        called = f"its samples are called {first}" if first else "its samples are only numbered, and name no item_id"
        hint = f"{called}; the items begin with {', '.join(list(item_ids)[:3])}"
        raise UsageError(f"{file}: no sample is of an item of the data", hint=hint)
    return matched, others


def _inspect_samples(file: str) -> Iterator[LoggedReply]:
    if find_spec("inspect_ai") is None:
        raise ExtraMissing("logs of Inspect are read", "inspect_ai", "inspect")
    from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

    try:
        if Path(file).suffix == JSON_LOG:  # is read whole, whatever is asked of it
            yield from map(_of_inspect, read_eval_log(file).samples or ())
        else:  # one by one, found by their summaries: the ids in its head may be others
            for summary in read_eval_log_sample_summaries(file):
                yield _of_inspect(read_eval_log_sample(file, summary.id, summary.epoch))
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - a torn or foreign file fails in every way there is
        first = (str(error).splitlines() or [""])[0][:200]
        raise FileProblem(f"{file}: not a log of Inspect: {first or type(error).__name__}", hint=HINT) from None


def _of_inspect(sample: Any) -> LoggedReply:  # noqa: ANN401  (Inspect's sample)
    about, store = sample.metadata or {}, sample.store or {}
    style = str(store.get(STYLE) or "")
    ids = about.get("item_id"), sample.id if isinstance(sample.id, str) else None
    names = tuple(dict.fromkeys(str(name) for name in ids if name is not None))  # a number is Inspect's own counting
    if calls := store.get(CALLS):
        replies = [LabelledReply(call["label"], reply_from(call["reply"])) for call in calls]
        return _of_calls(names, sample.epoch, replies, str(store[SOLVER]), style)
    if sample.error is not None:
        return LoggedReply(names, sample.epoch, None, "api_error", style=style)
    choices = sample.output.choices
    reason = choices[0].stop_reason if choices else "stop"
    cut = "truncated" if reason in CUT or sample.limit is not None else None
    outcome = "refused" if reason in FILTERED else cut
    if about.keys() >= OURS and about["outcome"] in (*UNTEXTED, MISSING):
        outcome = about["outcome"]
    return LoggedReply(names, sample.epoch, sample.output.completion or None, outcome, style=style)


def _of_calls(
    names: tuple[str, ...], epoch: int, calls: Sequence[LabelledReply], solver: str, style: str
) -> LoggedReply:
    """Return what all calls of a sample said, by a solver that tsgkit named in the log."""
    texts = [call.reply.text for call in calls]
    endings = [str(call.reply.ending) for call in calls]
    ending = MISSING if set(endings) == {MISSING} else next((name for name in endings if name in UNTEXTED), None)
    if solver in ONE_CALL:
        return LoggedReply(names, epoch, texts[0], ending, style=style)
    return LoggedReply(names, epoch, texts, ending, solver, Transcript(tuple(calls)), style)


def _harness_samples(file: str) -> Iterator[LoggedReply]:
    """Yield the samples of a log of lm-evaluation-harness; in lines of ours, draws of a prompt make one answer."""
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{file}: line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise FileProblem(f"{where}: not JSON", hint="name a file samples_TASK_DATE.jsonl") from None
        if not isinstance(value, dict) or not isinstance(value.get("resps"), list):
            problem = f"{where}: no sample of lm-evaluation-harness: it has no resps"
            raise FileProblem(problem, hint="log with --log_samples")
        doc = value.get("doc")
        ids = [value.get("item_id"), *((doc.get(name) for name in ID_FIELDS) if isinstance(doc, dict) else ())]
        names = tuple(dict.fromkeys(str(name) for name in ids if isinstance(name, str | int)))
        resps = [call if isinstance(call, list) else [call] for call in value["resps"]]
        if not all(isinstance(text, str | None) for call in resps for text in call):
            hint = "only tasks of the type generate_until have replies"
            raise FileProblem(f"{where}: resps hold no texts", hint=hint)
        if isinstance(about := value.get(ABOUT), dict):
            try:
                calls = []
                for call in about["calls"]:
                    request, draw = call["resp"]
                    reply = Reply(resps[request][draw], Ending(call["ending"]))
                    calls.append(LabelledReply(call["label"], reply))
                solver = str(about["solver"]) if calls else ""
            except (KeyError, IndexError, TypeError, ValueError):
                problem = f"{where}: {ABOUT} holds no calls as tsgkit writes them"
                raise FileProblem(problem, hint="export the run again") from None
            if calls:
                yield _of_calls(names, 1, calls, solver, str(about.get("style") or ""))
            continue
        for draw in range(max(map(len, resps), default=0)):
            texts = [call[draw] if draw < len(call) else None for call in resps]
            yield LoggedReply(names, draw + 1, texts[0] if len(texts) == 1 else texts)
