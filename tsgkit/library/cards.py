"""Task cards: YAML declarations such as ``tasks/tsg/ma-sgg.yaml``.

>>> card = load_card("tsg/ma-sgg")
>>> card.task, card.temperature, card.metrics["f1"].better
('tsg/ma-sgg', 0.1, 'more')

A card names its task's code by a registry key (``task``), never by a path into Python; the suite checks that key and
the metrics.

YAML is loaded strictly, as plain data:

>>> loaded("title: a task\\nversion: 1", "card.yaml")
{'title': 'a task', 'version': 1}
>>> loaded("title: a\\ntitle: b", "card.yaml")
Traceback (most recent call last):
tsgkit.errors.UsageError: card.yaml: line 2: the field title stands here twice
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tsgkit.errors import UsageError
from tsgkit.library.projects import find, search_path, text_of

if TYPE_CHECKING:
    import yaml

LONGEST = 100_000
"""A declaration of more characters is none: it is a page of settings."""
DEEPEST = 50
"""Declarations that are nested more deeply are left to the slower parser, which knows its limit."""


def loaded(text: str, source: str) -> object:
    """Return the value of a YAML text, read as plain data."""
    import yaml

    if len(text) > LONGEST:
        raise UsageError(f"{source}: {len(text):,} characters, and a declaration has at most {LONGEST:,}")
    with suppress(Exception):  # the parser in C is seven times as fast; the other one says what is wrong
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST or isinstance(event, yaml.AliasEvent):
                raise ValueError("an alias, or nested deeply")
        return yaml.load(text, Loader=_strict(yaml.CSafeLoader))  # noqa: S506  (a safe loader that is stricter still)
    try:
        return yaml.load(text, Loader=_strict(yaml.SafeLoader))  # noqa: S506  (as above)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise UsageError(f"{source}: {line}{error.problem or error.context or 'broken YAML'}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{source}: not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise UsageError(f"{source}: nested too deeply") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # a date that is none, a number of thousands of digits, a tag that its value does not fit
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"{source}: a value that YAML cannot read: {reason}", hint="put it in quotes") from None


def declared(value: Mapping[str, Any]) -> str:
    """Return fields and values as the text of a declaration.

    >>> declared({"title": "a task", "tasks": ["tsg/sgqa"]})
    'title: a task\\ntasks:\\n- tsg/sgqa\\n'
    """
    import yaml

    return str(yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True))


@cache
def _strict(loader: Any) -> Any:  # noqa: ANN401  (a class of PyYAML)
    """Return a safe loader that takes no field twice, no number in base 60, and no alias, which can expand to
    gigabytes."""
    import yaml

    class Strict(loader):  # type: ignore[misc]
        def compose_node(self, parent: yaml.Node | None, index: int) -> Any:  # noqa: ANN401
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.MarkedYAMLError(problem="an alias (*name); write the value out", problem_mark=mark)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:  # noqa: ANN401
            keys: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in keys:
                    problem = f"the field {key.value} stands here twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                keys.add(str(key.value))
            return super().construct_mapping(node, deep)

        def construct_number(self, node: yaml.ScalarNode) -> Any:  # noqa: ANN401
            if ":" in node.value:
                problem = f"{node.value} is a number in base 60; put it in quotes, or write the number out"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
            is_whole = node.tag.endswith(":int")
            return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)

    for kind in ("int", "float"):
        Strict.add_constructor(f"tag:yaml.org,2002:{kind}", Strict.construct_number)
    return Strict


def problem_of(
    error: ValidationError, source: str, noun: str, fields: Sequence[str], *, whole: Sequence[str] = ()
) -> UsageError:
    """Return the error of a declaration: unknown fields first, then missing ones, then values.

    ``noun`` names a field in messages, ``fields`` are the allowed ones. Problems inside a field in ``whole`` are
    reported without their place.
    """
    from tsgkit.lexicon import nearest

    errors = error.errors(include_url=False, include_input=False)
    unknown = [".".join(map(str, problem["loc"])) for problem in errors if problem["type"] == "extra_forbidden"]
    missing = [".".join(map(str, problem["loc"])) for problem in errors if problem["type"] == "missing"]
    others = [problem for problem in errors if problem["type"] not in ("extra_forbidden", "missing")]
    problems = [f"there is no {noun} {', '.join(unknown)}"] if unknown else []
    problems += [f"missing: {', '.join(missing)}"] if missing else []
    if others and not problems:
        loc = others[0]["loc"]
        location = ".".join(str(part) for part in (loc[:1] if loc and loc[0] in whole else loc) if part != "[key]")
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        reason = others[0]["msg"].removeprefix("Value error, ")
        problems = [f"{location}{': ' if location else ''}{reason}{more}"]
    near = [match[0].name for name in unknown if (match := nearest(name, fields, limit=1))]
    hint = f"{', '.join(near)}?" if near else f"the {noun}s: {', '.join(fields)}" if unknown else ""
    return UsageError(f"{source}: {'; '.join(problems)}", hint=hint)


def kind_of(value: object) -> str:
    """Return what a value is, for a message."""
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "one value"


ENDING = ".yaml"
KEPT = ("name", "source", "sha256")
"""Fields that loading sets; a card's file may not contain them."""


