"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

======================  ==========================================================================================
``stories``             import: rows joined, graphs repaired, hands and time in order
``sentences``           a sentence with the words in it that stand for elements of its graphs, read word by word
``sentence_patterns``   sentences by patterns, in different manners
``writer``              sentences by a model, asked again with what the checks find
``sentence_checks``     everything wrong in a sentence: its words, additions, denials
``sentence_relations``  order, numbers, hands and places that contradict the graphs
``question_paths``      paths of questions, their evaluator and their words; ``second_reader`` reads these
``questions``           questions by drawn paths, chosen so that no shortcut beats chance
``claims``              triplets that a step may make true, or surely does not, and other words for actions
``choices``             choices among five sentences about graphs any of which could follow, with their rows
``generation_rows``     graphs grouped for sentences, L, and rows of generation tasks
``stage_files``         the folder that the stages fill
======================  ==========================================================================================
"""
