"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

======================  ==========================================================================================
``stories``             import: rows joined, graphs repaired, hands and time in order
``sentences``           a sentence with the words in it that stand for elements of its graphs
``sentence_patterns``   sentences by patterns, from ``clauses`` in ``manners``
``writer``              sentences by a model, asked again with what the checks find
``sentence_checks``     everything wrong in a sentence: ``sentence_words``, ``sentence_relations``, ``told_order``
``told_text``           a text read along its account
``question_paths``      paths of questions, their evaluator and their words; ``second_reader`` reads these
``questions``           questions by drawn paths, chosen so that no shortcut beats chance
``claims``              triplets that a step may make true, or surely does not, and other words for actions
``choices``             choices among five sentences about graphs any of which could follow, with their rows
``generation_rows``     graphs grouped for sentences, L, and rows of generation tasks
``stage_files``         the folder that the stages fill
======================  ==========================================================================================
"""
