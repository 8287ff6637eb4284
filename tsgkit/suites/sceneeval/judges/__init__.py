"""Judges of scenes: their answers, the judge by rules and the model judge."""
