"""A model as the writer of sentences: it is asked again with what the checks find, and given up after some rounds.

writer = ModelWriter(ask_for, Surroundings(...), rounds=2)
written = await writer.sentence("tea", "describe/3", SentenceRequest(graphs, before=graphs_before))
written.sentence or written.reason

Every sentence comes with an account of its words (:class:`~tsgkit.suites.tsg.makers.sentences.Sentence`), which is
checked against text and graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.prompt_text import arrows
from tsgkit.graph.rules import ERROR, Finding
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import values_in, well_formed
from tsgkit.replies.reasoning import spoken
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentences import Sentence

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


@dataclass(frozen=True)
class Written:
    """A sentence, or the reason why there is none, with the findings of every round before."""

    sentence: Sentence | None
    rounds: int
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    """All findings of all rounds; they were mended where there is a sentence."""


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
    calls: int = 0
    found: Counter[str] = field(default_factory=Counter)
    """How often each finding was sent back."""

    async def sentence(self, story: str, label: str, request: SentenceRequest) -> Written:
        """Return a sentence for graphs without findings; None after so many rounds."""
        vocabulary = self.vocabulary(story)
        surroundings = Surroundings(vocabulary, self.others, request.before)
        findings: tuple[Finding, ...] = ()
        everything: list[Finding] = []
        sentence: Sentence | None = None
        for number in range(self.rounds + 1):
            prompt = _prompt(request, vocabulary, sentence, findings)
            reply = await self._ask(story, prompt, f"{label}/{number}", number)
            sentence = _sentence(reply, request.manner)
            findings = _errors(sentence, request.graphs, surroundings)
            if sentence is not None and not findings:
                return Written(sentence, number, findings=tuple(everything))
            self.found.update(finding.code for finding in findings)
            everything += findings
        return Written(None, self.rounds, _reason(sentence, findings), tuple(everything))

    async def candidates(self, story: str, label: str, graphs: Sequence[ActionGraph], voice: str) -> list[Written]:
        """Return a sentence for each of some graphs, worded alike, or the reason why there is none."""
        surroundings = Surroundings(self.vocabulary(story), self.others)
        written = [Written(None, 0, NO_REPLY) for _ in graphs]
        for number in range(self.rounds + 1):
            waiting = [place for place, one in enumerate(written) if one.sentence is None]
            if not waiting:
                break
            problems = [f"step {n}: {written[place].reason}" for n, place in enumerate(waiting, 1)] if number else []
            prompt = template("candidates").render(
                count=str(len(waiting)), voice=voice, problems=_listed(problems), graphs=_steps(graphs, waiting)
            )
            reply = await self._ask(story, prompt, f"{label}/{number}", number)
            for place, sentence in _numbered(reply, waiting):
                findings = _errors(sentence, [graphs[place]], surroundings)
                self.found.update(finding.code for finding in findings)
                written[place] = Written(None if findings else sentence, number, _reason(sentence, findings), findings)
        return written

    async def _ask(self, story: str, prompt: str, label: str, draw: int) -> str:
        """Return the text of a reply; empty where there is none, which is recorded as a failure."""
        from langchain_core.messages import HumanMessage

        reply: Reply = await self.ask_for(story)([HumanMessage(content=prompt)], label=label, draw=draw)
        self.calls += 1
        if reply.ending is Ending.COMPLETE:
            return reply.text or ""
        reason = reply.error or reply.refusal or str(reply.ending).replace("_", " ")
        self.failures.append(f"story {story}: {label} gave no answer: {reason}")
        return ""


def _prompt(
    request: SentenceRequest, vocabulary: Vocabulary, earlier: Sentence | None, findings: Sequence[Finding]
) -> str:
    nodes = {name for graph in request.graphs for name in graph.elements}
    others = [name for name in vocabulary.nodes if name not in nodes and name not in ("person", "hand1", "hand2")]
    problems = [finding.message for finding in findings]
    if earlier is not None and problems:
        problems.append(f"The text was: {earlier.text}")
    count = len(request.graphs)
    return template("sentence").render(
        count="1 graph" if count == 1 else f"{count} graphs",
        voice=request.voice,
        others=", ".join(others[:MOST_OTHERS]) or "(none)",
        manner=MANNERS.get(request.manner, ""),
        context="\n".join(request.context[-MOST_CONTEXT:]) or "(nothing yet)",
        graphs="\n\n".join(map(arrows, request.graphs)),
        problems=_listed(problems),
    )


def _listed(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    lines = "".join(f"\n- {problem}" for problem in problems)
    return f"\nAn earlier try had these problems; mend them:{lines}\n"


def _steps(graphs: Sequence[ActionGraph], places: Sequence[int]) -> str:
    return "\n\n".join(f"Step {n}:\n{arrows(graphs[place])}" for n, place in enumerate(places, 1))


def _errors(
    sentence: Sentence | None, graphs: Sequence[ActionGraph], surroundings: Surroundings
) -> tuple[Finding, ...]:
    if sentence is None:
        return (Finding("unreadable", ERROR, NO_REPLY),)
    return tuple(one for one in check_sentence(sentence, graphs, surroundings) if one.severity == ERROR)


def _reason(sentence: Sentence | None, findings: Sequence[Finding]) -> str:
    told = "; ".join(f"{finding.code}: {finding.message}" for finding in findings)
    return f"{told} ({sentence.text})" if sentence is not None and told else told


def _values(reply: str) -> list[Any]:
    part = spoken(well_formed(reply))
    return [] if isinstance(part, Unreadable) else [found.value for found in values_in(part.text)]


def _sentence(reply: str, manner: str) -> Sentence | None:
    """Return the sentence of a reply: the last object that has one."""
    for value in reversed(_values(reply)):
        if isinstance(value, Mapping) and (found := sentence_from(value)) is not None:
            return replace(found, tags=(manner,)) if manner == "bare" else found
    return None


def _numbered(reply: str, places: Sequence[int]) -> list[tuple[int, Sentence]]:
    """Return the sentences of a reply about several steps, with the places of their graphs."""
    found: dict[int, Sentence] = {}
    for value in _values(reply):
        for one in value if isinstance(value, list) else [value]:
            step = one.get("step") if isinstance(one, Mapping) else None
            if isinstance(step, int) and 0 < step <= len(places) and (made := sentence_from(one)) is not None:
                found[places[step - 1]] = made
    return sorted(found.items(), key=lambda pair: pair[0])


def sentence_from(value: Mapping[str, Any]) -> Sentence | None:
    """Return the sentence of a JSON object with its account; None where it has no text."""
    text, said, implied = value.get("sentence"), value.get("said"), value.get("implied")
    if not isinstance(text, str) or not text.strip():
        return None
    account = {
        str(node): tuple(str(one) for one in (words if isinstance(words, list) else [words]) if str(one).strip())
        for node, words in (said.items() if isinstance(said, Mapping) else ())
        if node != "person"
    }
    left = tuple(str(one) for one in implied if one != "person") if isinstance(implied, list) else ()
    return Sentence(" ".join(text.split()), {node: words for node, words in account.items() if words}, left)
