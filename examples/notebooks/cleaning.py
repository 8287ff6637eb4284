"""Two hundred graphs cleaned: what code alone mends exactly, and what a model is asked about."""

# %% Graphs with slips: those of the data that come along, spoilt on purpose
import tsgkit as tk

L = tk.Vocabulary(
    ("kettle", "cup", "towel", "shelf", "hand1", "hand2"),
    ("verb", "dobj", "with", "from", "on"),
    ("fill", "take", "wash", "put"),
)
told = """
person -> verb -> take; take -> dobj -> cup; take -> from -> shelf; take -> with -> hand1
person -> verb -> wash; wash -> dobj -> cup; wash -> with -> hand1
person -> verb -> fill; fill -> dobj -> kettle; fill -> with -> hand2
person -> verb -> put; put -> dobj -> towel; put -> on -> shelf; put -> with -> hand2
"""
graphs = [tk.read(line).graphs[0] for line in told.strip().splitlines()]
kinds = list(tk.Corruption)
spoilt = [
    tk.corrupt(graphs[number % 4], kinds[number % len(kinds)], L, seed=number).graph
    if number % 2
    else graphs[number % 4]
    for number in range(200)
]
print(len(spoilt), "graphs,", sum(bool(tk.check_graph(graph, L)) for graph in spoilt), "with findings")

# %% Exact repairs: nobody is asked
cleaned = tk.refine(spoilt, vocabulary=L)
print(len(cleaned.changes), "changes,", len(cleaned.after), "findings left of", len(cleaned.before))
for change in cleaned.changes[:5]:
    print(change)

# %% How one of them changed
number = cleaned.changes[0].graph
tk.draw(cleaned.narrative.graphs[number], against=spoilt[number]).save("change.svg")
tk.diff(spoilt[number], cleaned.narrative.graphs[number])


# %% A model for what is left; it is asked only about passages with findings
def model(messages):
    """Change nothing, whatever is found."""
    return "none"


again = tk.refine(cleaned.narrative, model, vocabulary=L, effort="low")
print(again.calls, "calls,", len(again.after), "findings left")
