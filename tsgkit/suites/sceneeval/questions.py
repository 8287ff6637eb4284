"""How a model is asked about a room: in which words, and what of its answers can be used.

>>> words = Words()
>>> words.text("match", categories="- bed\\n- lamp").splitlines()[3]
'- bed'
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.pictures import Picture
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.judge import Answer, Reading, Unknown, problem_of
from tsgkit.suites.judges.messages import messages_of
from tsgkit.suites.request_forms import NEWEST
from tsgkit.suites.sceneeval.answers import Fault

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PROMPTS = "sceneeval/judge"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "role": (),
    "match": ("categories",),
    "attribute": ("count", "category", "attribute"),
    "support": (),
    "sides": ("objects",),
    "object-relations": ("relations",),
    "room-relations": ("relations", "floors"),
}
"""The texts there are, and the fields they must have."""
TRIES = 3
"""So often an answer is asked for until it can be used."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Words:
    """The texts, from a folder the caller names (laid out as ours), else the working project, else ours."""

    folder: Path | None = None
    form: int = NEWEST
    """The request form, which says on which side of the text pictures stand."""

    @classmethod
    def of(cls, folder: str | None, form: int = NEWEST) -> Words:
        """The texts; ``UsageError`` where the caller's folder has none, or one has other fields than it should."""
        words = cls(None if folder is None else Path(folder), form)
        words.check()
        return words

    def check(self) -> None:
        """Whether all texts are what they should be."""
        if self.folder is not None:
            places = (self.folder / PROMPTS, self.folder / "prompts" / PROMPTS)
            if not self.folder.is_dir():
                raise UsageError(f"{self.folder}: no such folder of prompts")
            if not any((place / f"{name}.txt").is_file() for place in places for name in FIELDS):
                raise UsageError(f"{self.folder}: has no prompts for this task", hint=f"they lie in {places[0]}/")
        _ = self.fingerprint

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Where each text comes from."""
        return {name: template.source for name, template in self._templates.items()}

    @cached_property
    def _templates(self) -> Mapping[str, Template]:
        folders = () if self.folder is None else (self.folder,)
        return {
            name: load_template(find("prompts", f"{PROMPTS}/{name}.txt", folders), required=fields)
            for name, fields in FIELDS.items()
        }

    @property
    def fingerprint(self) -> str:
        """A hash of them."""
        texts = "\0".join(self._templates[name].text for name in FIELDS)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]

    def text(self, name: str, **values: str) -> str:
        """One of them with its fields filled."""
        return self._templates[name].render(**values).rstrip("\n")

    def messages(self, text: str, *pieces: str | Picture) -> list[BaseMessage]:
        """The system's message and the user's: a text, and pictures with what stands between them."""
        return messages_of(text, images=pieces, role=self.text("role"), form=self.form)


def reader(read: Callable[[str], Found]) -> Callable[[Reply], Reading[Found | Fault]]:
    """Make a reader of texts one of replies: one that is not complete is not read, and any fault wants another."""

    def of(reply: Reply) -> Reading[Found | Fault]:
        found = read(reply.text or "") if reply.ending is Ending.COMPLETE else Fault(problem_of(reply))
        return Reading(found, next((one.reason for one in _faults(found)), ""))

    return of


def _faults(found: object) -> Iterator[Fault]:
    parts = found.values() if isinstance(found, dict) else (found,)
    return (one for one in parts if isinstance(one, Fault))


def known(answer: Answer[Any]) -> Any:  # noqa: ANN401  (what was read, with every fault made unknown)
    """What could be read of an answer; what could not be used of it, or at all, is unknown, with the reason."""
    if answer.value is None and answer.unknown is not None:
        return answer.unknown
    return _known(answer.value, answer.said[-1].label, answer.outcome)


def _known(found: Any, label: str, outcome: Outcome) -> Any:  # noqa: ANN401  (as above)
    if isinstance(found, Fault):
        return Unknown(found.reason, label, outcome)
    if isinstance(found, dict):
        return {name: _known(one, label, outcome) for name, one in found.items()}
    return found
