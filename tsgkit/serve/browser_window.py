"""A served page in this machine's browser: a window where there is a screen, and the server until Ctrl-C."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tsgkit.serve.local_server import LocalServer


def serve_in_window(
    server: LocalServer, listening: socket.socket, address: str, *, opens: bool, say: Callable[[str], None]
) -> None:
    """Answer the browser until Ctrl-C, or until the server is ended. The address is printed by the caller."""
    say("Ctrl-C ends the server")
    if opens and has_screen():
        import webbrowser

        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        server.serve(listening)


def has_screen() -> bool:
    """Return whether a browser can show a window here, and would not take this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
