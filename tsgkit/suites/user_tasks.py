"""Users' tasks without a package, from a program or a ``--code`` file.

>>> capitals = Task("my/capitals", [{"country": "France", "answer": "Paris"}], "What is the capital of {country}?")
>>> capitals.judged(0, "Answer: [Paris]").scores["strict"]["correct"].value
1.0

A repeated registration under one name replaces the earlier one. Its source code is part of a run's identity.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tsgkit.errors import OwnCodeError, UsageError
from tsgkit.lexicon import fold, meant
from tsgkit.library.cards import Card, CardMetric, give_card
from tsgkit.library.templates import Template
from tsgkit.llm.user_code import LOADING, call_own, check_function, own_failure, own_text, text_of_code
from tsgkit.replies import Unreadable
from tsgkit.replies.sections import answer_section
from tsgkit.scoring.score import Score
from tsgkit.suites.judgement import AnswerScores, Judged
from tsgkit.suites.metrics import PER_ITEM, Metric
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import AsAsked
from tsgkit.suites.styles import Style
from tsgkit.suites.suite import give_task
from tsgkit.suites.task import Dataset, Items
from tsgkit.suites.text_task import RowTask, number_of

Row = Mapping[str, Any]
Prompt = str | Callable[[Row], str]
STYLES = ("zero-shot", "cot")
THINK = 'Think step by step first. Then write the answer behind "Final answer:" on a line of its own.'
NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")


@dataclass(frozen=True)
class UserItem:
    """A row of a user's task."""

    item_id: str
    row: Row
    cluster: str
    groups: Mapping[str, tuple[str, ...]]


