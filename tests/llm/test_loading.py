"""LiteLLM takes seconds to load: nothing loads it before a model is asked by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from doors import asked, carried, carrying, closing, run, service_door

import tsgkit
from tsgkit.llm.cache import ReplyCache

ROOT = Path(tsgkit.__file__).parents[1]


def test_litellm_is_loaded_neither_by_modules_nor_by_prices_nor_by_a_call_in_the_cache(tmp_path: Path) -> None:
    door = service_door("http://127.0.0.1:9/v1", cache=ReplyCache(tmp_path), client="direct")
    with carrying(carried()):
        run(closing(door, asked(door)))
    assert door.cache is not None
    door.cache.close()
    names = sorted(path.stem for path in (ROOT / "tsgkit" / "llm").glob("*.py") if path.stem != "__init__")
    code = f"""
import sys
from pathlib import Path
import {", ".join("tsgkit.llm." + name for name in names)}
print(tsgkit.llm.prices.price_of("openai/gpt-4o") is None, "litellm" in sys.modules)
sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r})
from doors import asked, service_door, run
from tsgkit.llm.cache import ReplyCache
door = service_door("http://127.0.0.1:9/v1", cache=ReplyCache(Path("{tmp_path}")))
print(run(asked(door)).text, "litellm" in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "False False\n[A] False\n"
