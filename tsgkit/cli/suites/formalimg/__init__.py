"""Commands of the suite ``formalimg``: ``tsgkit formula`` and ``tsgkit make formalimg``."""
