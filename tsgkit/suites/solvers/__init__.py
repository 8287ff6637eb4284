"""Solvers: ways from an item to an answer, shared by all tasks.

``solver`` has the protocols, ``protocols`` what a task offers to solvers, ``prompter`` and ``examples`` the prompts;
``model_solvers`` solvers ask a model (``single``, ``vote:N``), ``offline_solvers`` ask none (baselines, recorded
runs); ``scorers`` score transcripts, ``vote_rules`` has the rules of votes, ``factories`` finds solvers by name.
"""
