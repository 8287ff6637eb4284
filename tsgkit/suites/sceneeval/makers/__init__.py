"""New descriptions with their annotations: drawn, written by a model or from patterns, and held against rules."""
