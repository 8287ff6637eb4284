"""Cleaning graphs and turning stories into graphs, from Python.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> L = Vocabulary(("kettle", "hand1"), ("verb", "dobj", "with"), ("fill",))
>>> slip = ActionGraph.of(("fill", "verb", "person"), ("fill", "dobj", "kettel"), ("fill", "with", "hand1"))
>>> for change in refine([slip], vocabulary=L).changes:
...     print(change)
graph 1: person -> verb -> fill, was fill -> verb -> person [verb-source] (exact)
graph 1: fill -> dobj -> kettle, was fill -> dobj -> kettel [out-of-vocabulary] (exact)
>>> def told(messages):
...     asked_for_actions = "Break" in messages[-1]["content"]
...     return "fill the kettle" if asked_for_actions else "person -> verb -> fill; fill -> dobj -> kettle"
>>> print(*generate("She fills the kettle.", told, vocabulary=L).narrative.graphs)
person -> verb -> fill
fill -> dobj -> kettle
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from tsgkit.agents import cleaner, story_graphs
from tsgkit.agents.decomposition import WRITTEN
from tsgkit.agents.effort import Effort, Level, effort_of
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.interface.arguments import name_of_model
from tsgkit.interface.options import AgentOptions, options_in, show_options
from tsgkit.lexicon import meant
from tsgkit.llm.asker import settings_for
from tsgkit.llm.event_loop import run_in_background
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import arguments_of, secrets_of
from tsgkit.llm.spans import Tracing, Value, traces_of
from tsgkit.report.plain_text import count, inert
from tsgkit.version import __version__

Triplets = Iterable[Sequence[str]]
Graphs = Narrative | ActionGraph | Iterable[ActionGraph | Triplets]
USUAL = Effort()
MOST_SHOWN = 10
NAMED = ("vocabulary", "told", "hint", "model_arg", "open_vocabulary", "counts")
"""Arguments of the functions, beside the options of agents."""


@dataclass(frozen=True, repr=False)
class Cleaned(cleaner.Cleaned):
    """Cleaned graphs, every change with its reason, and the remaining findings."""

    unsent_spans: str = ""
    """The reason why spans could not be sent."""

    def __repr__(self) -> str:
        return _told(self)


@dataclass(frozen=True, repr=False)
class Generated(story_graphs.Generated):
    """A story as graphs, the repairs made on the way, and the remaining findings."""

    unsent_spans: str = ""
    """The reason why spans could not be sent."""

    def __repr__(self) -> str:
        return _told(self)


def _told(result: Cleaned | Generated) -> str:
    """Return a summary: the number of graphs, the changes, the remaining errors, and problems."""
    changes, left = result.changes, result.undecided
    graphs, changed = count(len(result.narrative.graphs), "graph"), count(len(changes), "change")
    lines = [f"{graphs}, {changed}, {count(len(left), 'fault')} left"]
    lines += [f"{change}: {change.reason}" for change in changes[:MOST_SHOWN]]
    lines += [f"and {len(changes) - MOST_SHOWN:,} more"] if len(changes) > MOST_SHOWN else []
    lines += [f"left: {finding.message}" for finding in left[:MOST_SHOWN]]
    return "\n".join(map(inert, [*lines, *filter(None, (*result.failures, result.stopped, result.unsent_spans))]))


def refine(
    graphs: Graphs,
    model: Any = None,  # noqa: ANN401  (a name, a function of messages, a chat model, or anything with an ``ask``)
    *,
    vocabulary: Vocabulary | None = None,
    told: Sequence[str] = (),
    hint: str = "",
    effort: Effort | Level = USUAL,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    **tried: Unpack[AgentOptions],
) -> Cleaned:
    """Clean graphs: exact repairs first, then a model for the rest. Without a model only exact repairs are made.

    ``model`` is a LiteLLM name, a function of messages or a chat model of LangChain. ``told`` is the story, for graphs
    without sentences. ``effort`` is ``low``, ``medium`` or ``high``; ``repair`` is what is repaired before a model
    is asked. ``otel=True`` sends spans by OpenTelemetry (``otel_content=True``: prompts and replies too).
    """
    work = {"vocabulary": vocabulary, "told": told, "hint": hint, "effort": effort, "model_arg": model_arg, **tried}
    return run_in_background(lambda: arefine(graphs, model, **work))  # type: ignore[arg-type]


async def arefine(
    graphs: Graphs,
    model: Any = None,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    told: Sequence[str] = (),
    hint: str = "",
    effort: Effort | Level = USUAL,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    **tried: Unpack[AgentOptions],
) -> Cleaned:
    """Do the same as ``refine`` in the running event loop."""
    tracing, asked, how = _prepared("refine", model, vocabulary, effort, model_arg, tried)
    async with tracing:
        cleaned = await cleaner.arefine(_graphs(graphs), asked, told=told, hint=hint, **how)
    return Cleaned(**vars(cleaned), unsent_spans=tracing.trouble)


def generate(
    story: str | Sequence[str],
    model: Any,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    open_vocabulary: bool = False,
    counts: Sequence[int] | None = None,
    effort: Effort | Level = WRITTEN,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    **tried: Unpack[AgentOptions],
) -> Generated:
    """Turn a story into graphs. With ``open_vocabulary`` the model first proposes L.

    ``counts`` are the numbers of graphs of the sentences, if known.
    """
    work = {"vocabulary": vocabulary, "open_vocabulary": open_vocabulary, "counts": counts, "effort": effort}
    return run_in_background(lambda: agenerate(story, model, model_arg=model_arg, **work, **tried))  # type: ignore[arg-type]


async def agenerate(
    story: str | Sequence[str],
    model: Any,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    open_vocabulary: bool = False,
    counts: Sequence[int] | None = None,
    effort: Effort | Level = WRITTEN,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
    **tried: Unpack[AgentOptions],
) -> Generated:
    """Do the same as ``generate`` in the running event loop."""
    if not isinstance(story, (str, list, tuple)):
        raise UsageError("a story is a text or a list of sentences", hint=f"it is a {type(story).__name__}")
    tracing, asked, how = _prepared("generate", model, vocabulary, effort, model_arg, tried)
    async with tracing:
        generated = await story_graphs.agenerate(story, asked, open_vocabulary=open_vocabulary, counts=counts, **how)
    return Generated(**vars(generated), unsent_spans=tracing.trouble)


def _prepared(
    work: str,
    model: Any,  # noqa: ANN401
    vocabulary: object,
    effort: Effort | Level,
    model_arg: Mapping[str, Any] | Sequence[str],
    tried: AgentOptions,
) -> tuple[Tracing, Any, dict[str, Any]]:
    """Return the spans of the work, the model as agents ask it, and how it is asked. Raise ``UsageError`` for an option
    that there is not, and where spans cannot be sent."""
    if model is not None and not isinstance(model, str) and not hasattr(model, "ask"):
        model = name_of_model(model)
    if odd := [name for name in tried if name not in options_in(AgentOptions)]:
        known = ("effort", *options_in(AgentOptions), *NAMED)
        raise UsageError(f"there is no option {odd[0]}", hint=meant(odd[0], known))
    tries, arguments, traces = effort_of(effort, tried.get("repair")), arguments_of(model_arg), traces_of(tried)
    if traces is not None and model is None:
        raise UsageError("otel traces what a model is asked, and none is named", hint="name a model")
    has_settings = isinstance(model, str) and traces is not None
    secrets = secrets_of([settings_for(model, arguments)]) if has_settings else Secrets()
    name = model if isinstance(model, str) else type(model).__name__
    attributes: dict[str, Value] = {"tsgkit.version": __version__, "tsgkit.models": [name]}
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        hint = "tsgkit.Vocabulary(objects, relationships, verbs)"
        raise UsageError(f"vocabulary: {vocabulary!r:.40} is no Vocabulary", hint=hint)
    tracing = Tracing(traces, secrets, f"tsgkit {work}", lambda: attributes)
    return tracing, model, {"vocabulary": vocabulary, "effort": tries, "model_args": arguments}


def _graphs(graphs: Any) -> Narrative | list[ActionGraph]:  # noqa: ANN401  (whatever a caller gives)
    """Return graphs to clean; ``UsageError`` where something else is given."""
    if isinstance(graphs, Narrative):
        return graphs
    if isinstance(graphs, ActionGraph):
        return [graphs]
    found = []
    try:
        for one in graphs:
            triplets = one if isinstance(one, ActionGraph) else [(source, edge, target) for source, edge, target in one]
            if isinstance(one, str) or not all(isinstance(word, str) for triplet in triplets for word in triplet):
                raise TypeError  # noqa: TRY301
            found.append(ActionGraph(triplets))
    except (TypeError, ValueError):
        hint = "read them first: tsgkit.read(text).graphs, or tsgkit.read_file(path).entries[0].narrative"
        raise UsageError("refine takes graphs or a narrative", hint=hint) from None
    return found


for _function in (refine, arefine, generate, agenerate):
    show_options(_function, AgentOptions)
