"""A run in pandas: one row a sample, stable columns, and questions that no table answers."""

# %% Any run, opened from its folder
import tsgkit as tk

tk.evaluate("sgqa", model=["baseline/rules", "baseline/random"], out="runs/frame", quiet=True)
run = tk.open_run("runs/frame")
frame = run.frame("pandas")
print(frame.columns.tolist())

# %% By subject and domain
print(frame.pivot_table(index="group.domain", columns="subject", values="strict.exact_match").round(2))

# %% Items on which the two differ
wide = frame.pivot(index="item_id", columns="subject", values="strict.exact_match")
print(wide[wide["baseline/rules"] != wide["baseline/random"]].head())
