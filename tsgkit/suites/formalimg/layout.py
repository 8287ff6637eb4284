"""The task ``formalimg/layout``: a model, or a baseline, gives a layout as text.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.styles import style_of
>>> task = LayoutTask(load_card("formalimg/layout"))
>>> task.kind, task.takes, task.metrics["g"].is_share
('layout', ('models',), False)
>>> cup = "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
>>> item = sample_from({"scenario": "knolling", "id": 0, "prompt": "A {cup}.", "dsl": cup}, "row", 0)
>>> prompter = task.prompter(style_of("zero-shot"), task.dataset(None), seed=0, prompts=None)
>>> prompter.text(item).split("\\n\\n")[-2]
'A {cup}.'
>>> read = task.read(item, Reply('[{"label": "cup", "box_2d": [0, 600, 100, 700]}]'))
>>> judged = task.score(item, read, None)
>>> judged.scores["strict"]["satisfied"].value, judged.evidence["reason"]
(0.0, 'no cup is on the top side: its centre is at y = 650, the middle at 500')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from tsgkit.errors import UsageError
from tsgkit.graph.reading import Note
from tsgkit.library.templates import load_template
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.logic.verdicts import Verdict
from tsgkit.logic.vocabulary import KNOLLING as VOCABULARY
from tsgkit.replies import Unreadable
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import BASELINES, SOLVER, needs_solver
from tsgkit.suites.formalimg.prompts import layout_text, words
from tsgkit.suites.formalimg.rows import FormulaSample, Placed, Rows, read_rows, read_samples, sample_from
from tsgkit.suites.formalimg.strict import LayoutAnswer, layout_in, text_of_reply
from tsgkit.suites.formalimg.task import FormulaTask, own_rows
from tsgkit.suites.formalimg.verdicts import Findings, clauses_of, published_verdict, scores_of, verdict_on
from tsgkit.suites.judgement import Judged, Spans, TwoReadings
from tsgkit.suites.replies import Reply, read_as, read_replies
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file
from tsgkit.suites.solvers.offline_solvers import baseline_name
from tsgkit.suites.solvers.prompt_files import Parts, Texts
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import AsAsked, Reading
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.styles import Style
from tsgkit.suites.task import Dataset
from tsgkit.suites.text_task import OwnProgram, TextTask

CHARACTERS = 64
"""The estimated length of an object of a layout."""
NO_REPLY = "no reply: the published code leaves the item out"
NO_LAYOUT = "no layout can be verified for them"
DIFFERENCE = (
    "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python literal "
    "and as it stands; strict takes the last list of objects, and brings keys and values into the form asked for"
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "label": {"type": "string", "enum": list(VOCABULARY.classes)},
                    "color": {"type": "string", "enum": list(VOCABULARY.values["color"])},
                    "box_2d": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["label", "color", "box_2d"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["objects"],
    "additionalProperties": False,
}


class LayoutTask(FormulaTask, TextTask[FormulaSample, LayoutAnswer]):
    """The task that asks for layouts as text."""

    why_left_out = NO_LAYOUT
    baselines = BASELINES
    text_of_reply = staticmethod(text_of_reply)

    # Questions

    @property
    def parts(self) -> Parts:
        """The parts of its prompts; the vocabulary part lists the known classes and colors."""
        fields = {"vocabulary": ("classes", "colors")}
        return Parts(self.card.prompts, ("rules", "vocabulary"), required=("prompt",), rule_fields=fields)

    def texts(self, prompts: str | Path | None = None) -> Texts[FormulaSample]:
        """Return its texts, as parts or as the whole prompt ``layout.txt``, from a folder that the caller names."""
        parts = self.parts
        whole = None if prompts is None else Path(prompts) / "layout.txt"
        if whole is None or not whole.is_file():
            named = {"classes": words(VOCABULARY.classes), "colors": words(VOCABULARY.values["color"])}
            templates = parts.load(prompts)
            return Texts(parts, templates, _values, _schema, answer_name="layout", rule_values=named)
        inner = whole.parent / "prompts"
        if ((inner if inner.is_dir() else whole.parent) / parts.folder).is_dir():
            problem = f"{prompts}: holds {whole.name}, a whole prompt, and also parts"
            raise UsageError(problem, hint="keep one of them")
        template = load_template(whole, required=parts.required)
        return Texts(parts, {"whole": template}, _values, _schema, answer_name="layout", whole=template)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return the source of each part of its prompts."""
        return {name: part.source for name, part in self.texts(prompts).templates.items()}

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[FormulaSample]:
        """Return its prompts in a style; the pool of examples is checked against the items."""
        examples = self.pool().chosen(style.shots, seed, own_rows(dataset)) if style.shots else ()
        return Prompter(self.texts(prompts), style, examples)

    def pool(self) -> Pool[FormulaSample]:
        """Return the worked examples that the card names: rows with a ``layout`` and a ``rationale``."""
        examples = tuple(_example(row) for row in read_rows(pool_file(self.card)))
        return Pool(str(self.card.examples), examples, _identity)

    # Reading

    def read_text(self, item: FormulaSample, text: str) -> LayoutAnswer | Unreadable:
        """Read the layout in a text."""
        return layout_in(text)

    def told(self, answer: LayoutAnswer) -> str:
        """Return a layout in the requested form."""
        return _shown(answer.objects)

    def noted(self, answer: LayoutAnswer) -> tuple[Note, ...]:
        """Return the repairs and ignored parts of a layout."""
        return answer.notes

    def spans(self, item: FormulaSample, text: str) -> Spans:
        """Return the spans of the layout in a text."""
        found = layout_in(text)
        return found.spans if isinstance(found, LayoutAnswer) else ()

    def readings(self, sample: FormulaSample, reply: ModelReply, solver: Solver) -> TwoReadings:
        """Return the readings of a reply in both profiles."""
        found = super().readings(sample, reply, solver)
        if found.not_official:
            return found
        said = read_as(reply)
        value = official.layout((said.text if said is not None else None) or "")
        theirs = None if value is None else _shown(value)
        return replace(found, official=theirs, why=() if found.strict == theirs else (DIFFERENCE,))

    # Scoring

    def score(self, item: FormulaSample, reading: Reading[Any], asked: AsAsked | None) -> Judged:
        """Verify the layout in both profiles; if there is none, the evidence gives the reason."""
        outcome, found = reading
        published = None if asked is None else _published(item, asked.reply)
        if isinstance(found, LayoutAnswer):
            return scores_of(item, _verified(item, found, published)).judged(item, outcome)
        why = found.reason if found else f"no answer: {outcome}"
        nothing = clauses_of(item.formula, hold=False)
        unread = Findings(official=published, clauses=nothing, why=why, notes=(why,) if found else ())
        return scores_of(item, unread).judged(item, outcome)

    def unpublished(self, style: str, solver: str) -> str:
        """Return why there are no official figures: only the style can be unpublished."""
        return "the published protocol does not use a JSON schema" if style == "structured" else ""

    def items_to_score(self, data: str) -> Rows:
        """Return the items of rows. Prompts may be missing, since no model is asked."""
        source = self.source(data)
        return Rows(str(source), read_samples(source, needs_prompts=False), self.scenario)

    def replies_in(self, file: str, dataset: Dataset) -> tuple[Mapping[str, Reply], tuple[str, ...]]:
        """Return the replies in a file; replies to natural items are reported and ignored."""
        rows = own_rows(dataset)
        found = read_replies(file, (*rows.item_ids, *rows.left_out), self.text_of_reply)
        unused = len(found.keys() & set(rows.left_out))
        return found, rows.told(f"{NO_LAYOUT}; so are the replies to them: {unused}" if unused else NO_LAYOUT)

    # Baselines, and the length of a correct answer

    def length(self, item: FormulaSample) -> tuple[int, int]:
        """Return the expected length of a reply: one object per class, or two."""
        said = CHARACTERS * max(len(item.classes), 1)
        return said, 2 * said

    def program(self, subject: str, seed: int, dataset: Dataset) -> OwnProgram[FormulaSample, LayoutAnswer]:
        """Return a baseline by name. Raise ``UsageError`` if its requirements are not installed."""
        made = OwnProgram(self, baseline_name(subject, self.baselines), seed)
        if made.name == SOLVER:
            needs_solver()
        return made