def _inside(path: str) -> str:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
        raise ValueError("a path inside its room, with forward slashes, as in tsg/data/ma-sgg.jsonl")
    return path


Text = Annotated[str, Field(min_length=1)]
Inside = Annotated[Text, AfterValidator(_inside)]


class Declaration(BaseModel):
    """Fields and values of a file in YAML, taken as they are written."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CardMetric(Declaration):
    """The pooling of a metric, its better direction, and whether it is a headline."""

    pooling: Literal["pooled", "per-item"]
    better: Literal["more", "less"]
    headline: bool


class Card(Declaration):
    """A task card: what is asked, with which data and prompts, and what is measured.

    ``data`` and ``examples`` are paths below ``tasks`` (or the name of an installed dataset), ``prompts`` a folder
    below ``prompts``. ``subject`` and ``judge`` are defaults. A card that is ``on_request`` is run only when it is
    named itself.
    """

    title: Text
    citation: Text
    task: Annotated[str, Field(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)+$")]
    version: Annotated[int, Field(ge=1)]
    data: Inside
    prompts: Inside = ""
    """The folder of prompts; empty if no model is asked."""
    examples: Inside | None = None
    subject: Text | None = None
    scenes: dict[str, Inside] | None = None
    """Named folders of scenes below ``tasks`` that are judged if no subject is given."""
    judge: Text | None = None
    on_request: bool = False
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.1
    longest_answer: Annotated[int, Field(ge=1)] | None = None
    """The tokens of the longest sensible answer without words around it; a third of its characters is on the safe
    side.
    """
    metrics: Annotated[dict[str, CardMetric], Field(min_length=1)]

    name: str
    source: str
    sha256: str


_GIVEN: dict[str, Card] = {}
"""Cards of tasks defined in a program, which have no file."""


def give_card(card: Card) -> None:
    """Register a card under its name. It replaces an earlier registered card, but never one from a file."""
    if card.name not in _GIVEN and card.name in card_names():
        raise UsageError(f"there is a task {card.name} already", hint="give yours another name")
    _GIVEN[card.name] = card


def load_card(name: str, folders: Sequence[Path] = (), start: Path | None = None) -> Card:
    """Return the card of a name (``tsg/ma-sgg``), looked up in the caller's folders, the working project, the shipped
    one.
    """
    name = name.removesuffix(ENDING)
    if name in _GIVEN:
        return _GIVEN[name]
    try:
        card = find("tasks", name + ENDING, folders, start)
    except UsageError as error:
        names = card_names(folders, start)
        if ours := [card_name for card_name in names if card_name.startswith(f"{name}/")]:
            raise UsageError(f"{name} is a suite; one task is wanted", hint=f"its tasks: {', '.join(ours)}") from None
        from tsgkit.lexicon import nearest

        near = nearest(name, names, limit=1)
        hint = f"{near[0].name}?" if near else f"the tasks: {', '.join(names)}" if names else error.hint
        raise UsageError(f"there is no task {name}", hint=hint) from None
    return card_from(text_of(card), name, str(card))


def card_names(folders: Sequence[Path] = (), start: Path | None = None) -> tuple[str, ...]:
    """Return the names of all cards on the search path, sorted."""
    names = set(_GIVEN)
    for suite in (suite for room in search_path("tasks", folders, start) for suite in room.iterdir()):
        for file in suite.iterdir() if suite.is_dir() else ():
            with suppress(OSError):
                if file.name.endswith(ENDING):  # other declarations are in the same folders
                    lines = file.read_bytes().decode("utf-8", "replace").splitlines()
                    if any(line.startswith("task:") for line in lines):
                        names.add(f"{suite.name}/{file.name.removesuffix(ENDING)}")
    return tuple(sorted(names))


@lru_cache(maxsize=256)
def card_from(text: str, name: str, source: str) -> Card:
    """Return the card that a text declares, read once; ``UsageError`` names the file and the field that is wrong."""
    value = loaded(text, source)
    if not isinstance(value, dict):
        raise UsageError(f"{source}: a card is fields and values, not {kind_of(value)}")
    if kept := [field for field in KEPT if field in value]:
        raise UsageError(
            f"{source}: {kept[0]}: tsgkit sets this field, so a card must not have it", hint="leave the field out"
        )
    if odd := [field for field in value if not isinstance(field, str)]:
        raise UsageError(f"{source}: {odd[0]}: the name of a field is a text", hint="put it in quotes")
    sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()
    try:
        return Card.model_validate({**value, "name": name, "source": source, "sha256": sha256})
    except ValidationError as error:
        nested = any(len(problem["loc"]) > 1 for problem in error.errors() if problem["type"] == "extra_forbidden")
        fields = CardMetric.model_fields if nested else [name for name in Card.model_fields if name not in KEPT]
        raise problem_of(error, source, "field", tuple(fields)) from None
