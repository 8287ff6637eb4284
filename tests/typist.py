"""Somebody who writes graphs in the editor by keyboard alone, with as few keys as its completion allows.

The keys are counted as they are pressed; keys that are pressed together count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tsgkit.graph.model import Description

STATE = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot) active = active.shadowRoot.activeElement;
  const row = active?.closest("tr.triplet-line");
  if (!row) return null;
  const fields = [...row.querySelectorAll("input[role=combobox]")];
  const chosen = active.closest(".combo").querySelector("[role=option][aria-selected=true] bdi");
  return { field: fields.indexOf(active), values: fields.map((one) => one.value), chosen: chosen?.textContent ?? null };
}"""
"""The row with the focus: the field, the values, and the name that Enter would take."""


@dataclass
class Typist:
    """Writes into the editor of a page; the focus is in the first field of an empty graph."""

    page: Page
    keys: list[str] = field(default_factory=list)

    def press(self, key: str) -> None:
        self.keys.append(key)
        self.page.keyboard.press(key)

    def story(self, descriptions: Sequence[Description]) -> None:
        for number, description in enumerate(descriptions):
            if number:
                self.press("Control+Shift+Enter")
            self.graphs(description.graphs)
        self.press("Enter")

    def graphs(self, graphs: Iterable[Iterable[Sequence[str]]]) -> None:
        """Write graphs one after the other; the last name of each is left for the next command to take."""
        for number, graph in enumerate(graphs):
            if number:
                self.press("Control+Enter")
            triplets = list(graph)
            for place, triplet in enumerate(triplets):
                if place:
                    self.press("Enter")
                self.triplet(triplet, is_last=place == len(triplets) - 1)

    def triplet(self, names: Sequence[str], *, is_last: bool) -> None:
        """Write the fields of a row that do not have their name yet; the caret ends in the target."""
        state = self._state()
        wrong = [place for place in range(3) if state["values"][place] != names[place]]
        while wrong and state["field"] > wrong[0]:
            self.press("Shift+Tab")
            state = self._state()
        while True:
            is_written = state["values"][state["field"]] == names[state["field"]]
            if not is_written:
                self.name(names[state["field"]], least=int(is_last and state["field"] == 2))
            if state["field"] == 2:
                return
            self.press("Tab" if is_written else "Enter")
            state = self._state()

    def name(self, name: str, least: int) -> None:
        """Type until the completion offers the name, but so many letters at least: commands take no name unasked."""
        for typed, letter in enumerate(name):
            if self._state()["chosen"] == name and typed >= least:
                return
            self.press(letter)
        while self._state()["chosen"] != name:
            self.press("ArrowDown")

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] | None = self.page.evaluate(STATE)
        assert state is not None, "no field of a triplet has the focus"
        return state
