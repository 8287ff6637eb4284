"""Solvers: ways of bringing an item to an answer, written once for all tasks.

``solver`` has the protocols, ``answerable`` what a task offers to solvers, ``prompter`` and ``examples`` the prompts;
``asked`` solvers ask a model (``single``, ``vote:N``), ``unasked`` ones nobody (baselines, recorded runs); ``scorers``
score transcripts, ``voting`` has the rules of votes, ``families`` finds solvers by name.
"""
