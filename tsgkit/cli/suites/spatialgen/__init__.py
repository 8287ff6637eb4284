"""Commands of the suite ``spatialgen``: ``tsgkit make spatialgen`` and ``tsgkit make spatialt2i``."""
