"""Pages and images of rooms for people: the top view, and a page to turn a room, with the findings on it."""
