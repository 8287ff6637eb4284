"""Built-in subjects, which see the item and answer in the published form.

``random`` measures chance, ``rules`` word matching and a few rules. Neither sees the reference: ``k`` and the letters
are given to every subject. Each task names its own; what is drawn depends on the seed and the item's id alone.

``selection`` chooses a sentence, ``questions`` parses a question and answers it. ``mentions`` finds L in a sentence,
``events`` its actions, and ``generation`` their hands and as many graphs as requested. ``derived_tasks`` answers these
and repairs errors. ``word_roots`` relates words.
"""
