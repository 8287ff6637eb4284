"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

======================  ==========================================================================================
``stories``             import: rows joined, graphs repaired, hands and time in order
``description_sizes``   graphs grouped for sentences
``sentences``           a sentence with the words in it that stand for elements of its graphs
``sentence_patterns``   sentences by patterns, from ``clauses`` in ``manners``
``writer``              sentences by a model, asked again with what the checks find
``sentence_checks``     everything wrong in a sentence: ``sentence_words``, ``sentence_relations``, ``told_order``
``told_text``           a text read along its account
``allowed_elements``    L
``question_paths``      paths of questions, their evaluator and their words; ``second_reader`` reads these
``questions``           questions by drawn paths, chosen so that no shortcut beats chance
``claims``              triplets that a step may make true, or surely does not
``option_sets``         five graphs any of which could follow, told by ``other_words`` than their names
``choices``             choices among the sentences of such sets, with their rows
``possible_steps``      what is done to a thing in a story, and what else could be done to it
``generation_rows``     rows of generation tasks
``stage_files``         the folder that the stages fill
======================  ==========================================================================================
"""
