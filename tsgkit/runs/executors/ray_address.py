"""The address of a Ray cluster: whether one answers there, and whether it hears this program, which may need a token.

RAY_ADDRESS=10.0.0.1:6379 RAY_AUTH_MODE=token tsgkit eval --task sceneeval --scenes mine=rooms --executor ray
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import Any

from tsgkit.errors import UsageError

ADDRESS, AUTH = "RAY_ADDRESS", "RAY_AUTH_MODE"
PLACES = "into ~/.ray/auth_token, or into RAY_AUTH_TOKEN"
"""Where Ray looks for a token."""
CONNECTING = 5.0
"""Seconds to reach the head of a cluster."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""The beginning of HTTP/2, which the head of a cluster speaks: it answers with settings."""
SETTINGS, SETTINGS_HEAD = b"\x04", 9


def check_address(address: str) -> None:
    """Raise ``UsageError`` within seconds where no cluster answers, or none that takes this program's token."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"{ADDRESS}={address}: not HOST:PORT", hint=f"as in {ADDRESS}=10.0.0.1:6379")
    if reason := _silent(host.strip("[]"), int(port)):
        hint = "ray start --head starts one, and prints its address"
        raise UsageError(f"{ADDRESS}={address}: no cluster answers: {reason}", hint=hint)
    _check_token(address)


def _silent(host: str, port: int) -> str:
    """Return why no cluster answers, nothing if one does."""
    try:
        with socket.create_connection((host, port), timeout=CONNECTING) as connection:
            connection.sendall(GREETING)
            answer = connection.recv(SETTINGS_HEAD)
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__
    return "" if answer[3:4] == SETTINGS else "something else answers there"


def _check_token(address: str) -> None:
    from ray.exceptions import AuthenticationError

    gives = os.environ.get(AUTH) == "token"
    if gives and not _raylet().AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True):
        raise UsageError(f"{AUTH}=token: there is no token on this machine", hint=f"it belongs {PLACES}")
    with suppress(ConnectionError, RuntimeError, ValueError, TimeoutError):  # Ray says it when the cluster is joined
        try:
            _raylet().GcsClient(address=address)
        except AuthenticationError:
            wants = "wants another token than this machine's" if gives else "wants a token"
            hint = f"that of its head belongs {PLACES}" + ("" if gives else f"; {AUTH}=token gives it")
            raise UsageError(f"{ADDRESS}={address}: the cluster {wants}", hint=hint) from None


def prove_by(mode: str | None) -> None:
    """Put back how this program proves itself to clusters. While it wants tokens, it hears none that has no token."""
    if os.environ.get(AUTH) != mode:
        os.environ.pop(AUTH) if mode is None else os.environ.update({AUTH: mode})
        _raylet().Config.initialize("")  # Ray reads the environment again
        _raylet().AuthenticationTokenLoader.instance().reset_cache()


def _raylet() -> Any:  # noqa: ANN401
    from ray import _raylet

    return _raylet
