"""The spatialgen suite: how far a picture shows what a dense spatial prompt asks for.

A picture is made from a prompt; a judge who never sees the prompt answers ten questions about the picture, in several
rounds; a question counts if enough rounds said the key.

Data: ``rows`` reads and writes them, ``scenes`` and ``domains`` name what they are made of, ``defects`` finds what is
wrong with them, ``baselines`` answer them without a picture, ``wording`` has the words both compare.

Judgements: ``official`` reads, votes and scores as the published code does; ``strict`` reads letters from any usual
form, ``shuffling`` puts options in other orders and back, ``voting`` counts rounds, ``judging`` brings it all together.

As a task: ``samples`` are pictures with their questions, ``asking`` says how a judge is asked, ``viewing`` asks,
``guessing`` answers without looking, ``controls`` stand beside every score, ``metrics`` and ``scoreboard`` make values.
``auditing`` and ``inspecting`` show slips in data; ``making`` and ``rewriting`` check what models write.
"""
