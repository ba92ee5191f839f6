"""A diagnosis in words: the report, the prompt, and what of an LLM's text may stand."""
