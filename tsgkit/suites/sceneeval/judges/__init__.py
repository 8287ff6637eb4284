"""Judges of rooms: what they are asked, the one that follows rules, and the one that is a model."""
