"""Judges of scenes: their interface, the judge by rules and the model judge."""
