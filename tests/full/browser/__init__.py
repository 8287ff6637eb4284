"""Pages in Chromium: a package, so that one browser serves all its tests and is closed after them."""
