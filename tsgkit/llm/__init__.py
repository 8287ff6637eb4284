"""The one door to models: queue, retries, cache, budget, redaction; LiteLLM behind it and nowhere else."""
