"""Files of action graphs in every supported format.

===============  ===================================================================================
``formats``      names and endings of the formats, and what each carries besides graphs
``rows``         the rows of the published datasets and of ours, the graphs in them, and rows of other narratives
``reader``       a file in any format as one document; what is broken becomes a finding
``lint``         the schema, L, the hands, and what is wrong with rows and lines
``writer``       a document in another format, and what that cannot carry
``rewriter``     a document that was changed, in the format and layout it was read from
===============  ===================================================================================
"""
