"""The only rooms that speak to the world: Kubernetes, Redis, Slack, the LLM, files."""
