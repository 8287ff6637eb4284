"""Solvers: ways from an item to an answer, shared by all tasks.

``solver`` and ``protocols`` have the interfaces of solvers and of tasks, ``prompter`` and ``examples`` the prompts.
``model_solvers`` ask a model (``single``, ``vote:N``), ``offline_solvers`` ask none (baselines, recorded runs).
``scorers`` score transcripts, ``vote_rules`` has the rules of votes, ``factories`` finds solvers by name.
"""
