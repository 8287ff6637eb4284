"""Addresses of services: none with a user and a password in it, since an address is shown, recorded and logged.

>>> refuse_login("http://127.0.0.1:8000/v1", "api_base")
>>> refuse_login("http://me:word@127.0.0.1:8000/v1", "api_base")
Traceback (most recent call last):
tsgkit.errors.UsageError: api_base: an address with a user or a password in it
"""

from __future__ import annotations

from urllib.parse import urlsplit

from tsgkit.errors import UsageError


def refuse_login(address: object, what: str, hint: str = "leave it out of the address") -> None:
    """Raise ``UsageError``, which does not show it, where an address has a user or a password in it."""
    try:
        parts = urlsplit(str(address))
    except ValueError:
        return  # whoever uses it says that it is none
    if "@" in parts.netloc:
        raise UsageError(f"{what}: an address with a user or a password in it", hint=hint)
