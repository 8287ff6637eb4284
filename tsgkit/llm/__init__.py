"""Access to models: queue, retries, cache, budget and redaction. LiteLLM is imported here and nowhere else."""
