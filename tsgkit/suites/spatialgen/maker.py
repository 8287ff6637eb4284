"""Generation of prompts and questions: a model writes them, rules check them, and keys are spread evenly.

>>> reply = '{"questions": [{"kind": "Position", "question": "Where?", "right": "up", "wrong": ["a", "b", "c"]}]}'
>>> drafts = read_drafts(reply)
>>> drafts[0].right, draft_problems("The kite is up.", drafts)[0]
('up', 'there are 1 questions, not one of each of the ten kinds in their order')

For each scene, the model writes texts of dense images, which are checked for length and similarity to existing texts.
Then it writes ten questions about each text. They are checked for all defects of
:mod:`~tsgkit.suites.spatialgen.defects`, against the text (it must contain the right answer) and for answers of very
different lengths. Drafts with problems are requested again with the problems; a text whose questions still have some is
dropped and counted. Only people can decide if a wrong answer is really untrue, and if an image can show everything.

Prompts can also be rewritten so that they are true of the images made from them, as training data for image models.

>>> from tsgkit.suites.spatialgen.rows import question_from
>>> question = question_from("Where?  Options: A: up, B: down, E: None", "A", "Position")
>>> facts = facts_of(row_of("000001", "Park", "A kite is up.", [question]), ["B"])
>>> facts[0].is_seen, facts_text(facts)
(False, '- Position: Where? The text wants: up. In the picture: down.')

If the judge saw what the text wants, that part of the text is kept; otherwise the text must follow the image. A
question with an undecided vote counts as not seen, and its part must be removed. If everything was seen, the text is
kept unchanged and no model is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.reply import Ask
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import values_in
from tsgkit.replies.reasoning import spoken
from tsgkit.suites.makers import Requests
from tsgkit.suites.solvers.solver import UnitMapper, all_at_once
from tsgkit.suites.spatialgen.defects import MOST_TOKENS, Defect, findings, row_findings
from tsgkit.suites.spatialgen.rows import (
    LETTERS,
    MEANING,
    REFUSAL,
    SCENES,
    SUB_DOMAINS,
    ImageQuestion,
    SpatialRow,
    content_words,
    folded,
    row_of,
    similarity,
    tokens,
)

FIELDS = {
    "prompts": ("count", "scene", "aspects", "avoid"),
    "questions": ("prompt", "aspects", "problems"),
    "rewrite": ("prompt", "facts"),
}
FEWEST_WORDS = 40
MOST_ALIKE = 0.6
"""The share of common words above which two texts are near-duplicates."""
LEAST_MENTIONED = 0.3
"""The least share of the words of a right answer that the text must contain."""
UNLIKE_LENGTHS = 2.5
MOST_WORDS = 150
"""The maximum number of words in a rewritten prompt."""
CHOICES = LETTERS[:-1]
ASPECTS = "\n".join(f"- {name}: {MEANING[name]}" for name in SUB_DOMAINS)
"""The ten kinds of facts as a list for prompts."""
IGNORED = ("id-form", "repeated-id")
"""Codes that do not apply to drafts, since ids are assigned at the end."""


def template(name: str) -> Template:
    """Return a prompt template."""
    return load_template(find("prompts", f"spatialgen/making/{name}.txt"), required=FIELDS[name])


class WrittenQuestion(NamedTuple):
    """A question as written by a model."""

    kind: str
    stem: str
    right: str
    wrong: tuple[str, ...]


class DraftedText(NamedTuple):
    """A text of a scene, and the questions written about it."""

    scene: str
    prompt: str
    drafts: Sequence[WrittenQuestion]


class Dropped(NamedTuple):
    """A dropped text, with the reasons."""

    scene: str
    prompt: str
    problems: tuple[str, ...]


@dataclass
class QuestionItems(Requests):
    """The items made so far."""

    rows: list[SpatialRow] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    findings: tuple[Defect, ...] = ()


def json_in(reply: str) -> Mapping[str, Any]:
    """Return the last JSON object in a reply, or an empty one."""
    answer = spoken(reply)
    spans = [] if isinstance(answer, Unreadable) else values_in(answer.text)
    values = [span.value for span in spans if not span.is_cut]
    return next((value for value in reversed(values) if isinstance(value, dict)), {})


def read_prompts(reply: str) -> list[str]:
    """Return the texts in a reply.

    >>> read_prompts('Here: {"prompts": ["One.", 2, " Two  words. "]}')
    ['One.', 'Two words.']
    """
    prompts = json_in(reply).get("prompts")
    texts = prompts if isinstance(prompts, list) else []
    return [" ".join(text.split()) for text in texts if isinstance(text, str) and text.strip()]


def prompt_problems(prompt: str, known: Iterable[str]) -> list[str]:
    """Return the problems of a text."""
    problems = []
    if (length := tokens(prompt)) > MOST_TOKENS:
        problems.append(f"{length} words and punctuation marks, not at most {MOST_TOKENS}")
    if len(prompt.split()) < FEWEST_WORDS:
        problems.append(f"{len(prompt.split())} words, not at least {FEWEST_WORDS}")
    if any(similarity(prompt, text) > MOST_ALIKE for text in known):
        problems.append("much like another text")
    return problems


def read_drafts(reply: str) -> list[WrittenQuestion]:
    """Return the questions in a reply."""
    values = json_in(reply).get("questions")
    drafts = []
    for value in values if isinstance(values, list) else []:
        if not isinstance(value, dict):
            continue
        kind, stem, right, wrong = (value.get(name) for name in ("kind", "question", "right", "wrong"))
        texts = [kind, stem, right, *(wrong if isinstance(wrong, list) else [])]
        if all(isinstance(text, str) and text.strip() for text in texts):
            name, question, answer, *others = (" ".join(str(text).split()) for text in texts)
            drafts.append(WrittenQuestion(name, question, answer, tuple(others)))
    return drafts


def draft_problems(prompt: str, drafts: Sequence[WrittenQuestion]) -> list[str]:
    """Return the problems of questions, phrased to help correct them."""
    if tuple(draft.kind for draft in drafts) != SUB_DOMAINS:
        return [f"there are {len(drafts)} questions, not one of each of the ten kinds in their order"]
    if odd := [draft.kind for draft in drafts if len(draft.wrong) != len(CHOICES) - 1]:
        return [f"{kind}: there are not three wrong answers" for kind in odd]
    row = row_of("000000", SCENES[0], prompt, [question_of(draft, 0, draft.wrong) for draft in drafts])
    defects = [
        f"{SUB_DOMAINS[defect.question]}: {defect.message}"
        for defect in row_findings(row)
        if defect.question is not None and defect.code not in IGNORED
    ]
    missing, lengths, text_words = [], [], content_words(prompt)
    for draft in drafts:
        words = content_words(draft.right)
        if words and len(words & text_words) < LEAST_MENTIONED * len(words):
            missing.append(f"{draft.kind}: the text does not tell the right answer: {draft.right}")
        longest, *_, shortest = sorted((len(text) for text in (draft.right, *draft.wrong)), reverse=True)
        if longest > UNLIKE_LENGTHS * shortest and longest - shortest > 10:
            lengths.append(f"{draft.kind}: answers of very unlike lengths")
    return [*defects, *missing, *lengths]


def question_of(draft: WrittenQuestion, index: int, wrong: Sequence[str]) -> ImageQuestion:
    """Return the question of a draft, with its right answer at an index among the wrong ones."""
    texts = [*wrong[:index], draft.right, *wrong[index:], REFUSAL]
    return ImageQuestion(draft.stem, dict(zip(LETTERS, texts, strict=True)), CHOICES[index], draft.kind)


def rows_with_even_keys(texts: Sequence[DraftedText], seed: int) -> list[SpatialRow]:
    """Return rows for texts and drafts. For each kind, every letter is the key equally often, give or take one."""
    rng = Random(f"{seed}/keys")
    keys: dict[str, list[int]] = {}
    for kind in SUB_DOMAINS:  # left-over letters are drawn at random
        order = rng.sample(range(len(CHOICES)), len(CHOICES))
        keys[kind] = [order[number % len(order)] for number in range(len(texts))]
        rng.shuffle(keys[kind])
    rows = []
    for number, (scene, prompt, drafts) in enumerate(texts):
        questions = []
        for draft in drafts:
            wrong = list(draft.wrong)
            rng.shuffle(wrong)
            questions.append(question_of(draft, keys[draft.kind][number], wrong))
        rows.append(row_of(f"{number + 1:06d}", scene, prompt, questions))
    return rows


@dataclass(frozen=True)
class QuestionMaker:
    """A maker of texts and questions that asks a model. ``ask_for`` returns the ``ask`` for a name."""

    ask_for: Callable[[str], Ask]
    count: int
    tries: int = 3
    seed: int = 0
    known: tuple[str, ...] = ()
    """Existing texts. New ones must differ from them."""

    async def make(self, scenes: Sequence[str], each: UnitMapper = all_at_once) -> QuestionItems:
        """Return texts of all scenes with their questions. If asking is stopped, keep what is finished."""
        making = QuestionItems()

        async def of_scene(scene: str) -> list[DraftedText]:
            prompts = await self._prompts(scene, making)
            requests = (self._questions(scene, number, prompt, making) for number, prompt in enumerate(prompts))
            drafts = await asyncio.gather(*requests)
            return [
                DraftedText(scene, prompt, of_text) for prompt, of_text in zip(prompts, drafts, strict=True) if of_text
            ]

        by_scene = await each({scene: scene for scene in scenes}, of_scene)
        kept: list[DraftedText] = []
        for text in (text for texts in by_scene.values() for text in texts):
            known = [earlier.prompt for earlier in kept]
            is_repeated = folded(text.prompt) in map(folded, known)
            if is_repeated or any(similarity(text.prompt, prompt) > MOST_ALIKE for prompt in known):
                making.dropped.append(Dropped(text.scene, text.prompt, ("much like another text",)))
            else:
                kept.append(text)
        making.rows = rows_with_even_keys(kept, self.seed)
        making.findings = tuple(findings(making.rows))
        return making

    async def _prompts(self, scene: str, making: QuestionItems) -> list[str]:
        prompts: list[str] = []
        for number in range(self.tries):
            wanted = self.count - len(prompts)
            if not wanted:
                break
            avoid = "".join(f"\nNothing like this: {prompt}" for prompt in prompts)
            text = template("prompts").render(count=str(wanted), scene=scene, aspects=ASPECTS, avoid=avoid)
            for prompt in read_prompts(await self._reply(scene, text, f"prompts/{number}", making)):
                problems = prompt_problems(prompt, (*self.known, *prompts))
                if problems:
                    making.dropped.append(Dropped(scene, prompt, tuple(problems)))
                elif len(prompts) < self.count:
                    prompts.append(prompt)
        return prompts

    async def _questions(self, scene: str, index: int, prompt: str, making: QuestionItems) -> list[WrittenQuestion]:
        problems: list[str] = []
        for number in range(self.tries):
            listed = "".join(f"\n- {problem}" for problem in problems)
            listed = f"\nAn earlier try had these problems; avoid them:{listed}\n" if listed else ""
            text = template("questions").render(prompt=prompt, aspects=ASPECTS, problems=listed)
            drafts = read_drafts(await self._reply(f"{scene}/{index}", text, f"questions/{number}", making))
            problems = draft_problems(prompt, drafts)
            if not problems:
                return drafts
        making.dropped.append(Dropped(scene, prompt, tuple(problems)))
        return []

    async def _reply(self, name: str, text: str, label: str, making: QuestionItems) -> str:
        """Return the reply, or an empty text if there is none (recorded as a failure)."""
        reply = await making.reply(self.ask_for(name), text, label, place=f"{name}: {label}")
        return "" if reply is None else reply.text or ""


def chosen_scenes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named scenes in the published order, or all scenes if none is named."""
    for name in names:
        if name not in SCENES:
            raise UsageError(f"there is no scene {name!r}", hint=meant(name, SCENES))
    return tuple(scene for scene in SCENES if not names or scene in names)


