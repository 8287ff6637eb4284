"""Strict loading of YAML declarations as plain data.

>>> loaded("title: a task\\nversion: 1", "card.yaml")
{'title': 'a task', 'version': 1}
>>> loaded("title: a\\ntitle: b", "card.yaml")
Traceback (most recent call last):
tsgkit.errors.UsageError: card.yaml: line 2: the field title stands here twice
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import yaml
    from pydantic import ValidationError

LONGEST = 100_000
"""A declaration of more characters is none: it is a page of settings."""
DEEPEST = 50
"""Declarations that are nested more deeply are left to the slower parser, which knows its limit."""


def loaded(text: str, source: str) -> object:
    """Return the value of a YAML text, read as plain data."""
    import yaml

    if len(text) > LONGEST:
        raise UsageError(f"{source}: {len(text):,} characters, and a declaration has at most {LONGEST:,}")
    with suppress(Exception):  # the slower parser says what is wrong
        return _quickly(text)
    try:
        return yaml.load(text, Loader=_plain_loader())  # noqa: S506  a SafeLoader that is stricter still
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


def _quickly(text: str) -> object:
    """Return the same value by the parser in C, seven times as fast; any exception where it is not sure of it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST or isinstance(event, yaml.AliasEvent):
            raise ValueError("an alias, or nested deeply")
    return yaml.load(text, Loader=_strict(yaml.CSafeLoader))  # noqa: S506  (as above)


def declared(value: Mapping[str, Any]) -> str:
    """Return fields and values as the text of a declaration.

    >>> declared({"title": "a task", "tasks": ["tsg/sgqa"]})
    'title: a task\\ntasks:\\n- tsg/sgqa\\n'
    """
    import yaml

    return str(yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True))


@cache
def _plain_loader() -> type[yaml.SafeLoader]:
    """Return YAML's safe loader without aliases, which can expand to gigabytes, and without repeated fields."""
    import yaml

    class PlainLoader(_strict(yaml.SafeLoader)):  # type: ignore[misc]
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.MarkedYAMLError(problem="an alias (*name); write the value out", problem_mark=mark)
            found: yaml.Node | None = super().compose_node(parent, index)
            return found

    return PlainLoader


@cache
def _strict(loader: Any) -> Any:  # noqa: ANN401  (a class of PyYAML)
    """Return a safe loader that takes no field twice, and no number in base 60."""
    import yaml

    class Strict(loader):  # type: ignore[misc]
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:  # noqa: ANN401
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"the field {key.value} stands here twice",
                                               problem_mark=key.start_mark)  # fmt: skip
                seen.add(str(key.value))
            return super().construct_mapping(node, deep)

        def construct_number(self, node: yaml.ScalarNode) -> int | float:
            if ":" in node.value:
                problem = f"{node.value} is a number in base 60; put it in quotes, or write the number out"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
            is_whole = node.tag.endswith(":int")
            number: int | float = self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
            return number

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
    unknown = [".".join(map(str, one["loc"])) for one in errors if one["type"] == "extra_forbidden"]
    missing = [".".join(map(str, one["loc"])) for one in errors if one["type"] == "missing"]
    others = [one for one in errors if one["type"] not in ("extra_forbidden", "missing")]
    said = [f"there is no {noun} {', '.join(unknown)}"] if unknown else []
    said += [f"missing: {', '.join(missing)}"] if missing else []
    if others and not said:
        loc = others[0]["loc"]
        place = ".".join(str(part) for part in (loc[:1] if loc and loc[0] in whole else loc) if part != "[key]")
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        said = [f"{place}{': ' if place else ''}{others[0]['msg']}{more}"]
    near = [found[0].name for name in unknown if (found := nearest(name, fields, limit=1))]
    hint = f"{', '.join(near)}?" if near else f"the {noun}s: {', '.join(fields)}" if unknown else ""
    return UsageError(f"{source}: {'; '.join(said)}", hint=hint)


def kind_of(value: object) -> str:
    """Return what a value is, for a message."""
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "one value"
