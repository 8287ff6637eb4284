"""Construction of benchmark items from stories: sentences, L, questions, choices, rows.

==================  ==========================================================================================
``sentences``       a sentence with the words in it that stand for elements of its graphs
``balance``         a choice among surplus items, so that no shortcut beats chance
==================  ==========================================================================================
"""
