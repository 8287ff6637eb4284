"""Scene graphs of captions: a suite for tsgkit that lives in a package of its own."""
