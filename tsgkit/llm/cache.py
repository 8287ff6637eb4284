"""Cache of replies across runs, so that equal requests are not paid for twice.

Replies are kept under the :func:`~tsgkit.llm.door.cache_key` of their request; only complete ones are. The cache is one
SQLite file in the user's cache folder, readable by the user only; no secret is part of a request body.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Ending, Reply, reply_from, reply_value
from tsgkit.user_folders import cache_home

WAIT = 10.0
FILE = "replies.sqlite"
MOST_PENDING = 200
VIEWED_FOR = 0.1
"""Seconds for which a view of the file is reused; writes of other processes are not seen meanwhile."""
WRITE_EVERY = 1.0
HINT = "--no-cache goes without it; tsgkit cache clear begins a new one"


class ReplyCache:
    """The file of cached replies."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or cache_home()) / FILE
        self._pending: dict[str, str] = {}
        self._written = -WRITE_EVERY
        self._viewed = 0.0
        self.trouble = ""
        """The reason why replies can no longer be kept; empty as long as they can."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
            until = time.monotonic() + WAIT
            while True:  # SQLite itself has no patience with two processes that begin to write ahead together
                try:
                    self._base.execute("PRAGMA journal_mode=WAL")
                    break
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > until:
                        raise
                    time.sleep(0.02)
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, at REAL, reply TEXT)")
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{self.path}: the reply cache cannot be opened: {error}", hint=HINT) from None

    def find(self, key: str) -> Reply | None:
        """Return the reply kept under a key."""
        try:
            text = self._pending.get(key)
            if text is None:
                now = time.monotonic()
                if not self._base.in_transaction or now - self._viewed >= VIEWED_FOR:
                    self._base.commit()
                    self._base.execute("BEGIN")  # a view of the file, which costs much more than a look-up
                    self._viewed = now
                row = self._base.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
                if row is None:
                    return None
                text = row[0]
            return reply_from(json.loads(text) | {"source": "cache", "attempts": [], "seconds": 0.0})
        except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
            raise UsageError(f"{self.path}: the reply cache cannot be read: {error}", hint=HINT) from None

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply, if it is complete; a full disk costs no reply that was paid for, and ends up in ``trouble``."""
        if reply.ending is not Ending.COMPLETE or not (reply.text or "").strip() or self.trouble:
            return
        self._pending[key] = json.dumps(reply_value(reply), ensure_ascii=True)
        if len(self._pending) >= MOST_PENDING or time.monotonic() - self._written >= WRITE_EVERY:
            self._write()

    def _write(self) -> None:
        """Write all queued replies at once. They may be lost in a crash; the run's own record is not."""
        if not self._pending or self.trouble:
            return
        rows = [(key, time.time(), text) for key, text in self._pending.items()]
        try:
            self._base.commit()  # ends the view of the file
            with self._base:
                self._base.execute("BEGIN IMMEDIATE")
                self._base.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self.trouble = f"{self.path}: replies are not kept any more: {error}"
        self._pending.clear()
        self._written = time.monotonic()

    def size(self) -> tuple[int, int]:
        """Return how many replies are kept, and the bytes they take."""
        self._write()
        self._base.commit()
        (number,) = self._base.execute("SELECT count(*) FROM replies").fetchone()
        return number, self.path.stat().st_size

    def close(self) -> None:
        """Write queued replies and close the file."""
        self._write()
        self._base.close()


def clear(folder: Path | None = None) -> bool:
    """Remove the file of kept replies, whatever state it is in; False where there was none."""
    path = (folder or cache_home()) / FILE
    is_file = path.exists()
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    return is_file