class KeyCheck(NamedTuple):
    """A question with the wanted and the seen option. ``seen`` is empty if none of the options was seen."""

    kind: str
    stem: str
    wanted: str
    seen: str
    is_decided: bool = True
    """True if the votes decide what is in the image."""

    @property
    def is_seen(self) -> bool:
        """True if the image shows the wanted option."""
        return self.is_decided and self.wanted == self.seen

    @property
    def in_image(self) -> str:
        """The description of the image for the model."""
        if not self.is_decided:
            return "not clear, so do not mention it"
        return self.seen or "none of what was asked about"


def facts_of(row: SpatialRow, letters: Sequence[str | None]) -> list[KeyCheck]:
    """Return the facts of a row, by question. A letter of None is an undecided vote."""
    return [
        KeyCheck(
            question.sub_domain,
            question.stem,
            question.options.get(question.key, ""),
            "" if letter is None or letter == question.refusal else question.options.get(letter, ""),
            letter is not None,
        )
        for question, letter in zip(row.questions, letters, strict=True)
    ]


def facts_text(facts: Iterable[KeyCheck]) -> str:
    """Return the facts as text for the model."""
    return "\n".join(
        f"- {fact.kind}: {fact.stem} The text wants: {fact.wanted}. In the picture: {fact.in_image}." for fact in facts
    )


def read_rewrite(reply: str) -> str:
    """Return the text in a reply, or an empty text if there is none.

    >>> read_rewrite('{"prompt": "A  kite is down."}'), read_rewrite("A kite.")
    ('A kite is down.', '')
    """
    prompt = json_in(reply).get("prompt")
    return " ".join(prompt.split()) if isinstance(prompt, str) else ""


def rewrite_problems(text: str, row: SpatialRow, facts: Sequence[KeyCheck]) -> list[str]:
    """Return the detectable problems of a new text.

    The text still claims an unseen fact if it has all words of the wanted option and lacks words of the seen one.
    """
    if not text:
        return ["there is no text in the reply"]
    problems = []
    if len(text.split()) > MOST_WORDS:
        problems.append(f"{len(text.split())} words, not at most {MOST_WORDS}")
    if folded(text) == folded(row.prompt):
        problems.append("the text was not changed")
    words = content_words(text)
    for fact in facts:
        wanted, in_image = content_words(fact.wanted), content_words(fact.seen)
        unseen = wanted - in_image
        if not fact.is_seen and unseen and unseen <= words and fact.seen and not (in_image - wanted) & words:
            problems.append(f"{fact.kind}: it still says {fact.wanted}, and {fact.seen} was seen")
    return problems
