"""Outages to rehearse: an alert comes in, and the terminal shows what Slack would get."""
