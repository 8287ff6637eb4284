"""An ablation for a paper: styles side by side, how sure the differences are, and a table in LaTeX."""

# %% Two ways of asking, one model
import tsgkit as tk


def model(messages):
    """Choose A at once, and B where it is told to think: a model with a habit."""
    return "Final answer: B" if "step by step" in messages[-1]["content"] else "Final answer: A"


run = tk.evaluate("sgds", model={"habit": model}, style=["zero-shot", "cot"], out="runs/ablation")
run

# %% Is the difference real? Paired over the same items, with intervals over scenarios
found = tk.compare(run, "sgds", baseline="zero-shot")
print(found)
for pair in found.pairs:
    print(pair.first.style, "against", pair.second.style, pair.statistics.difference, pair.adjusted)

# %% By group
print(run.table(by="domain"))

# %% The table of the paper
print(run.report("ablation.tex"))
