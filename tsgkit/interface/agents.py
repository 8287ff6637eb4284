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
from typing import Annotated, Any, TypedDict, Unpack

from tsgkit.agents import cleaner, story_graphs
from tsgkit.agents.decomposition import WRITTEN
from tsgkit.agents.effort import Effort, effort_of
from tsgkit.defaults import Level
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.interface.arguments import name_of_model
from tsgkit.interface.options import AgentOptions, Option, options_in, settings_of, shows
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


class CleaningOptions(TypedDict, total=False):
    """Cleaning of graphs."""

    vocabulary: Annotated[Vocabulary | None, Option()]
    told: Annotated[Sequence[str], Option(default=())]
    hint: Annotated[str, Option(default="")]
    effort: Annotated[Effort | Level, Option(default=USUAL)]
    model_arg: Annotated[Mapping[str, Any] | Sequence[str], Option(default=())]


class RefineOptions(CleaningOptions, AgentOptions, total=False):
    """Options of ``refine``."""


class StoryOptions(TypedDict, total=False):
    """Graphs of a story."""

    vocabulary: Annotated[Vocabulary | None, Option()]
    open_vocabulary: Annotated[bool, Option(default=False)]
    counts: Annotated[Sequence[int] | None, Option()]
    effort: Annotated[Effort | Level, Option(default=WRITTEN)]
    model_arg: Annotated[Mapping[str, Any] | Sequence[str], Option(default=())]


class GenerateOptions(StoryOptions, AgentOptions, total=False):
    """Options of ``generate``."""


def _summary(result: Cleaned | Generated) -> str:
    """Return a summary: the number of graphs, the changes, the remaining errors, and problems."""
    changes, left = result.changes, result.undecided
    graphs, changed = count(len(result.narrative.graphs), "graph"), count(len(changes), "change")
    lines = [f"{graphs}, {changed}, {count(len(left), 'fault')} left"]
    lines += [f"{change}: {change.reason}" for change in changes[:MOST_SHOWN]]
    lines += [f"and {len(changes) - MOST_SHOWN:,} more"] if len(changes) > MOST_SHOWN else []
    lines += [f"left: {finding.message}" for finding in left[:MOST_SHOWN]]
    return "\n".join(map(inert, [*lines, *filter(None, (*result.failures, result.stopped, result.unsent_spans))]))


@dataclass(frozen=True, repr=False)
class Cleaned(cleaner.CleanedNarrative):
    """Cleaned graphs, every change with its reason, and the remaining findings."""

    unsent_spans: str = ""
    """The reason why spans could not be sent."""
    __repr__ = _summary


@dataclass(frozen=True, repr=False)
class Generated(story_graphs.StoryGraphs):
    """A story as graphs, the repairs made on the way, and the remaining findings."""

    unsent_spans: str = ""
    """The reason why spans could not be sent."""
    __repr__ = _summary


@shows(RefineOptions)
def refine(graphs: Graphs, model: Any = None, **options: Unpack[RefineOptions]) -> Cleaned:  # noqa: ANN401
    """Clean graphs: exact repairs first, then a model for the rest. Without a model only exact repairs are made.

    ``model`` is a LiteLLM name, a function of messages or a chat model of LangChain. ``told`` is the story, for graphs
    without sentences. ``effort`` is ``low``, ``medium`` or ``high``; ``repair`` is what is repaired before a model
    is asked. ``otel=True`` sends spans by OpenTelemetry (``otel_content=True``: prompts and replies too).
    """
    return run_in_background(lambda: arefine(graphs, model, **options))


@shows(RefineOptions)
async def arefine(graphs: Graphs, model: Any = None, **options: Unpack[RefineOptions]) -> Cleaned:  # noqa: ANN401
    """Do the same as ``refine`` in the running event loop."""
    tracing, asker, settings = _prepared("refine", model, RefineOptions, options)
    async with tracing:
        cleaned = await cleaner.arefine(_graphs(graphs), asker, **settings)
    return Cleaned(**vars(cleaned), unsent_spans=tracing.trouble)


@shows(GenerateOptions)
def generate(story: str | Sequence[str], model: Any, **options: Unpack[GenerateOptions]) -> Generated:  # noqa: ANN401
    """Turn a story into graphs. With ``open_vocabulary`` the model first proposes L.

    ``counts`` are the numbers of graphs of the sentences, if known.
    """
    return run_in_background(lambda: agenerate(story, model, **options))


@shows(GenerateOptions)
async def agenerate(story: str | Sequence[str], model: Any, **options: Unpack[GenerateOptions]) -> Generated:  # noqa: ANN401
    """Do the same as ``generate`` in the running event loop."""
    if not isinstance(story, (str, list, tuple)):
        raise UsageError("a story is a text or a list of sentences", hint=f"it is a {type(story).__name__}")
    tracing, asker, settings = _prepared("generate", model, GenerateOptions, options)
    async with tracing:
        generated = await story_graphs.agenerate(story, asker, **settings)
    return Generated(**vars(generated), unsent_spans=tracing.trouble)


def _prepared(work: str, model: Any, group: type, options: Mapping[str, Any]) -> tuple[Tracing, Any, dict[str, Any]]:  # noqa: ANN401
    """Return the spans of the work, the model as agents ask it, and its settings. Raise ``UsageError`` for an option
    that there is not, and where spans cannot be sent."""
    if not isinstance(model, str | None) and not hasattr(model, "ask"):
        model = name_of_model(model)
    settings = settings_of(options, group)
    arguments, traces = arguments_of(settings.pop("model_arg")), traces_of(options)
    if traces is not None and model is None:
        raise UsageError("otel traces what a model is asked, and none is named", hint="name a model")
    vocabulary = settings["vocabulary"]
    if not isinstance(vocabulary, Vocabulary | None):
        hint = "tsgkit.Vocabulary(objects, relationships, verbs)"
        raise UsageError(f"vocabulary: {vocabulary!r:.40} is no Vocabulary", hint=hint)
    for option in options_in(AgentOptions):
        settings.pop(option)
    settings |= {"effort": effort_of(settings["effort"], options.get("repair")), "model_args": arguments}
    has_secrets = isinstance(model, str) and traces is not None
    secrets = secrets_of([settings_for(model, arguments)]) if has_secrets else Secrets()
    name = model if isinstance(model, str) else type(model).__name__
    attributes: dict[str, Value] = {"tsgkit.version": __version__, "tsgkit.models": [name]}
    return Tracing(traces, secrets, f"tsgkit {work}", lambda: attributes), model, settings


def _graphs(graphs: Any) -> Narrative | list[ActionGraph]:  # noqa: ANN401  (whatever a caller gives)
    """Return graphs to clean; ``UsageError`` where something else is given."""
    if isinstance(graphs, Narrative):
        return graphs
    if isinstance(graphs, ActionGraph):
        return [graphs]
    try:
        triplets = [[(source, edge, target) for source, edge, target in graph] for graph in graphs]
        if all(isinstance(word, str) for graph in triplets for triplet in graph for word in triplet):
            return list(map(ActionGraph, triplets))
    except (TypeError, ValueError):
        pass
    hint = "read them first: tsgkit.read(text).graphs, or tsgkit.read_file(path).entries[0].narrative"
    raise UsageError("refine takes graphs or a narrative", hint=hint)
