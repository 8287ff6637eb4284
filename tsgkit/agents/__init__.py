"""Agents: they clean scene graphs that are there, and turn a story into graphs; part of their check is exact."""
