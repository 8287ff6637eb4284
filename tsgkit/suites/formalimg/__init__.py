"""The formalimg suite: first-order formulas that a layout or a picture has to satisfy.

Data: ``rows`` reads items, ``importing`` brings the published ones to this machine.

Answers: ``strict`` and ``official`` read layouts in replies, ``judging``
asks the verifiers, ``blame`` says which clauses fail, ``metrics`` says what the numbers mean, ``scoreboard`` scores
files of replies.

Asking: ``examples`` and ``prompting`` have the texts of prompts, ``baselines`` answer without a model, ``answers`` are
layouts as solvers take them. Pictures: ``viewing`` shows them to the judge, ``grounding`` finds objects in them,
``natural`` reads what a judge says of clauses, ``painting`` asks for them. ``layout_task`` and ``picture_task`` are
all of it for a run, on what ``formula_task`` has for both; ``task`` finds the one of a card.
"""
