"""Replies kept across runs, so that nobody pays twice for the same question.

A reply is found again only by all that could change it: the endpoint, the whole request body, which draw of it is
wanted (votes, rounds and repeats are different draws), and the version of this scheme. Only complete replies are kept.
They lie in one SQLite file in the user's cache folder; no key is ever part of a request body.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Ending, Reply, reply_from, reply_value

VERSION = 1
FILE = "replies.sqlite"
MOST_PENDING = 200
WRITE_EVERY = 1.0
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def cache_home(environment: Mapping[str, str] | None = None) -> Path:
    """``TSGKIT_CACHE_HOME``, else ``tsgkit`` in the user's cache folder."""
    found = os.environ if environment is None else environment
    if own := found.get("TSGKIT_CACHE_HOME"):
        return Path(own)
    return Path(found.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tsgkit"


def cache_key(endpoint: str, body: Mapping[str, Any], draw: str) -> str:
    """The key of a reply: SHA-256 over everything that could change it."""
    return hashlib.sha256(canonical([VERSION, endpoint, body, draw]).encode()).hexdigest()


def canonical(value: object) -> str:
    """JSON with one spelling for equal values."""
    return _ENCODER.encode(value)


class ReplyCache:
    """The file of kept replies."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or cache_home()) / FILE
        self._pending: dict[str, str] = {}
        self._written = time.monotonic()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=10, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, at REAL, reply TEXT)")
        except (OSError, sqlite3.Error) as error:
            hint = "--no-cache goes without it; tsgkit cache clear begins a new one"
            raise UsageError(f"{self.path}: the reply cache cannot be opened: {error}", hint=hint) from None

    def find(self, key: str) -> Reply | None:
        """The reply kept under a key."""
        text = self._pending.get(key)
        if text is None:
            row = self._base.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            text = row[0]
        value = json.loads(text)
        return reply_from(value | {"source": "cache", "attempts": [], "seconds": 0.0})

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply, if it is complete."""
        if reply.ending is not Ending.COMPLETE or not (reply.text or "").strip():
            return
        self._pending[key] = json.dumps(reply_value(reply), ensure_ascii=True)
        if len(self._pending) >= MOST_PENDING or time.monotonic() - self._written >= WRITE_EVERY:
            self._write()

    def _write(self) -> None:
        """Write what waits, all at once: a run's own record is what survives everything, not this."""
        rows = [(key, time.time(), text) for key, text in self._pending.items()]
        self._base.execute("BEGIN IMMEDIATE")
        self._base.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
        self._base.execute("COMMIT")
        self._pending.clear()
        self._written = time.monotonic()

    def size(self) -> tuple[int, int]:
        """How many replies are kept, and the bytes they take."""
        self._write()
        (number,) = self._base.execute("SELECT count(*) FROM replies").fetchone()
        return number, self.path.stat().st_size

    def close(self) -> None:
        """Write what waits, and give the file back."""
        self._write()
        self._base.close()


def clear(folder: Path | None = None) -> bool:
    """Remove the file of kept replies, whatever state it is in; False where there was none."""
    path = (folder or cache_home()) / FILE
    there = path.exists()
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    return there
