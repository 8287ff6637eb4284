"""The Python interface: everything that the command line does, for programs and notebooks.

Everything here is reached as ``tsgkit.NAME``. Functions take the options of the commands by their names.
"""
