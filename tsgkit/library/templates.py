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
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from tsgkit.errors import UsageError
from tsgkit.lexicon import nearest
from tsgkit.library.projects import text_of

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
        known = sorted({*required, *optional})
        fields = set[str]()
        for token in TOKEN.finditer(text):
            written, name = token.group(), token["name"]
            if written in ("{{", "}}"):
                continue
            where = f"{source}: line {text.count(chr(10), 0, token.start()) + 1}"
            if name is None:
                hint = "where a brace is meant as a brace, write it twice: {{ or }}"
                raise UsageError(f"{where}: a brace {written} without its partner", hint=hint)
            if not NAME.fullmatch(name):
                hint = "a field reads {name}; where braces are meant as braces, write {{ and }}"
                raise UsageError(f"{where}: {written}: only a plain name may stand in braces", hint=hint)
            if name not in known:
                near = nearest(name, known, limit=1)
                hint = f"{{{near[0].name}}}?" if near else f"its fields: {_listed(known)}"
                hint = hint if known else "this text has no fields; where braces are meant as braces, write {{ and }}"
                raise UsageError(f"{where}: there is no field {written} here", hint=hint)
            fields.add(name)
        if missing := [name for name in required if name not in fields]:
            lacks = ", ".join(f"{{{name}}}" for name in missing)
            raise UsageError(f"{source}: the text lacks {lacks}", hint=f"it must hold {_listed(required)}")
        return cls(text, frozenset(fields), source)

    def render(self, **values: str) -> str:
        """Return the text with its fields filled; values it has no field for are left out."""
        for name in self.fields:
            if not isinstance(values.get(name), str):
                raise UsageError(f"{self.source}: no text was given for {{{name}}}")
        from langchain_core.utils.formatting import formatter

        return formatter.vformat(self.text, (), values)


def load_template(file: Traversable, *, required: Collection[str] = (), optional: Collection[str] = ()) -> Template:
    """Return the template of a file of a project."""
    return Template.of(text_of(file), required=required, optional=optional, source=str(file))


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
