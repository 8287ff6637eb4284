"""The decomposer: a sentence becomes ordered actions, each action a graph, and the graphs are refined together.

>>> import asyncio
>>> from tsgkit.agents.asking import ByLabel, ask_for
>>> model = ByLabel({
...     "decompose/1": "1. pick up the cup\\n2. rinse it",
...     "write/1": "person -> verb -> pick-up\\npick-up -> dobj -> cup\\npick-up -> with -> hand1",
...     "write/2": "person -> verb -> rinse\\nrinse -> dobj -> cup",
... })
>>> told = asyncio.run(decompose_sentence(Sentence("She rinses a cup."), ask_for(model, "0")))
>>> told.actions, len(told.graphs)
(('pick up the cup', 'rinse it'), 2)

Actions are written one after the other, so that each is told what the hands hold after those before it.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypedDict

from tsgkit.agents.asking import Silent, Voice
from tsgkit.agents.passages import Passage
from tsgkit.agents.refiner import Effort, Refined, refine_passage
from tsgkit.agents.repairs import Change
from tsgkit.agents.steps import Update, Watch, ended, node
from tsgkit.agents.wording import allowed, hands, template, told
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Vocabulary
from tsgkit.suites.transcript import Ask
from tsgkit.suites.tsg.sections import answer_section
from tsgkit.suites.tsg.strict import Unreadable
from tsgkit.suites.tsg.strict import graphs as read_graphs

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

MOST_ACTIONS = 12
"""How many actions are written where nobody says how many there are."""
MOST_COUNT = 100
LONGEST_ACTION = 300
BULLET = re.compile(r"^\s*(?:[-*•+]|\(?\d{1,3}[.):]|action\s+\d{1,3}\s*[.:)-])\s*", re.IGNORECASE)
HEADING = re.compile(r"^\s*(?:#|```|\*\*|-{3,}|(?:here|sure|okay|actions?)\b.*:\s*$)", re.IGNORECASE)
WRITTEN = Effort(critique=False, repair="exact")


@dataclass(frozen=True)
class Sentence:
    """A sentence to be told as graphs: what came before it, L, and how many graphs it has, if known."""

    text: str
    context: tuple[str, ...] = ()
    before: tuple[Description, ...] = ()
    vocabulary: Vocabulary | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= MOST_COUNT:
            raise UsageError(f"{self.count} graphs of one sentence: from 1 to {MOST_COUNT} are possible")

    def passage(self, graphs: tuple[ActionGraph, ...]) -> Passage:
        """The sentence with graphs."""
        return Passage(graphs, self.text, self.context, self.before, self.vocabulary, self.count)


@dataclass(frozen=True)
class Told:
    """The graphs of a sentence, the actions they were written for, and what refining them changed."""

    actions: tuple[str, ...]
    graphs: tuple[ActionGraph, ...]
    changes: tuple[Change, ...]
    why: str
    calls: int
    notes: tuple[str, ...] = ()
    silent: str = ""


@dataclass(frozen=True)
class Setting:
    """What stays the same while a sentence is told."""

    sentence: Sentence
    effort: Effort
    ask: Ask
    voice: Voice
    watch: Watch | None


class State(TypedDict):
    """What changes: the actions, how many were written, the graphs."""

    actions: tuple[str, ...]
    written: int
    graphs: tuple[ActionGraph, ...]
    refined: Refined | None
    why: str
    silent: str
    notes: Annotated[tuple[str, ...], operator.add]


def decompose_prompt(sentence: Sentence) -> str:
    """The prompt that asks for the actions of a sentence."""
    verbs = "any" if sentence.vocabulary is None else ", ".join(sentence.vocabulary.verbs)
    count = "as many as the sentence tells" if sentence.count is None else f"exactly {sentence.count}"
    return template("decompose").render(**told(sentence.context, sentence.text), verbs=verbs, count=count)


def write_prompt(sentence: Sentence, graphs: tuple[ActionGraph, ...], number: int, action: str) -> str:
    """The prompt that asks for the graph of an action, after those that were written already."""
    now = (*sentence.before, Description(sentence.text, graphs)) if graphs else sentence.before
    return template("write").render(
        **told(sentence.context, sentence.text),
        **allowed(sentence.vocabulary),
        hands=hands(replace(sentence.passage(()), before=now).hands()),
        number=str(number + 1),
        action=action,
    )


async def decompose(state: State, setting: Setting) -> Update:
    """Ask for the actions of the sentence."""
    sentence = setting.sentence
    try:
        text = await setting.voice.text(decompose_prompt(sentence), "decompose/1")
    except Silent as silent:
        return {"why": silent.reason, "silent": silent.kind}
    actions = actions_of(text)
    most = MOST_ACTIONS if sentence.count is None else sentence.count
    notes = [f"{len(actions)} actions, of which the first {most} were written"] if len(actions) > most else []
    if not actions:
        notes.append("no action could be read, so the sentence was taken as one")
    return {"actions": actions[:most] or (sentence.text,), "notes": tuple(notes)}


async def write(state: State, setting: Setting) -> Update:
    """Ask for the graph of the next action."""
    number = state["written"]
    prompt = write_prompt(setting.sentence, state["graphs"], number, state["actions"][number])
    try:
        text = await setting.voice.text(prompt, f"write/{number + 1}")
    except Silent as silent:
        return {"why": silent.reason, "silent": silent.kind}
    found = read_graphs(text, 1)
    if isinstance(found, Unreadable):
        return {"written": number + 1, "notes": (f"write/{number + 1} could not be read: {found.reason}",)}
    notes = (f"write/{number + 1} brought {len(found.graphs)} graphs",) if len(found.graphs) > 1 else ()
    return {"written": number + 1, "graphs": (*state["graphs"], found.graphs[0]), "notes": notes}


async def refine(state: State, setting: Setting) -> Update:
    """Refine the graphs of the sentence together."""
    sentence = setting.sentence
    passage = replace(sentence.passage(state["graphs"]), count=sentence.count or len(state["actions"]))
    refined = await refine_passage(passage, setting.ask, setting.effort, setting.watch)
    return {
        "graphs": refined.graphs,
        "refined": refined,
        "why": refined.why,
        "silent": refined.silent,
        "notes": refined.notes,
    }


def after_start(state: State) -> str:
    """A sentence that is known to tell one action is that action."""
    return "write" if state["actions"] else "decompose"


def after_decompose(state: State) -> str:
    """Nothing is written where nothing was said."""
    return "end" if state["why"] else "write"


def after_write(state: State) -> str:
    """The next action, else all of them together."""
    if state["why"]:
        return "end"
    return "write" if state["written"] < len(state["actions"]) else "refine"


def actions_of(text: str) -> tuple[str, ...]:
    """The actions of a reply, one a line, without bullets and headings.

    >>> actions_of("Here are the actions:\\n1. pick up the cup\\n2) rinse it")
    ('pick up the cup', 'rinse it')
    """
    lines = (line for line in answer_section(text).text.splitlines() if line.strip() and not HEADING.match(line))
    actions = (BULLET.sub("", line).strip()[:LONGEST_ACTION] for line in lines)
    return tuple(action for action in actions if any(letter.isalpha() for letter in action))


@cache
def compiled() -> CompiledStateGraph[State, Setting, State, State]:
    """The decomposer as a LangGraph."""
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(State, context_schema=Setting)
    for name, work in {"decompose": decompose, "write": write, "refine": refine}.items():
        builder.add_node(name, node(work))
    builder.add_conditional_edges(START, after_start, {"decompose": "decompose", "write": "write"})
    builder.add_conditional_edges("decompose", after_decompose, {"write": "write", "end": END})
    builder.add_conditional_edges("write", after_write, {"write": "write", "refine": "refine", "end": END})
    builder.add_edge("refine", END)
    return builder.compile(name="decomposer")


async def decompose_sentence(
    sentence: Sentence, ask: Ask, effort: Effort = WRITTEN, watch: Watch | None = None
) -> Told:
    """The graphs of a sentence; what was written before something failed is kept."""
    setting = Setting(sentence, effort, ask, Voice(ask), watch)
    actions = (sentence.text,) if sentence.count == 1 else ()
    state = State(actions=actions, written=0, graphs=(), refined=None, why="", silent="", notes=())
    state = await ended(compiled(), state, setting, (sentence.count or MOST_ACTIONS) + 4, watch)
    refined = state["refined"]
    return Told(
        state["actions"],
        state["graphs"],
        () if refined is None else refined.changes,
        state["why"],
        setting.voice.calls + (0 if refined is None else refined.calls),
        state["notes"],
        state["silent"],
    )
