"""Decomposition: a sentence becomes ordered actions, each action a graph, and the graphs are refined together.

>>> import asyncio
>>> from tsgkit.llm.asker import ask_for
>>> from tsgkit.llm.scripts import ByLabel
>>> model = ByLabel({
...     "decompose/1": "1. pick up the cup\\n2. rinse it",
...     "write/1": "person -> verb -> pick-up\\npick-up -> dobj -> cup\\npick-up -> with -> hand1",
...     "write/2": "person -> verb -> rinse\\nrinse -> dobj -> cup",
... })
>>> told = asyncio.run(decompose_sentence(Sentence("She rinses a cup."), ask_for(model, "0")))
>>> told.actions, len(told.graphs)
(('pick up the cup', 'rinse it'), 2)

Actions are written one after the other, so that the prompt of each states what the hands hold by then.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from tsgkit.agents.effort import Effort
from tsgkit.agents.passages import Passage
from tsgkit.agents.prompts import allowed, hands, template, told
from tsgkit.agents.refinement import Refined, refine_passage
from tsgkit.agents.steps import Update, Watch, ended, node, route
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Vocabulary
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.graph.repairs import Change
from tsgkit.llm.asker import NoText, TextAsk
from tsgkit.llm.reply import Ask
from tsgkit.replies import Unreadable
from tsgkit.replies.characters import without_bullets
from tsgkit.replies.sections import answer_section

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

MOST_ACTIONS = 12
"""The largest number of actions if their number is not given."""
MOST_COUNT = 100
MOST_TRIES = 2
"""The number of tries to get the given number of actions."""
LONGEST_ACTION = 300
LABEL = re.compile(r"action\s+\d{1,3}\s*[.:)-]\s*", re.IGNORECASE)
HEADING = re.compile(r"^\s*(?:#|```|\*\*|-{3,}|(?:here|sure|okay|actions?)\b.*:\s*$)", re.IGNORECASE)
WRITTEN = Effort("low")
"""The usual effort for a story: graphs without a finding cost no call."""


@dataclass(frozen=True)
class Sentence:
    """A sentence to turn into graphs: its context, L, and its number of graphs, if known."""

    text: str
    context: tuple[str, ...] = ()
    before: tuple[Description, ...] = ()
    vocabulary: Vocabulary | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= MOST_COUNT:
            raise UsageError(f"{self.count} graphs of one sentence: from 1 to {MOST_COUNT} are possible")

    def passage(self, graphs: tuple[ActionGraph, ...]) -> Passage:
        """Return the sentence with graphs."""
        return Passage(graphs, self.text, self.context, self.before, self.vocabulary, self.count)


@dataclass(frozen=True)
class DecomposedSentence:
    """The graphs of a sentence, their actions, and the changes by refining."""

    actions: tuple[str, ...]
    graphs: tuple[ActionGraph, ...]
    changes: tuple[Change, ...]
    why: str
    calls: int
    notes: tuple[str, ...] = ()
    silent: str = ""


@dataclass(frozen=True)
class SentenceSetting:
    """The fixed settings of one sentence."""

    sentence: Sentence
    effort: Effort
    ask: Ask
    voice: TextAsk
    watch: Watch | None


class SentenceState(TypedDict):
    """The changing state: tries, actions, the number of written graphs, the graphs."""

    asked: int
    actions: tuple[str, ...]
    written: int
    graphs: tuple[ActionGraph, ...]
    refined: Refined | None
    why: str
    silent: str
    notes: Annotated[tuple[str, ...], operator.add]


def begun() -> SentenceState:
    """Return the state before anything was asked."""
    return SentenceState(asked=0, actions=(), written=0, graphs=(), refined=None, why="", silent="", notes=())


def decompose_prompt(sentence: Sentence) -> str:
    """Return the prompt that asks for the actions of a sentence."""
    verbs = "any" if sentence.vocabulary is None else ", ".join(sentence.vocabulary.verbs)
    count = "as many as the sentence tells" if sentence.count is None else f"exactly {sentence.count}"
    return template("decompose").render(**told(sentence.context, sentence.text), verbs=verbs, count=count)


def write_prompt(sentence: Sentence, graphs: tuple[ActionGraph, ...], number: int, action: str) -> str:
    """Return the prompt that asks for the graph of an action, after those that were written already."""
    now = (*sentence.before, Description(sentence.text, graphs)) if graphs else sentence.before
    return template("write").render(
        **told(sentence.context, sentence.text),
        **allowed(sentence.vocabulary),
        hands=hands(replace(sentence.passage(()), before=now).hands()),
        number=str(number + 1),
        action=action,
    )


async def decompose(state: SentenceState, setting: SentenceSetting) -> Update:
    """Ask for the actions of the sentence; of several tries the one nearest to the number known is kept."""
    sentence, number = setting.sentence, state["asked"] + 1
    try:
        text = await setting.voice.text(decompose_prompt(sentence), f"decompose/{number}", draw=state["asked"])
    except NoText as silent:
        if state["actions"] and silent.kind != "stopped":
            return {"asked": MOST_TRIES, "notes": (silent.reason,)}
        return {"why": silent.reason, "silent": silent.kind}
    actions = actions_of(text)
    wanted = sentence.count
    if wanted is None:
        wanted = min(len(actions), MOST_ACTIONS)
    tries = [one for one in (state["actions"], actions) if one]
    if not tries:
        return {"asked": number, "notes": (f"no action could be read of decompose/{number}",)}
    kept = min(tries, key=lambda attempt: abs(len(attempt) - wanted))
    notes = () if len(actions) == wanted else (f"decompose/{number} brought {len(actions)} actions for {wanted}",)
    return {"asked": number, "actions": kept, "notes": notes}


async def write(state: SentenceState, setting: SentenceSetting) -> Update:
    """Ask for the graph of the next action."""
    number = state["written"]
    prompt = write_prompt(setting.sentence, state["graphs"], number, chosen(state, setting)[number])
    try:
        text = await setting.voice.text(prompt, f"write/{number + 1}")
    except NoText as silent:
        return {"why": silent.reason, "silent": silent.kind}
    answer = read_graphs(text, 1)
    if isinstance(answer, Unreadable):
        return {"written": number + 1, "notes": (f"write/{number + 1} could not be read: {answer.reason}",)}
    notes = (f"write/{number + 1} brought {len(answer.graphs)} graphs",) if len(answer.graphs) > 1 else ()
    return {"written": number + 1, "graphs": (*state["graphs"], answer.graphs[0]), "notes": notes}


async def refine(state: SentenceState, setting: SentenceSetting) -> Update:
    """Refine the graphs of the sentence together."""
    passage = written(state, setting)
    return taken_over(await refine_passage(passage, setting.ask, setting.effort, setting.watch))


def written(state: SentenceState, setting: SentenceSetting) -> Passage:
    """Return the passage of all graphs that were written for the sentence."""
    sentence = setting.sentence
    return replace(sentence.passage(state["graphs"]), count=sentence.count or len(chosen(state, setting)))


def taken_over(refined: Refined) -> Update:
    """Return what refining the graphs of a sentence changes of its state."""
    return {
        "graphs": refined.graphs,
        "refined": refined,
        "why": refined.why,
        "silent": refined.silent,
        "notes": refined.notes,
    }


def chosen(state: SentenceState, setting: SentenceSetting) -> tuple[str, ...]:
    """Return the actions that are written: no more than there should be; the sentence itself where none could
    be read."""
    most = MOST_ACTIONS if setting.sentence.count is None else setting.sentence.count
    return state["actions"][:most] or (setting.sentence.text,)


def after_start(state: SentenceState, setting: SentenceSetting) -> str:
    """Return the next step: a sentence with one known action needs no decomposition."""
    return "write" if setting.sentence.count == 1 else "decompose"


def after_decompose(state: SentenceState, setting: SentenceSetting) -> str:
    """Return the next step: another try if the number of actions is wrong; nothing is written without actions."""
    if state["why"]:
        return "end"
    right = not setting.sentence.count or len(state["actions"]) == setting.sentence.count
    return "write" if right or state["asked"] >= MOST_TRIES else "decompose"


def after_write(state: SentenceState, setting: SentenceSetting) -> str:
    """Return the next action, else all of them together."""
    if state["why"]:
        return "end"
    return "write" if state["written"] < len(chosen(state, setting)) else "refine"


Work = Callable[[SentenceState, SentenceSetting], Any]
Choose = Callable[[SentenceState, SentenceSetting], str]
WRITING: tuple[tuple[str, Work, Choose, tuple[str, ...]], ...] = (
    ("decompose", decompose, after_decompose, ("decompose", "write")),
    ("write", write, after_write, ("write", "refine")),
)


def actions_of(text: str) -> tuple[str, ...]:
    """The actions of a reply, one a line, without bullets and headings.

    >>> actions_of("Here are the actions:\\n1. pick up the cup\\n2) rinse it")
    ('pick up the cup', 'rinse it')
    """
    section = answer_section(text)
    if isinstance(section, Unreadable):
        return ()
    lines = (line.text for line in section.part.lines() if not HEADING.match(line.text))
    actions = (LABEL.sub("", without_bullets(line), count=1).strip()[:LONGEST_ACTION] for line in lines)
    return tuple(action for action in actions if any(letter.isalpha() for letter in action))


def add_writing(builder: Any, step: Callable[[Work], Any], choice: Callable[[Choose], Any], end: str) -> None:  # noqa: ANN401
    """Add the steps before ``refine`` to a graph under construction; ``end`` follows if nothing was returned.

    ``step`` and ``choice`` wrap these functions as nodes and edges with their state and setting.
    """
    for name, work, choose, targets in WRITING:
        builder.add_node(name, step(work))
        builder.add_conditional_edges(name, choice(choose), {**{target: target for target in targets}, "end": end})


@cache
def compiled() -> CompiledStateGraph[SentenceState, SentenceSetting, SentenceState, SentenceState]:
    """Return the decomposer of one sentence as a LangGraph; a caller's checkpointer has no part in it."""
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(SentenceState, context_schema=SentenceSetting)
    add_writing(builder, node, route, END)
    builder.add_node("refine", node(refine))
    builder.add_conditional_edges(START, route(after_start), ["decompose", "write"])
    builder.add_edge("refine", END)
    return builder.compile(checkpointer=False, name="decomposer")


async def decompose_sentence(
    sentence: Sentence, ask: Ask, effort: Effort = WRITTEN, watch: Watch | None = None
) -> DecomposedSentence:
    """Return the graphs of a sentence; graphs written before a failure are kept."""
    setting = SentenceSetting(sentence, effort, ask, TextAsk(ask), watch)
    state = await ended(compiled(), begun(), setting, (sentence.count or MOST_ACTIONS) + MOST_TRIES + 4, watch)
    return told_from(state, setting)


def told_from(state: SentenceState, setting: SentenceSetting) -> DecomposedSentence:
    """Return the result of a finished state."""
    refined = state["refined"]
    return DecomposedSentence(
        chosen(state, setting) if state["graphs"] or state["actions"] else (),
        state["graphs"],
        () if refined is None else refined.changes,
        state["why"],
        setting.voice.calls + (0 if refined is None else refined.calls),
        state["notes"],
        state["silent"],
    )