class Task(RowTask[UserItem, Any]):
    """A user's task: rows, prompts, a reader and scores.

    ``rows`` are mappings, or a file of JSON Lines. ``prompt`` is a text with the rows' fields in braces, or a function
    of a row. ``read`` is a function of a reply's text and the row: it returns the answer, or raises ``ValueError`` with
    the reason why there is none. Without it the answer is read in square brackets, after "Answer:", or alone. ``score``
    is a function of the row and the answer that returns a number, or a number for each metric; without it the answer is
    right if it equals the row's ``answer``. ``metrics`` are shares from 0 to 1, shown in percent, except those in
    ``amounts``. Rows may have an ``item_id``, a ``cluster`` (rows of one cluster are not independent) and the fields in
    ``by``, to group results.
    """

    def __init__(
        self,
        name: str,
        rows: Iterable[Row] | str | Path,
        prompt: Prompt,
        *,
        read: Callable[[str, Row], Any] | None = None,
        score: Callable[[Row, Any], float | Mapping[str, float]] | None = None,
        metrics: Mapping[str, str] | str | Sequence[str] = ("correct",),
        amounts: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        title: str = "",
        version: int = 1,
    ) -> None:
        if not NAME.fullmatch(str(name)):
            raise UsageError(f"{name}: not SUITE/TASK in small letters, digits and hyphens", hint="as in my/capitals")
        self._prompt, self._read, self._score = prompt, read, score
        _check_functions(name, prompt, read, score)
        self._rows = rows if isinstance(rows, (str, Path)) else _checked_rows(name, rows)
        self._metrics = _metrics(name, metrics, _listed(amounts))
        self.groups = tuple(_listed(by))
        declared = CardMetric(pooling="per-item", better="more", headline=True)
        code = "\0".join(text_of_code(one) for one in (prompt, read, score) if one is not None)
        card = Card(
            title=title or name,
            citation="a task of one's own",
            task=name,
            version=version,
            data=str(rows) if isinstance(rows, str) else "rows",
            prompts="none",
            metrics=dict.fromkeys(self._metrics, declared),
            name=name,
            source=name,
            sha256=hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest(),
        )
        self.code_file = LOADING.get()
        super().__init__(card)
        give_card(card)
        give_task(self)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Its metrics."""
        return self._metrics

    def __str__(self) -> str:
        return self.key

    def __repr__(self) -> str:
        rows = str(self._rows) if isinstance(self._rows, (str, Path)) else f"{len(self._rows)} rows"
        return f"Task({self.key!r}, {rows})"

    def judged(self, number: int, reply: str) -> Judged:
        """Return the judgement on a reply to one of its items: for trying it out."""
        dataset = self.dataset(None)
        if not 0 <= number < len(dataset):
            numbers = f"they are numbered from 0 to {len(dataset) - 1}"
            raise UsageError(f"{self.key}: there is no item {number}: {numbers}")
        item = dataset.sample(number)
        return self.score(item, self.read(item, Reply(reply)), None)

    def dataset(self, data: str | None) -> Items:
        """Return its rows, or those of another file."""
        if data is not None or isinstance(self._rows, (str, Path)):
            return super().dataset(str(self._rows) if data is None else data)
        if not self._rows:
            raise UsageError(f"{self.key}: there are no rows")
        for name in self.groups:
            if not any(name in row for row in self._rows):
                fields = dict.fromkeys(field for row in self._rows for field in row)
                raise UsageError(f"{self.key}: no row has the field {name}", hint=meant(name, fields))
        text = json.dumps(list(self._rows), sort_keys=True, default=str)
        items = [self.item_of(row, number) for number, row in enumerate(self._rows)]
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return Items(self.key, sha256, items, _lines(self._rows))

    def item_of(self, row: Row, number: int) -> UserItem:
        """Return the item of a row; ``UsageError`` where nothing says which answer is right."""
        if self._score is None and "answer" not in row:
            hint = 'give every row an "answer", or the task a function score='
            raise UsageError(f"{self.key}: row {number} has no answer", hint=hint)
        item_id = str(row.get("item_id", row.get("id", number)))
        groups = {name: _members(row.get(name)) for name in self.groups}
        return UserItem(item_id, row, str(row.get("cluster", item_id)), groups)

    def fields(self, item: UserItem) -> Mapping[str, str]:
        """Return the question, for pages and examples."""
        return {"question": self.asked(item)}

    def asked(self, item: UserItem) -> str:
        """Return the prompt of an item."""
        if callable(self._prompt):
            what = f"prompt of {self.key}"
            return own_text(what, call_own(what, self._prompt, item.row))
        values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in item.row.items()}
        return Template.of(self._prompt, optional=[*values], source=f"prompt of {self.key}").render(**values)

    def shown_answer(self, item: UserItem) -> str:
        """Return the row's answer."""
        found = item.row.get("answer", "(not given)")
        return found if isinstance(found, str) else json.dumps(found)

    def read_text(self, item: UserItem, text: str) -> Any | Unreadable:  # noqa: ANN401
        """Read a reply with the user's reader, or a name in brackets, after a label, or alone."""
        section = answer_section(text)
        if isinstance(section, Unreadable):
            return section
        if self._read is None:
            said = section.part.text.strip()
            inside = said[said.rfind("[") + 1 : said.rfind("]")] if 0 <= said.rfind("[") < said.rfind("]") else said
            return inside.strip() or Unreadable("no answer")
        try:
            found = self._read(text, item.row)
        except ValueError as error:
            return Unreadable(str(error) or "no answer")
        except Exception as error:
            raise own_failure(f"read of {self.key}", error) from error
        return Unreadable("no answer") if found is None else found

    def answer_scores(self, item: UserItem, answer: Any, asked: AsAsked | None) -> AnswerScores:  # noqa: ANN401
        """Score an answer; none is worth nothing."""
        if answer is None:
            return AnswerScores({name: Score(0.0, 1.0, "there is no answer") for name in self._metrics})
        found: Any = fold(str(answer)) == fold(self.shown_answer(item))
        if self._score is not None:
            found = call_own(f"score of {self.key}", self._score, item.row, answer)
        values = found if isinstance(found, Mapping) else dict.fromkeys(self._metrics, found)
        if lacking := [name for name in self._metrics if name not in values]:
            told = ", ".join(map(str, values)) or "nothing"
            raise OwnCodeError(f"score of {self.key} told {told}, expected {', '.join(lacking)}")
        scores = {name: Score(self._number(name, values[name]), 1.0) for name in self._metrics}
        return AnswerScores(scores, answer=json.loads(json.dumps(answer, default=str)))

    def _number(self, name: str, value: object) -> float:
        return number_of(value, name, is_share=self._metrics[name].is_share, otherwise="name it in amounts=")

    def schema(self, item: UserItem) -> dict[str, Any]:
        """Return the schema of an answer; no style of its own asks for one."""
        return {"type": "string"}

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Refuse styles that need texts it does not have, and prompts of others."""
        if prompts is not None:
            raise UsageError(f"{self.key} has a prompt of its own, so --prompts has no use")
        super().check_way(style, solver, None)
        self._check_style(style)

    def _check_style(self, style: str) -> None:
        from tsgkit.suites.styles import style_of

        if style not in STYLES and style_of(style).rewrite is None:
            raise UsageError(f"{self.key} cannot be asked in style {style}", hint=f"choose from {', '.join(STYLES)}")

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where its prompt comes from."""
        return {"prompt": self.key}

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[UserItem]:
        """Return its prompts."""
        self._check_style(style.name)
        return _OwnPrompter(self, style)


