"""Suites of tasks: their data, prompts, readers and scores."""
