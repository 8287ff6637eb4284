"""Subjects that answer from a file without a model: a script of replies, or the replies of another run.

>>> script = Script({"tea/0": ["[kettle]"]})
>>> call = Call("script:mine.jsonl", "", "tsg/sgqa", "single", "zero-shot", "tea/0", 0, "answer", "", 0)
>>> script.find(call).text, str(script.find(call._replace(sample="tea/1")).ending)
('[kettle]', 'missing')
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.llm.door import STOPPING, Call, Recorder, SentPrompt, as_dicts, prompt_hash
from tsgkit.llm.failures import Stopped
from tsgkit.llm.reply import NOTHING, Ending, Reply, Schema, reply_from

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

AXES = tuple(Call._field_defaults)
PLACE, QUESTION = ("task", "solver", "style", "sample", "repeat"), ("label", "draw")
"""The fields of a call that say what it is about, and those of the question."""
Place = tuple[object, ...]
Question = tuple[object, ...]
Values = tuple[object, ...]
"""The values of a call on each axis; None where it has none of its own."""
NOTHING_WRITTEN = Reply(text=None, ending=Ending.MISSING, source="script")


@dataclass(frozen=True)
class ByLabel:
    """A fake model that returns a given text under each label (``look/1``), the same for every sample."""

    says: Mapping[str, str]

    async def ask(
        self, where: Call, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the text of a label."""
        text = self.says.get(label)
        return Reply(text, Ending.MISSING if text is None else Ending.COMPLETE, usage=NOTHING, source="script")


@dataclass
class Script:
    """Replies by item: a list with the first, second, ... reply. The last one repeats.

    For solvers with several kinds of calls, replies are given by label (``write/2``, or ``write`` for all of them).
    """

    replies: Mapping[str, Sequence[str | None] | Mapping[str, str | None]]
    outcomes: Mapping[str, Ending] = field(default_factory=dict)

    def find(self, call: Call) -> Reply:
        """Return the reply to a call; a missing one names the line that would hold it."""
        lines, number = self.replies.get(call.sample, ()), call.label.rpartition("/")[2]
        if isinstance(lines, Mapping):
            texts = [lines[name] for name in (call.label, call.label.partition("/")[0]) if name in lines]
        else:
            texts = list(lines[min(int(number) if number.isdecimal() else call.draw, len(lines) - 1) :])
        if not texts:
            where = f"no {call.label} in the line of" if call.sample in self.replies else "no line with"
            return replace(NOTHING_WRITTEN, error=f"the script has {where} item_id {call.sample}")
        ending = Ending.COMPLETE if (texts[0] or "").strip() else Ending.EMPTY
        return Reply(text=texts[0], ending=self.outcomes.get(call.sample, ending), source="script")

    def knows(self, call: Call) -> bool:
        """Return whether the script has the item."""
        return call.sample in self.replies


