"""Prompt templates: text with declared fields, ``{name}``, whose values are inserted literally.

>>> template = Template.of("How does {first} differ\\nfrom {{{second}}}?", required=("first", "second"))
>>> print(template.render(first="{second}", second="tea"))
How does {second} differ
from {tea}?
>>> Template.of("one\\ntwo {cup.size}", required=("cup",), source="cups.txt")
Traceback (most recent call last):
tsgkit.errors.UsageError: cups.txt: line 2: {cup.size}: only a plain name may stand in braces

Literal braces are doubled. Nothing else is special: no attributes, indices, conversions or format codes, and inserted
values are never interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.library.projects import text_of

if TYPE_CHECKING:
    from string import Formatter

TOKEN = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}\n]*)\}|[{}]")
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Template:
    """A text that was checked against its required and allowed fields; ``source`` names it in messages."""

    text: str
    fields: frozenset[str]
    source: str = "template"

    @classmethod
    def of(
        cls, text: str, *, required: Collection[str] = (), optional: Collection[str] = (), source: str = "template"
    ) -> Template:
        """Return the template of a text. Raise ``UsageError`` with the line if a field is missing or unknown."""
        known = {*required, *optional}
        fields = {}
        for name, line in _fields(text, source):
            if name not in known:
                raise UsageError(f"{source}: line {line}: there is no field {{{name}}} here", hint=_known(name, known))
            fields[name] = line
        if missing := [name for name in required if name not in fields]:
            lacks = ", ".join(f"{{{name}}}" for name in missing)
            raise UsageError(f"{source}: the text lacks {lacks}", hint=f"it must hold {_listed(required)}")
        return cls(text, frozenset(fields), source)

    def render(self, **values: str) -> str:
        """Return the text with its fields filled; values it has no field for are left out."""
        for name in self.fields:
            if not isinstance(values.get(name), str):
                raise UsageError(f"{self.source}: no text was given for {{{name}}}")
        return _formatter().vformat(self.text, (), values)


def load_template(found: Traversable, *, required: Collection[str] = (), optional: Collection[str] = ()) -> Template:
    """Return the template of a file that was found in a project."""
    return Template.of(text_of(found), required=required, optional=optional, source=str(found))


@cache
def _formatter() -> Formatter:
    from langchain_core.utils.formatting import formatter

    return formatter


def _fields(text: str, source: str) -> Iterator[tuple[str, int]]:
    """Yield every field of a text with its line."""
    for token in TOKEN.finditer(text):
        if token.group() in ("{{", "}}"):
            continue
        line = text.count("\n", 0, token.start()) + 1
        name = token["name"]
        if name is None:
            raise UsageError(
                f"{source}: line {line}: a brace {token.group()} without its partner",
                hint="where a brace is meant as a brace, write it twice: {{ or }}",
            )
        if not NAME.fullmatch(name):
            raise UsageError(
                f"{source}: line {line}: {token.group()}: only a plain name may stand in braces",
                hint="a field reads {name}; where braces are meant as braces, write {{ and }}",
            )
        yield name, line


def _known(name: str, known: Collection[str]) -> str:
    from tsgkit.lexicon import nearest

    if not known:
        return "this text has no fields; where braces are meant as braces, write {{ and }}"
    near = nearest(name, sorted(known), limit=1)
    return f"{{{near[0].name}}}?" if near else f"its fields: {_listed(sorted(known))}"


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
