"""The user's folders outside any project lie where the user says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.user_folders import cache_home, data_home


def test_homes_of_cache_and_data_lie_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_home({"TSGKIT_CACHE_HOME": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert cache_home({"XDG_CACHE_HOME": "/b"}) == Path("/b/tsgkit")
    assert cache_home({}) == Path.home() / ".cache" / "tsgkit"
    monkeypatch.setenv("HOME", "/me")
    for own, shared, expected in (
        ("/own", "/xdg", "/own"),
        ("~/own", "", "/me/own"),
        ("", "/xdg", "/xdg/tsgkit/data"),
        ("", "relative", "/me/.local/share/tsgkit/data"),
        ("", "", "/me/.local/share/tsgkit/data"),
    ):
        monkeypatch.setenv("TSGKIT_DATA_HOME", own)
        monkeypatch.setenv("XDG_DATA_HOME", shared)
        assert str(data_home()) == expected, (own, shared)
