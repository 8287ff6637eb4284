"""The user's folders outside any project lie where the user says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.user_folders import cache_home, data_home


def test_the_home_of_the_cache_can_be_chosen() -> None:
    assert cache_home({"TSGKIT_CACHE_HOME": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert cache_home({"XDG_CACHE_HOME": "/b"}) == Path("/b/tsgkit")
    assert cache_home({}) == Path.home() / ".cache" / "tsgkit"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"TSGKIT_DATA_HOME": "/own", "XDG_DATA_HOME": "/xdg"}, "/own"),
        ({"TSGKIT_DATA_HOME": "~/own"}, "/me/own"),
        ({"XDG_DATA_HOME": "/xdg"}, "/xdg/tsgkit/data"),
        ({"XDG_DATA_HOME": "relative"}, "/me/.local/share/tsgkit/data"),
        ({"XDG_DATA_HOME": "", "TSGKIT_DATA_HOME": ""}, "/me/.local/share/tsgkit/data"),
        ({}, "/me/.local/share/tsgkit/data"),
    ],
)
def test_the_data_home_is_where_the_user_says(
    variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TSGKIT_DATA_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"HOME": "/me"} | variables).items():
        monkeypatch.setenv(name, value)
    assert str(data_home()) == expected