@dataclass
class Replay:
    """The replies of another run to the same item, task, style, solver, repeat, label and draw.

    If both runs have several subjects, replies of the same subject are used. If either run has several values of shots,
    prompts or seed, those of the same value are used.
    """

    subjects: Mapping[str, Mapping[Place, Mapping[Question, Mapping[Values, Reply]]]]
    single: Mapping[str, object] = field(default_factory=dict)
    """Values of axes that have only one value in the other run; empty if the run has no plan."""
    asked: Mapping[str, object] = field(default_factory=dict)
    """The same of this run."""

    @classmethod
    def of(
        cls,
        calls: Iterable[Mapping[str, Any]],
        subject: str | None,
        single: Mapping[str, object] | None = None,
        asked: Mapping[str, object] | None = None,
    ) -> Replay:
        """Return the calls of one subject of a run. Raise ``UsageError`` if it has several subjects."""
        subjects: dict[str, dict[Place, dict[Question, dict[Values, Reply]]]] = {}
        judged = True
        for value in calls:
            if subject is not None and value["subject"] != subject:
                continue
            judged = judged and bool(value.get("judge"))
            item, question = (tuple(value.get(name, "") for name in names) for names in (PLACE, QUESTION))
            replies = subjects.setdefault(value["subject"], {}).setdefault(item, {}).setdefault(question, {})
            replies[tuple(value.get(axis) for axis in AXES)] = reply_from(value["reply"])
        if len(subjects) > 1 and not judged:
            names = ", ".join(sorted(subjects))
            raise UsageError(f"the run has several subjects: {names}", hint="say which: replay:RUN#SUBJECT")
        if not subjects:
            raise UsageError(f"the run has no call of {subject or 'anybody'}")
        return cls(subjects, single or {}, asked or {})

    def find(self, call: Call) -> Reply:
        """Return the reply to a call, whatever its prompt was."""
        for variant in (call, call._replace(solver="baseline", style="", label="local", draw=0)):
            for values, reply in self._about(variant).get((variant.label, variant.draw), {}).items():
                if self._is_meant(variant, values):
                    return replace(reply, source="script")
        return NOTHING_WRITTEN

    def knows(self, call: Call) -> bool:
        """Return whether the run has a call about the item in this way."""
        for variant in (call, call._replace(solver="baseline", style="")):
            every = (values for replies in self._about(variant).values() for values in replies)
            if any(self._is_meant(variant, values) for values in every):
                return True
        return False

    def _about(self, call: Call) -> Mapping[Question, Mapping[Values, Reply]]:
        """Return the replies about the item of a call; if the run has only one subject, it stands for any."""
        places = self.subjects.get(call.subject, {})
        if len(self.subjects) == 1:
            places = next(iter(self.subjects.values()))
        return places.get(tuple(getattr(call, name) for name in PLACE), {})

    def _is_meant(self, call: Call, values: Values) -> bool:
        """Return whether a call of the other run has the values of this one on each axis that both depend on."""
        for name, value in zip(AXES, values, strict=True):
            if name in self.single and name in self.asked:  # another seed, say, but one row in either run
                continue
            known = self.single.get(name) if value is None and call.solver != "baseline" else value
            wanted = self.asked.get(name) if (value_of_call := getattr(call, name)) is None else value_of_call
            if None not in (known, wanted) and known != wanted:
                return False
        return True

    @property
    def ways(self) -> tuple[str, ...]:
        """Descriptions of what the run contains: tasks with solvers, styles and other axes."""
        every = (
            (*item[:3], *(f"{name}={value}" for name, value in zip(AXES, values, strict=True) if value is not None))
            for places in self.subjects.values()
            for item, questions in places.items()
            for replies in questions.values()
            for values in replies
        )
        return tuple(dict.fromkeys(" ".join(filter(None, map(str, way))) for way in every))


@dataclass
class RecordedModel:
    """A model-like wrapper of a source that records its replies."""

    source: Script | Replay
    recorder: Recorder
    stopping: bool = False

    async def ask(
        self, where: Call, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the reply the source has for a call."""
        call = where._replace(label=label, draw=draw)
        if (recorded := self.recorder.find(call)) is not None:
            return recorded
        if self.stopping:
            raise Stopped(STOPPING)
        reply = self.source.find(call)
        prompt = as_dicts(messages)
        self.recorder.write(call, SentPrompt(prompt_hash(prompt), prompt), reply)
        return reply

    def stop(self) -> None:
        """Answer nothing more that is not recorded."""
        self.stopping = True


def script_in(text: str, file: str) -> Script:
    """Return the script in the text of a file: JSON lines of ``{"item_id", "reply"}``.

    A reply is a string, or a list or object of strings, one for each call.
    """
    replies: dict[str, Sequence[str | None] | Mapping[str, str | None]] = {}
    outcomes: dict[str, Ending] = {}
    for number, line in enumerate(text.split("\n"), 1):  # a reply may hold what else ends a line in Unicode
        if not line.strip():
            continue
        where = f"{file}: line {number}"
        try:
            value = json.loads(line)
            reply, outcome, item_id = value["reply"], value.get("outcome"), value["item_id"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            hint = 'a line reads {"item_id": "...", "reply": "..."}'
            raise UsageError(f"{where}: no reply of a script", hint=hint) from None
        if isinstance(item_id, bool) or not isinstance(item_id, str | int):
            raise UsageError(f"{where}: an item_id is a text or a number")
        by_call = reply if isinstance(reply, list | dict) else [reply]
        texts = by_call.values() if isinstance(by_call, dict) else by_call
        if not texts or not all(text is None or isinstance(text, str) for text in texts):
            raise UsageError(f"{where}: a reply is a text, a list of texts, texts by label (write/1), or null")
        if outcome not in (None, Ending.TRUNCATED, Ending.REFUSED, Ending.API_ERROR):
            raise UsageError(f"{where}: no such outcome: {outcome}", hint="truncated, refused or api_error")
        if str(item_id) in replies:
            raise UsageError(f"{where}: a second reply to item {item_id}")
        replies[str(item_id)] = by_call
        if outcome is not None:
            outcomes[str(item_id)] = Ending(outcome)
    return Script(replies, outcomes)
