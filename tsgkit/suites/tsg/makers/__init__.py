"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

======================  ==========================================================================================
``stories``             import: rows joined, graphs repaired, hands and time in order
``description_sizes``   graphs grouped for sentences
``sentences``           a sentence with the words in it that stand for elements of its graphs, read word by word
``sentence_patterns``   sentences by patterns, in different manners
``writer``              sentences by a model, asked again with what the checks find
``sentence_checks``     everything wrong in a sentence: its words, additions, denials
``sentence_relations``  order, numbers, hands and places that contradict the graphs
``allowed_elements``    L
``question_paths``      paths of questions and their evaluator; ``second_reader`` reads their words
``questions``           questions by drawn paths (``question_drafts``), in words (``question_phrases``)
``claims``              triplets that a step may make true, or surely does not
``option_sets``         five graphs any of which could follow, told by ``other_words`` than their names
``choices``             choices among the sentences of such sets, with their rows
``possible_steps``      what is done to a thing in a story, and what else could be done to it
``balance``             a choice among surplus items, so that no shortcut beats chance
``generation_rows``     rows of generation tasks
``stage_files``         the folder that the stages fill
======================  ==========================================================================================
"""
