"""Redaction of keys by value in everything that is written or shown.

>>> secrets = Secrets(["sk-abc12345", "short"])
>>> secrets.redact("invalid key sk-abc12345, or sk-abc%31")
'invalid key [redacted], or sk-abc%31'

Known values are those given as keys or headers, and those of environment variables with secret-sounding names. Values
shorter than eight characters are ignored, since they occur in ordinary words. A value is recognised as it is,
URL-encoded, and JSON-encoded; not if encoded otherwise or split.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus, urlsplit, urlunsplit

SECRET_NAMES = re.compile(
    r"(?:API|ACCESS|SECRET|AUTH|PRIVATE)_?KEY|(?:^|[_-])KEY$|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL", re.IGNORECASE
)
NOT_SECRET = re.compile(r"(?:PATH|FILE|DIR|URL|TOKENIZERS_PARALLELISM)$", re.IGNORECASE)
SHORTEST = 8
REDACTED = "[redacted]"


def secret_names(environment: Mapping[str, str]) -> list[str]:
    """Return the environment variables that are named like a key."""
    return [name for name in environment if SECRET_NAMES.search(name) and not NOT_SECRET.search(name)]


class Secrets:
    """Secret values and their replacement."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.add(*values)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] | None = None) -> Secrets:
        """Return the values of all environment variables named like a key."""
        environment = os.environ if environment is None else environment
        return cls(map(environment.__getitem__, secret_names(environment)))

    def add(self, *values: str) -> None:
        """Redact these values too, as they are and URL-encoded."""
        for value in (part.strip() for part in values):
            if len(value) >= SHORTEST:  # as it is, in addresses (as a whole, as a path, in a query) and in JSON
                quoted = {quote(value, safe="", errors="replace"), quote(value, errors="replace")}
                quoted.add(quote_plus(value, errors="replace"))
                lower = {re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), text) for text in quoted}
                in_json = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
                self._values |= {value, *quoted, *lower, *in_json}
        longest_first = sorted(self._values, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def redact(self, text: str) -> str:
        """Return the text without any of the values."""
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

    def redact_value(self, value: object) -> object:
        """Return a JSON value without any of the values in its strings."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact_value(name): self.redact_value(part) for name, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.redact_value(part) for part in value]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value if self.redact(str(value)) == str(value) else REDACTED  # a key may be all digits
        return value


def without_login(address: str) -> str:
    """Return an address without user name, password and query, which may hold keys.

    >>> without_login("https://me:pass@host:8000/v1?key=abc")
    'https://host:8000/v1'
    """
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
