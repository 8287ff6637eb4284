"""Users of what belongs to one event loop, such as open connections: the last one to leave closes it.

Concurrent evaluations in one process therefore do not close each other's connections.
"""

from __future__ import annotations

import asyncio
import threading
from weakref import WeakKeyDictionary, WeakValueDictionary


class LoopUsers:
    """The users of each event loop of the process; an object that is no more has left."""

    def __init__(self) -> None:
        self._users: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, object]]
        self._users = WeakKeyDictionary()
        self.guard = threading.Lock()

    def join(self, user: object) -> None:
        """Count an object as a user in the running loop, until it leaves or is no more."""
        with self.guard:
            self._users.setdefault(asyncio.get_running_loop(), WeakValueDictionary())[id(user)] = user

    def leave(self, user: object) -> bool:
        """Return whether this was the last user in the running loop. Hold the guard, to close before another joins."""
        users = self._users.get(asyncio.get_running_loop())
        return users is not None and users.pop(id(user), None) is not None and not users

    @property
    def any_left(self) -> bool:
        """True if any loop still has users."""
        return any(self._users.values())
