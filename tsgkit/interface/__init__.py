"""The Python interface: all that the command line can do, in as many words, in a notebook too.

Everything here is reached as ``tsgkit.NAME``. Functions take the options of the commands by their names.
"""
