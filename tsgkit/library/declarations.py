"""Declarations: YAML that is read as plain data, strictly, wherever a project declares something.

>>> loaded("title: a task\\nversion: 1", "card.yaml")
{'title': 'a task', 'version': 1}
>>> loaded("title: a\\ntitle: b", "card.yaml")
Traceback (most recent call last):
tsgkit.errors.UsageError: card.yaml: line 2: the field title stands here twice
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    import yaml

LONGEST = 100_000
"""A declaration of more characters is none: it is a page of settings."""


def loaded(text: str, source: str) -> object:
    """The value of a YAML text, read as plain data."""
    import yaml

    if len(text) > LONGEST:
        raise UsageError(f"{source}: {len(text):,} characters, and a declaration has at most {LONGEST:,}")
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


@cache
def _plain_loader() -> type[yaml.SafeLoader]:
    """YAML's safe loader without aliases (a few of them stand for gigabytes) and without repeated fields."""
    import yaml

    class PlainLoader(yaml.SafeLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="an alias (*name); write the value out", problem_mark=mark)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
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
            return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)

    for kind in ("int", "float"):
        PlainLoader.add_constructor(f"tag:yaml.org,2002:{kind}", PlainLoader.construct_number)
    return PlainLoader


def kind_of(value: object) -> str:
    """What a value is, for a message."""
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "one value"
