"""Location of the shipped folders ``tasks``, ``prompts`` and ``eval``, for every kind of installation.

In a wheel they are inside the package as ``tsgkit/_bundled``; in an editable install they are those of the checkout.
The result is a ``Traversable``, not a path, so that zip imports work too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ROOMS = ("tasks", "prompts", "eval")


def bundled(room: str) -> Traversable:
    """Return the shipped folder of this name."""
    from importlib.resources import files

    if room not in ROOMS:
        raise UsageError(f"there is no folder {room!r} in a project", hint=f"its folders: {', '.join(ROOMS)}")
    package = files("tsgkit")
    shipped = package / "_bundled" / room
    if shipped.is_dir():
        return shipped
    if isinstance(package, Path) and (package.parent / "pyproject.toml").is_file():
        checkout = package.parent / room
        if checkout.is_dir():
            return checkout
    raise UsageError(f"tsgkit was installed without its folder {room!r}", hint="install it from a released wheel")


def portable(file: str) -> str:
    """Return the path of a shipped file within what is shipped, the same on every machine; any other as it is."""
    path, root = Path(file), Path(str(bundled("tasks"))).parent
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file
