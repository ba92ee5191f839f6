"""The terminal as a channel: the same messages as in Slack, where there is no Slack."""
