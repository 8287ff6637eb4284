"""The user's folders outside any project lie where the user says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.user_folders import cache_home, data_home


def test_the_home_of_the_cache_can_be_chosen() -> None:
    assert cache_home({"TSGKIT_CACHE_HOME": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert cache_home({"XDG_CACHE_HOME": "/b"}) == Path("/b/tsgkit")
    assert cache_home({}) == Path.home() / ".cache" / "tsgkit"


def test_the_data_home_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/me")
    for own, shared, expected in [
        ("/own", "/xdg", "/own"),
        ("~/own", None, "/me/own"),
        (None, "/xdg", "/xdg/tsgkit/data"),
        (None, "relative", "/me/.local/share/tsgkit/data"),
        ("", "", "/me/.local/share/tsgkit/data"),
        (None, None, "/me/.local/share/tsgkit/data"),
    ]:
        for name, value in (("TSGKIT_DATA_HOME", own), ("XDG_DATA_HOME", shared)):
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)
        assert str(data_home()) == expected, (own, shared)
