"""Replies that other harnesses collected: logs of Inspect, and sample logs of lm-evaluation-harness.

    with replies_from("inspect", "logs/x.eval", dataset.item_ids) as found:
        found.file            # replies as tsgkit score reads them

A sample belongs to the item of its id, or of the ``item_id`` that its metadata or its ``doc`` names; the numbers that a
harness gives samples itself (``doc_id``, whole ids of Inspect) say nothing of items. What a log says of
a reply that its text does not show becomes its outcome: cut off, refused, or failed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.library.files import STDIN, look_alike, read_text
from tsgkit.llm.finish_reasons import CUT, FILTERED

INSPECT, LM_EVAL = "inspect", "lm-eval"
SOURCES = (INSPECT, LM_EVAL)
CALLS = "tsgkit.calls"
"""The name under which our solvers keep their calls in a sample of Inspect."""
ID_FIELDS = ("item_id", "id", "sample_id", "data_id")
"""Fields of a document that may hold the id of an item."""
JSON_LOG = ".json"
HINT = "name a log that was written when the evaluation had ended"


class LoggedReply(NamedTuple):
    """A sample of a log: names that may be its item's id, the repetition it is, and what was said."""

    names: tuple[str, ...]
    epoch: int
    reply: object
    outcome: str | None = None


@dataclass(frozen=True)
class Found:
    """Replies as ``tsgkit score`` reads them, and notes about samples that were left out."""

    file: Path
    notes: tuple[str, ...]


@contextmanager
def replies_from(source: str, file: str, item_ids: Collection[str], *, epoch: int | None = None) -> Iterator[Found]:
    """Yield the replies of a log as a file, as long as the block lasts. ``epoch`` chooses a repetition, from 1."""
    if file == STDIN:
        raise UsageError(f"--from {source}: a log is no standard input", hint="name its file")
    if not Path(file).is_file():
        raise FileProblem(f"{file}: no such file", hint=look_alike(Path(file)))
    logged = _inspect_samples(file) if source == INSPECT else _harness_samples(file)
    lines, notes = _matched(list(logged), file, item_ids, epoch)
    with tempfile.TemporaryDirectory(prefix="tsgkit-replies-") as folder:
        written = Path(folder) / f"{Path(file).stem[:60]}.jsonl"
        written.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        yield Found(written, notes)


def _matched(
    logged: list[LoggedReply], file: str, item_ids: Collection[str], epoch: int | None
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return a line for each sample of an item, and what was left out."""
    known, epochs = set(item_ids), sorted({one.epoch for one in logged})
    if epoch is None and len(epochs) > 1:
        shown = f"{len(epochs)} repetitions of its samples"
        raise UsageError(f"{file}: there are {shown}", hint=f"choose one: --epoch {epochs[0]}")
    if epoch is not None and epoch not in epochs:
        raise UsageError(f"{file}: there is no repetition {epoch}", hint=f"there are {', '.join(map(str, epochs))}")
    lines, others = dict[str, dict[str, Any]](), 0
    for one in logged:
        if epoch not in (None, one.epoch):
            continue
        item_id = next((name for name in one.names if name in known), None)
        if item_id is None:
            others += 1
        elif item_id not in lines:  # a log has a line for each filter, with the same replies
            outcome = {} if one.outcome is None else {"outcome": one.outcome}
            lines[item_id] = {"item_id": item_id, "reply": one.reply, **outcome}
    if not lines:
        first = ", ".join(dict.fromkeys(name for one in logged[:3] for name in one.names))
        called = f"its samples are called {first}" if first else "its samples are only numbered, and name no item_id"
        hint = f"{called}; the items begin with {', '.join(list(item_ids)[:3])}"
        raise UsageError(f"{file}: no sample is of an item of the data", hint=hint)
    samples = "1 sample is" if others == 1 else f"{others:,} samples are"
    return list(lines.values()), ((f"{samples} of no item of the data",) if others else ())


def _inspect_samples(file: str) -> Iterator[LoggedReply]:
    if find_spec("inspect_ai") is None:
        raise ExtraMissing("logs of Inspect are read", "inspect_ai", "inspect")
    try:
        yield from map(_of_inspect, _samples_of(file))
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - a torn or foreign file fails in every way there is
        first = (str(error).splitlines() or [""])[0][:200]
        raise FileProblem(f"{file}: not a log of Inspect: {first or type(error).__name__}", hint=HINT) from None


def _samples_of(file: str) -> Iterator[Any]:
    """Yield the samples of a log one by one, found by their summaries: the ids in its head may be others."""
    from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

    if Path(file).suffix == JSON_LOG:  # is read whole, whatever is asked of it
        yield from read_eval_log(file).samples or ()
        return
    for summary in read_eval_log_sample_summaries(file):
        yield read_eval_log_sample(file, summary.id, summary.epoch)


def _of_inspect(sample: Any) -> LoggedReply:  # noqa: ANN401  (Inspect's sample)
    told = (sample.metadata or {}).get("item_id"), sample.id if isinstance(sample.id, str) else None
    names = tuple(dict.fromkeys(str(name) for name in told if name is not None))  # a number is Inspect's own counting
    calls = (sample.store or {}).get(CALLS)
    if sample.error is not None:
        return LoggedReply(names, sample.epoch, None, "api_error")
    if isinstance(calls, list) and calls:
        texts = [call["reply"].get("text") for call in calls]
        endings = [call["reply"].get("ending") for call in calls]
        ending = next((one for one in endings if one in ("truncated", "refused", "api_error")), None)
        return LoggedReply(names, sample.epoch, texts if len(texts) > 1 else texts[0], ending)
    choices = sample.output.choices
    reason = choices[0].stop_reason if choices else "stop"
    cut = "truncated" if reason in CUT or sample.limit is not None else None
    outcome = "refused" if reason in FILTERED else cut
    return LoggedReply(names, sample.epoch, sample.output.completion or None, outcome)


def _harness_samples(file: str) -> Iterator[LoggedReply]:
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            yield from _of_harness(line, f"{file}: line {number}")


def _of_harness(line: str, place: str) -> Iterable[LoggedReply]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise FileProblem(f"{place}: not JSON", hint="name a file samples_TASK_DATE.jsonl") from None
    if not isinstance(value, dict) or not isinstance(value.get("resps"), list):
        raise FileProblem(
            f"{place}: no sample of lm-evaluation-harness: it has no resps", hint="log with --log_samples"
        )
    names = _names(value)
    calls = [call if isinstance(call, list) else [call] for call in value["resps"]]
    draws = max(map(len, calls), default=0)
    if not all(isinstance(text, str | None) for call in calls for text in call):
        raise FileProblem(f"{place}: resps hold no texts", hint="only tasks of the type generate_until have replies")
    for draw in range(draws):
        texts = [call[draw] if draw < len(call) else None for call in calls]
        yield LoggedReply(names, draw + 1, texts[0] if len(texts) == 1 else texts)


def _names(value: Mapping[str, Any]) -> tuple[str, ...]:
    doc = value.get("doc")
    found = [value.get("item_id"), *((doc.get(name) for name in ID_FIELDS) if isinstance(doc, dict) else ())]
    return tuple(dict.fromkeys(str(name) for name in found if isinstance(name, str | int)))