def _values(item: FormulaSample) -> Mapping[str, str]:
    return {"prompt": item.prompt}


def _schema(item: FormulaSample) -> dict[str, Any]:
    """Return the JSON schema of a layout, the same for all items."""
    return SCHEMA


class _Worked(BaseModel):
    """The answer of a worked example."""

    model_config = ConfigDict(extra="allow", frozen=True)

    layout: list[dict[str, Any]]
    rationale: StrictStr


def _example(row: Placed) -> Example[FormulaSample]:
    sample = sample_from(row.value, row.place, row.number)
    try:
        answer = _Worked.model_validate(row.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{row.place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return Example(sample, layout_text(answer.layout), answer.rationale)


def _identity(sample: FormulaSample) -> Identity:
    """Return the identity of an item: its formula and its prompt."""
    return Identity((sample.dsl, folded(sample.prompt)))


def _verified(sample: FormulaSample, answer: LayoutAnswer, published: Verdict | str | None) -> Findings:
    """Verify a layout strictly."""
    verdict, clauses = verdict_on(sample, answer.scene)
    return Findings(
        strict=verdict,
        official=published,
        clauses=clauses,
        answer=answer.objects,
        notes=tuple(map(str, answer.notes)),
        counts={"repaired": int(answer.is_repaired), "rejected": int(verdict.status == "rejected")},
    )


def _published(sample: FormulaSample, reply: Reply | None) -> Verdict | str:
    """Return the published verdict on a reply, or the reason why there is none."""
    return NO_REPLY if reply is None else published_verdict(sample, official.layout(reply.text or ""))


def _shown(value: object) -> str:
    """Return a list of objects in the requested form, whatever it contains."""
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        try:
            return layout_text(value)
        except (TypeError, ValueError):
            pass
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # a Python literal can contain values that JSON cannot
        return ascii(value)
