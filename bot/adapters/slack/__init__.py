"""Slack's Web API: posts, look-ups, files."""
