"""tsgkit."""
