"""A model of one's own: a function, an async function with a client of its own, or a chat model of LangChain."""

# %% An async function: asked many at a time, recorded, cached and continued like any other
import asyncio

from langchain_core.language_models.fake_chat_models import FakeListChatModel

import tsgkit as tk


async def served(messages, schema=None):
    """Ask a server of yours; here nobody is asked."""
    await asyncio.sleep(0.001)
    return tk.Reply(text="Final answer: [cup]", model="mine-7b")


# %% Any chat model of LangChain is a model too
theirs = FakeListChatModel(responses=["Final answer: [kettle]"])

# %% Both on the same questions
run = tk.evaluate("sgqa", model={"mine": served, "theirs": theirs}, limit=20, out="runs/own-models")
run

# %% What each said
for sample in run.samples[:2]:
    print(sample.subject, sample.reply, sample.scores["strict"]["exact_match"])

# %% Item by item: who is better, and is it more than chance?
tk.compare(run, "sgqa")
