"""What runs as a server on one's own machine: the pages of ``tsgkit view``.

Runs are read and never written; labels are kept beside them. An exported page is made of the same data and the same
browser modules.
"""
