"""A task of one's own in a few lines, with a metric, a style and a solver of one's own."""

# %% Rows, a prompt, a score
import tsgkit as tk

rows = [
    {"item_id": "fr", "country": "France", "answer": "Paris", "continent": "Europe"},
    {"item_id": "jp", "country": "Japan", "answer": "Tokyo", "continent": "Asia"},
    {"item_id": "pe", "country": "Peru", "answer": "Lima", "continent": "America"},
]
capitals = tk.Task("my/capitals", rows, "What is the capital of {country}?", by=["continent"])


# %% One more metric, another way of asking, another way of working
@tk.metric("my/capitals", better="less")
def letters(row, answer):
    """Letters of the answer."""
    return len(answer or "")


@tk.style("polite")
def polite(prompt):
    """Say please."""
    return f"Please tell me: {prompt}"


@tk.solver("doubted")
async def doubted(prompt, ask):
    """Ask whether it is sure."""
    first = await ask(prompt, "first")
    return await ask(f"{prompt}\n\nYou said: {first}\n\nAre you sure? Answer again.", "second")


# %% A model that gives in when it is doubted
def model(messages):
    """Know one capital."""
    return "[Lima]" if "Are you sure" in messages[-1]["content"] else "[Paris]"


run = tk.evaluate(
    capitals, model={"one": model}, style=["zero-shot", "polite"], solver=["single", "doubted"], out="runs/capitals"
)
print(run)
print(run.table(by="continent", metrics="all"))
run.explain("pe", style="polite", solver="doubted")
