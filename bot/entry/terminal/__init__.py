"""The terminal as a second front of the plans that Slack shows: a command for everything that is pressed there."""
