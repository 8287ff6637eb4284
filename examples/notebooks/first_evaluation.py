"""A first evaluation: a model on all four tasks, its table, and the items that it got wrong.

Runs without a key: the model is a function. Put a name such as "openai/gpt-4o" in its place for a real one.
"""

# %% A model is a name, or a function of messages
import tsgkit as tk


def model(messages):
    """Answer every question alike; a real model would read the question."""
    return "Final answer: [cup]"


# %% What it would cost, before anything is sent
for row in tk.plan("tsg", model="openai/gpt-4o", limit=5):
    print(row.cell.title, row.samples, "samples,", row.requests[1], "requests")

# %% The evaluation; the same call goes on with it where it was stopped
run = tk.evaluate("tsg", model={"always-cup": model}, limit=5, out="runs/first")
run

# %% The same beside the built-in rules
rules = tk.evaluate("tsg", model="baseline/rules", limit=5, out="runs/rules")
print(rules.table())

# %% What went wrong
for sample in run.samples.wrong[:3]:
    print(sample.item_id, sample.outcome, sample.answer)
print(run.samples.wrong[0].prompt[0].content[:300])
run.samples.wrong[0].explain()
