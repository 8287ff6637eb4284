"""A model as the writer of sentences: it is asked again with what the checks find, and given up after some rounds.

writer = ModelWriter(ask_for, Surroundings(...), rounds=2)
written = await writer.sentence("tea", "describe/3", SentenceRequest(graphs, before=graphs_before))
written.sentence or written.reason

Every sentence comes with an account of its words (:class:`~tsgkit.suites.tsg.makers.sentences.GraphSentence`), which is
checked against text and graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Vocabulary
from tsgkit.graph.prompt_text import arrows
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import values_in, well_formed
from tsgkit.replies.reasoning import spoken
from tsgkit.suites.tsg.makers.sentence_checks import SentenceNeighbours, check_sentence
from tsgkit.suites.tsg.makers.sentences import GraphSentence

FIELDS = {
    "sentence": ("count", "voice", "others", "manner", "context", "graphs", "problems"),
    "candidates": ("count", "voice", "problems", "graphs"),
}
VOICES = (
    "as instructions to the reader",
    "in the first person and the past, as in a diary",
    "in the third person and the present, as a narrator",
    "in the third person and the past, as a witness",
    "in the passive, as in a report",
)
MANNERS = {
    "implicit": "- Leave one of the actions unsaid that a reader can infer from the next one (to use a thing one takes "
    "it first).\n",
    "bare": "- Be as brief as a telegram: no adjectives, no adverbs, nothing of hands.\n",
}
MOST_CONTEXT = 6
"""So many sentences of the story so far are shown."""
MOST_OTHERS = 40
NO_REPLY = "the reply had no JSON object with a sentence"


@cache
def template(name: str) -> Template:
    """Return a prompt template."""
    return load_template(find("prompts", f"tsg/make/{name}.txt"), required=FIELDS[name])


def texts() -> tuple[str, ...]:
    """Return all texts that are sent. They are part of what identifies unfinished work."""
    return (*(template(name).text for name in FIELDS), *VOICES, *MANNERS.values())


@dataclass(frozen=True)
class SentenceRequest:
    """Graphs to be put into words, and what went before."""

    graphs: Sequence[ActionGraph]
    context: Sequence[str] = ()
    before: tuple[ActionGraph, ...] = ()
    manner: str = ""
    """``implicit`` or ``bare``; empty for a plain sentence."""
    voice: str = VOICES[0]


class WrittenSentence(NamedTuple):
    """A sentence, or the reason why there is none, with the problems for the next prompt."""

    sentence: GraphSentence | None
    reason: str = ""
    problems: tuple[str, ...] = ()


@dataclass
class ModelWriter:
    """A writer that asks a model; ``ask_for`` returns the ``ask`` for a story's name."""

    ask_for: Callable[[str], Ask]
    vocabulary: Callable[[str], Vocabulary]
    """L of a story, or its elements, by its name."""
    others: frozenset[str] = frozenset()
    """Names of actions and things of all stories."""
    rounds: int = 2
    failures: list[str] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    """How often each finding was sent back."""

    async def sentence(self, story: str, label: str, request: SentenceRequest) -> WrittenSentence:
        """Return a sentence for graphs without findings; a reason after so many rounds."""
        vocabulary = self.vocabulary(story)
        surroundings = SentenceNeighbours(vocabulary, self.others, request.before)
        count = len(request.graphs)
        nodes = {PERSON, *HANDS, *(name for graph in request.graphs for name in graph.elements)}
        others = [name for name in vocabulary.nodes if name not in nodes]
        written = WrittenSentence(None)
        for number in range(self.rounds + 1):
            prompt = template("sentence").render(
                count="1 graph" if count == 1 else f"{count} graphs",
                voice=request.voice,
                others=", ".join(others[:MOST_OTHERS]) or "(none)",
                manner=MANNERS.get(request.manner, ""),
                context="\n".join(request.context[-MOST_CONTEXT:]) or "(nothing yet)",
                graphs="\n\n".join(map(arrows, request.graphs)),
                problems=_listed(written.problems),
            )
            values = await self._ask(story, prompt, f"{label}/{number}", number)
            sentence = next(filter(None, map(_sentence_of, reversed(values))), None)
            if sentence is not None and request.manner == "bare":
                sentence = replace(sentence, tags=("bare",))
            written = self._checked(sentence, request.graphs, surroundings)
            if written.sentence is not None:
                break
        return written

    async def candidates(
        self, story: str, label: str, graphs: Sequence[ActionGraph], voice: str
    ) -> list[WrittenSentence]:
        """Return a sentence for each of some graphs, worded alike, or the reason why there is none."""
        surroundings = SentenceNeighbours(self.vocabulary(story), self.others)
        written = [WrittenSentence(None, NO_REPLY) for _ in graphs]
        for number in range(self.rounds + 1):
            waiting = [index for index, candidate in enumerate(written) if candidate.sentence is None]
            if not waiting:
                break
            problems = [f"step {n}: {written[index].reason}" for n, index in enumerate(waiting, 1)] if number else []
            prompt = template("candidates").render(
                count=str(len(waiting)),
                voice=voice,
                problems=_listed(problems),
                graphs="\n\n".join(f"Step {n}:\n{arrows(graphs[index])}" for n, index in enumerate(waiting, 1)),
            )
            values = await self._ask(story, prompt, f"{label}/{number}", number)
            sentences: dict[int, GraphSentence] = {}
            for value in chain.from_iterable(value if isinstance(value, list) else [value] for value in values):
                step = value.get("step") if isinstance(value, Mapping) else None
                sentence = _sentence_of(value)
                if isinstance(step, int) and 0 < step <= len(waiting) and sentence is not None:
                    sentences[waiting[step - 1]] = sentence
            for index in sorted(sentences):
                written[index] = self._checked(sentences[index], [graphs[index]], surroundings)
        return written

    async def _ask(self, story: str, prompt: str, label: str, draw: int) -> list[Any]:
        """Return the JSON values of a reply; none where there is no reply, which is recorded as a failure."""
        from langchain_core.messages import HumanMessage

        reply: Reply = await self.ask_for(story)([HumanMessage(content=prompt)], label=label, draw=draw)
        if reply.ending is not Ending.COMPLETE:
            reason = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
            self.failures.append(f"story {story}: {label} gave no answer: {reason}")
            return []
        part = spoken(well_formed(reply.text or ""))
        return [] if isinstance(part, Unreadable) else [near.value for near in values_in(part.text)]

    def _checked(
        self, sentence: GraphSentence | None, graphs: Sequence[ActionGraph], surroundings: SentenceNeighbours
    ) -> WrittenSentence:
        """Return a sentence in which the checks find nothing, or what they find, which is counted."""
        if sentence is None:
            findings = [("unreadable", NO_REPLY)]
        else:
            findings = [(finding.code, finding.message) for finding in check_sentence(sentence, graphs, surroundings)]
        self.found.update(code for code, _ in findings)
        if not findings:
            return WrittenSentence(sentence)
        reason = "; ".join(f"{code}: {message}" for code, message in findings)
        problems = tuple(message for _, message in findings)
        if sentence is None:
            return WrittenSentence(None, reason, problems)
        return WrittenSentence(None, f"{reason} ({sentence.text})", (*problems, f"The text was: {sentence.text}"))


def _listed(problems: Sequence[str]) -> str:
    lines = "".join(f"\n- {problem}" for problem in problems)
    return f"\nAn earlier try had these problems; mend them:{lines}\n" if problems else ""


def _sentence_of(value: object) -> GraphSentence | None:
    """Return the sentence of a JSON object with its account; None where it has no text."""
    if not isinstance(value, Mapping):
        return None
    text, claims, implied = value.get("sentence"), value.get("said"), value.get("implied")
    if not isinstance(text, str) or not text.strip():
        return None
    account: dict[str, tuple[str, ...]] = {}
    for node, words in claims.items() if isinstance(claims, Mapping) else ():
        phrases = tuple(
            str(phrase) for phrase in (words if isinstance(words, list) else [words]) if str(phrase).strip()
        )
        if phrases and node != PERSON:
            account[str(node)] = phrases
    left = tuple(str(node) for node in implied if node != PERSON) if isinstance(implied, list) else ()
    return GraphSentence(" ".join(text.split()), account, left)
