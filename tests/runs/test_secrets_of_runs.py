"""A key stands in no file and on no screen, however it was given and whoever says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import model_server
from prefork import Prefork
from run_files import everything

KEY = "sk-secret-0123456789abcdef"


@pytest.mark.parametrize(("given", "fault"), [("api_key", "500"), ("environment", ""), ("header", "401")])
def test_the_key_is_nowhere(commands: Prefork, tmp_path: Path, given: str, fault: str) -> None:
    env = {"TSGKIT_CACHE_HOME": str(tmp_path / "cache")}
    more: tuple[str, ...] = ()
    if given == "environment":
        env["OPENAI_API_KEY"] = KEY
    else:
        name = "api_key" if given == "api_key" else "extra_headers.Authorization"
        more = ("--model-arg", f"{name}={KEY if given == 'api_key' else f'Bearer {KEY}'}")
    with model_server(echo_key=True, always={"": fault} if fault else {}) as server:
        ended = commands.run(
            *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={server.base}"),
            *("--limit", "2", "--samples", "--max-requests", "2", *more),
            cwd=tmp_path,
            env=env,
        )
    assert ended.code == ({"": 0, "500": 4}.get(fault, 1)), ended.err
    found = everything(tmp_path / "runs", tmp_path / "cache") + (ended.out + ended.err).encode()
    assert KEY.encode() not in found
    assert b"[redacted]" in found, "the server did say it"
