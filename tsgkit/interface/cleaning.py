"""Graphs cleaned, and stories told as graphs, from Python.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> L = Vocabulary(("kettle", "hand1"), ("verb", "dobj", "with"), ("fill",))
>>> slip = ActionGraph.of(("fill", "verb", "person"), ("fill", "dobj", "kettel"), ("fill", "with", "hand1"))
>>> for change in refine([slip], vocabulary=L).changes:
...     print(change)
graph 0: person -> verb -> fill, was fill -> verb -> person [verb-source] (exact)
graph 0: fill -> dobj -> kettle, was fill -> dobj -> kettel [out-of-vocabulary] (exact)
>>> def told(messages):
...     asked_for_actions = "Break" in messages[-1]["content"]
...     return "fill the kettle" if asked_for_actions else "person -> verb -> fill; fill -> dobj -> kettle"
>>> print(*generate("She fills the kettle.", told, vocabulary=L).narrative.graphs)
person -> verb -> fill
fill -> dobj -> kettle
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tsgkit.agents import cleaning, telling
from tsgkit.agents.decomposition import WRITTEN
from tsgkit.agents.refinement import Effort
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.llm.loop import waited
from tsgkit.llm.own_models import given

if TYPE_CHECKING:
    pass

Graphs = Narrative | Iterable[ActionGraph]
Model = "str | Asker | Callable[..., Any] | BaseChatModel"
USUAL = Effort()


def refine(
    graphs: Graphs,
    model: Any = None,  # noqa: ANN401  (a name, a function of messages, a chat model, or anything with an ``ask``)
    *,
    vocabulary: Vocabulary | None = None,
    told: Sequence[str] = (),
    hint: str = "",
    effort: Effort = USUAL,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
) -> cleaning.Cleaned:
    """Clean graphs: exact repairs first, then a model for what is left; without a model nobody is asked.

    ``model`` is a name as LiteLLM has it, a function of messages or a chat model of LangChain; ``told`` is the story,
    where the graphs bring no sentences.
    """
    work = {"vocabulary": vocabulary, "told": told, "hint": hint, "effort": effort, "model_arg": model_arg}
    return waited(lambda: arefine(graphs, model, **work))  # type: ignore[arg-type]


async def arefine(
    graphs: Graphs,
    model: Any = None,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    told: Sequence[str] = (),
    hint: str = "",
    effort: Effort = USUAL,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
) -> cleaning.Cleaned:
    """Do the same in the event loop that is running."""
    return await cleaning.arefine(
        _graphs(graphs),
        _asked(model),
        vocabulary=vocabulary,
        told=told,
        hint=hint,
        effort=effort,
        model_args=_arguments(model_arg),
    )


def generate(
    story: str | Sequence[str],
    model: Any,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    open_vocabulary: bool = False,
    counts: Sequence[int] | None = None,
    effort: Effort = WRITTEN,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
) -> telling.Generated:
    """Tell a story as graphs. With ``open_vocabulary`` the model first proposes L for the whole of it.

    ``counts`` are the numbers of graphs of the sentences, where they are known.
    """
    work = {"vocabulary": vocabulary, "open_vocabulary": open_vocabulary, "counts": counts, "effort": effort}
    return waited(lambda: agenerate(story, model, model_arg=model_arg, **work))  # type: ignore[arg-type]


async def agenerate(
    story: str | Sequence[str],
    model: Any,  # noqa: ANN401
    *,
    vocabulary: Vocabulary | None = None,
    open_vocabulary: bool = False,
    counts: Sequence[int] | None = None,
    effort: Effort = WRITTEN,
    model_arg: Mapping[str, Any] | Sequence[str] = (),
) -> telling.Generated:
    """Do the same in the event loop that is running."""
    return await telling.agenerate(
        story,
        _asked(model),
        vocabulary=vocabulary,
        open_vocabulary=open_vocabulary,
        counts=counts,
        effort=effort,
        model_args=_arguments(model_arg),
    )


def _graphs(graphs: Any) -> Graphs:  # noqa: ANN401  (whatever a caller gives)
    """Return graphs to clean; ``UsageError`` where something else is given."""
    if isinstance(graphs, Narrative):
        return graphs
    found = [] if isinstance(graphs, (str, bytes)) else list(graphs)
    if (isinstance(graphs, (str, bytes)) and graphs) or not all(isinstance(one, ActionGraph) for one in found):
        hint = "read them first: tsgkit.read(text).graphs, or tsgkit.read_file(path).entries[0].narrative"
        raise UsageError("refine takes graphs or a narrative", hint=hint)
    return found


def _asked(model: Any) -> Any:  # noqa: ANN401
    """Return a model as agents ask it: by its name, or as something with an ``ask``."""
    return model if model is None or isinstance(model, str) or hasattr(model, "ask") else given(model)


def _arguments(given_: Mapping[str, Any] | Sequence[str]) -> Sequence[str]:
    return [f"{name}={value}" for name, value in given_.items()] if isinstance(given_, Mapping) else given_
