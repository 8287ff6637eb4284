"""Rooms as people look at them: from above, and on a page to turn, with what was found beside them."""
