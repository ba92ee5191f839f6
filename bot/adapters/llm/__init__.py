"""The optional LLM: an OpenAI-compatible endpoint."""
