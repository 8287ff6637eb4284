"""Commands of the suite ``tsg``: ``tsgkit make repairs``."""