def _check_functions(name: str, prompt: object, read: object, score: object) -> None:
    if not isinstance(prompt, str):
        check_function(f"prompt of {name}", prompt, "row")
    if read is not None:
        check_function(f"read of {name}", read, "text", "row")
    if score is not None:
        check_function(f"score of {name}", score, "row", "answer")


def _checked_rows(name: str, rows: object) -> tuple[Row, ...]:
    """Return rows as they are now; ``UsageError`` where they are no mappings."""
    hint = 'a list of mappings, or the path of a file of JSON lines; of a data frame df.to_dict("records")'
    if not isinstance(rows, Iterable):
        raise UsageError(f"{name}: {rows!r:.60} is no list of rows", hint=hint)
    found = tuple(rows)
    for number, row in enumerate(found):
        if not isinstance(row, Mapping):
            raise UsageError(f"{name}: row {number}: {row!r:.60} is no mapping", hint=hint)
    return found


def _metrics(name: str, metrics: Mapping[str, str] | str | Sequence[str], amounts: Sequence[str]) -> dict[str, Metric]:
    meanings = metrics if isinstance(metrics, Mapping) else dict.fromkeys(_listed(metrics), "share that is right")
    if odd := [one for one in amounts if one not in meanings]:
        raise UsageError(f"{name}: there is no metric {odd[0]}", hint=meant(odd[0], meanings))
    return {one: Metric(meaning, PER_ITEM, is_share=one not in amounts) for one, meaning in meanings.items()}


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else list(names)


def _members(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


class _OwnPrompter(Prompter[UserItem]):
    """The prompts of a user's task."""

    def __init__(self, task: Task, style: Style) -> None:
        self.task, self.style, self.examples = task, style, ()

    @cached_property
    def _stable(self) -> str:
        """Unknown: the prompt is a function's text."""
        return ""

    def composed(self, item: UserItem) -> str:
        """Return the prompt, and that it is to be thought about where the style says so."""
        return f"{self.task.asked(item)}\n\n{THINK}" if self.style.reasoning else self.task.asked(item)

    def schema(self, item: UserItem) -> None:
        """No schema is asked for."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the task's code and the style."""
        said = [self.task.card.sha256, self.style.name, THINK if self.style.reasoning else "", self.style.code]
        return hashlib.sha256(json.dumps(said).encode("ascii")).hexdigest()


def _lines(rows: Sequence[Row]) -> list[str] | None:
    """Return the rows as lines of a file; None where they hold what JSON cannot."""
    try:
        return [json.dumps(dict(row)) for row in rows]
    except (TypeError, ValueError):
        return None
