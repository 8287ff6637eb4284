"""Built-in subjects, which see the item and answer in the published form.

``random`` measures chance, ``rules`` word matching and a few rules. Neither sees the reference: ``k`` and the letters
are given to every subject. Each task names its own.

``random_guesses`` draws. ``selection`` chooses a sentence. ``question_parser`` parses a question and ``questions``
answers it. ``mentions`` finds L in a sentence, ``events`` its actions, and ``generation`` their hands and as many
graphs as requested. ``partial_graphs`` answers derived tasks, ``graph_repair`` repairs errors.
``elements`` is L for writers, ``word_roots`` relates words, ``answer_text`` writes answers.
"""
