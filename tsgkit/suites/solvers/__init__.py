"""Solvers: ways from an item to an answer, shared by all tasks.

``solver`` has the interface of solvers, ``prompt_files``, ``prompter``, ``examples`` and ``styles`` the prompts.
``factories`` finds solvers that ask a model by name, ``offline_solvers`` ask none (baselines, recorded runs),
``scorers`` score transcripts, and ``ways`` joins them to a task.
"""
