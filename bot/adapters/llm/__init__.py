"""The optional LLM: an OpenAI-compatible endpoint, and the count of calls where no shared one is at hand."""
