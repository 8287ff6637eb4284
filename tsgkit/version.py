"""The version of this package, as runs record it."""

__version__ = "0.2.0"
