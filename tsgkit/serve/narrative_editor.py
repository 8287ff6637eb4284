"""The editor of a narrative in a notebook: a widget for Jupyter, VS Code and marimo.

    editor = tk.edit(narrative)        # a cell that ends with it shows the editor
    editor.narrative                   # the narrative as it is now

It is an anywidget: its requests are messages to the kernel. Every edit counts at once; nothing is written to disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.browser.modules import joined, text_of
from tsgkit.errors import ExtraMissing, UsageError
from tsgkit.graph.model import Narrative
from tsgkit.serve.edit_page import edit_page
from tsgkit.serve.edit_session import EditSession, Proposals, Surroundings
from tsgkit.serve.local_server import Asked, Page, problem_of

if TYPE_CHECKING:
    import anywidget

ENTRY = "widget.js"
STYLES = ("panels/panels.css", "edit/edit.css")


class NarrativeEditor(Protocol):
    """An editor of a narrative, shown where a cell of a notebook ends with it."""

    @property
    def narrative(self) -> Narrative:
        """The narrative as it is now."""


def edit(narrative: Narrative, proposal: Narrative | None = None) -> NarrativeEditor:
    """Return an editor for a notebook; the differences to a proposal can be accepted piece by piece.

        editor = tk.edit(narrative)        # shows the editor: Jupyter, VS Code, marimo
        editor.narrative                   # the narrative with all edits

    Raise ``ExtraMissing`` without the extra ``notebook``, and ``UsageError`` for what is no narrative.
    """
    if find_spec("anywidget") is None:
        raise ExtraMissing("the editor is shown in a notebook", "anywidget", "notebook")
    values: dict[str, object] = {"narrative": narrative, "proposal": narrative if proposal is None else proposal}
    for name, value in values.items():
        if not isinstance(value, Narrative):
            hint = "graphs become one by tsgkit.Narrative.of(graphs); that of an editor is editor.narrative"
            raise UsageError(f"{name}: expected a Narrative, found {type(value).__name__}", hint=hint)
    editor: NarrativeEditor = _editor_class()(narrative, proposal)
    return editor


def answer(page: Page, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request of the page that comes as a message to the kernel.

    >>> page = Page("widget.js", {"echo": dict})
    >>> answer(page, {"id": "1", "name": "echo", "values": {"a": "b"}})
    {'id': '1', 'value': {'a': 'b'}}
    >>> answer(page, {"id": "2", "name": "nothing"})["problem"]["message"]
    'there is no request nothing'
    """
    name, body, values = str(message.get("name")), message.get("body"), Asked(message.get("values") or {})
    try:
        if body is not None and name in page.changing:
            value = page.changing[name](values, json.dumps(body).encode())
        elif body is None and name in page.asking:
            value = page.asking[name](values)
        else:
            raise UsageError(f"there is no request {name:.40}")  # noqa: TRY301 - the page tells this too
    except Exception as error:  # noqa: BLE001 - the page tells it, and goes on
        problem, status = problem_of(error)
        return {"id": message.get("id"), "problem": problem, "status": status}
    return {"id": message.get("id"), "value": value}


@cache
def _editor_class() -> type[anywidget.AnyWidget]:
    import anywidget
    import traitlets

    class EditorWidget(anywidget.AnyWidget):
        """The editor of a narrative; ``revision`` counts the edits and can be observed."""

        _esm = f"{joined(ENTRY)}\nexport default {{ render }};\n"
        _css = "\n".join(map(text_of, STYLES))
        revision = traitlets.Int(0).tag(sync=True)

        def __init__(self, narrative: Narrative, proposal: Narrative | None) -> None:
            super().__init__()
            proposals = None if proposal is None else Proposals("proposal", (proposal,))
            around = Surroundings(narrative.id or "narrative", proposals=proposals)
            self._session = EditSession([narrative], surroundings=around)
            self._page = edit_page(self._session)
            self.on_msg(self._answer)

        @property
        def narrative(self) -> Narrative:
            """The narrative as it is now."""
            return self._session.narratives[0]

        def _answer(self, _: object, message: dict[str, Any], __: object) -> None:
            reply = answer(self._page, message)
            self._session.mark_saved()
            self.send(reply)

    return EditorWidget
