"""Pages for this machine's browser: the view of runs, the editor of graphs, and decisions; the editor in notebooks too.

``local_server`` serves a page, which is a browser module and functions by name. Runs are read and never written; labels
are kept beside them. An exported page is made of the same data and the same browser modules.
"""
