"""Browser modules, one by one or joined into one script; policies and data for pages that are one file.

>>> script = joined("dom.js")
>>> "export " in script, "import " in script
(False, False)
>>> inert_json({"name": "</script>"})
'{"name":"\\\\u003c/script\\\\u003e"}'

Joining removes ``import`` and ``export`` and puts every module behind those it needs. For this to be right, modules
import by name from files of this folder, without renaming, and no two of them have a top-level name in common.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|let|class|function|async function) )", re.MULTILINE)
STYLES = ("page.css", "panels/panels.css")
"""The stylesheets of the view of runs."""
TOP_LEVEL = re.compile(r"^(?:export )?(?:const|let|class|(?:async )?function\*?) (\w+)", re.MULTILINE)


@cache
def text_of(name: str) -> str:
    """Return the text of a module or stylesheet by its path in this folder."""
    return files("tsgkit.browser").joinpath(*name.split("/")).read_text(encoding="utf-8")


def needed_by(name: str) -> list[str]:
    """Return the modules that a module imports."""
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, other)) for _, other in IMPORT.findall(text_of(name))]


def in_order(name: str) -> list[str]:
    """Return a module after all that it needs. Raise ``ValueError`` if modules need each other in a circle."""
    return list(dict.fromkeys(_in_order(name, ())))


def _in_order(name: str, above: tuple[str, ...]) -> Iterator[str]:
    if name in above:
        raise ValueError(f"modules need each other: {' -> '.join((*above, name))}")
    for other in needed_by(name):
        yield from _in_order(other, (*above, name))
    yield name


@cache
def joined(name: str) -> str:
    """Return a module and all that it needs as one script. Raise ``ValueError`` if two of them share a name."""
    homes: dict[str, str] = {}
    for one in in_order(name):
        for top in TOP_LEVEL.findall(text_of(one)):
            if top in homes:
                raise ValueError(f"{homes[top]} and {one} both have a {top}")
            homes[top] = one
    return "\n".join(EXPORT.sub("", IMPORT.sub("", text_of(one))) for one in in_order(name))


def allowed(text: str) -> str:
    """Return the source by which a content security policy allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def inert_json(value: object) -> str:
    """Return JSON that cannot close the element around it, whatever its texts contain."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
