"""Chat models of LangChain as models: their usage is read as far as they name it."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import run

from tsgkit.llm.prices import Price
from tsgkit.llm.user_models import UserModel

CODE = """
from langchain_core.messages import AIMessage

def ask(messages):
    used = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
    used["input_token_details"] = {"cache_read": 400, "cache_creation": 500}
    return AIMessage("[A]", usage_metadata=used)
"""


def test_cached_input_of_a_chat_model_is_counted_at_its_price(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    model = UserModel(f"python:{tmp_path}/mine.py:ask", Price(2e-6, 10e-6, cached=0.2e-6, written=2.5e-6))
    model.prepare()
    usage = run(model.send([{"role": "user", "content": "Which?"}], None, 10)).usage
    assert (usage.prompt, usage.completion, usage.cached, usage.written) == (1000, 100, 400, 500)
    assert usage.cost == pytest.approx(100 * 2e-6 + 400 * 0.2e-6 + 500 * 2.5e-6 + 100 * 10e-6)
