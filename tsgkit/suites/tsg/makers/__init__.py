"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

==================  ==========================================================================================
``sentences``       a sentence with the words in it that stand for elements of its graphs
``balance``         a choice among surplus items, so that no shortcut beats chance
``claims``          triplets that a step may make true, or surely does not
``wrong_steps``     wrong graphs for a step, each with its kind
``choice_designs``  right and wrong graphs of a choice, in one manner, before they are worded
``choices``         choices among five sentences, with their rows
==================  ==========================================================================================
"""
