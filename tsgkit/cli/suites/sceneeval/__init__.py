"""Commands of the suite ``sceneeval``: ``tsgkit scene`` and ``tsgkit make sceneeval``."""
