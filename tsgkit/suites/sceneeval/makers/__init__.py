"""Generation of descriptions and annotations, by a model or from patterns, with checks by rules."""
