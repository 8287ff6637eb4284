"""Built-in subjects, which see the item and answer in the published form.

``random`` shows what understanding nothing is worth, ``rules`` what word matching and a few rules are. Neither looks
at the reference: ``k`` and the letters are given to every subject. Each task names its own.

``random_guesses`` draws; ``selection`` chooses a sentence; ``question_parser`` takes a question apart and ``questions``
answers it; ``mentions`` finds L in a sentence, ``events`` what is done in it, ``hand_state`` by which hand, and
``generation`` makes as many graphs as are asked for; ``partial_graphs`` completes half a graph, ``graph_repair`` turns
round what breaks rules; ``elements`` is L for writers, ``word_roots`` what words have in common, ``answer_text`` the
form of answers.
"""
