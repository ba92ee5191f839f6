"""Slack's ear: hears commands, mentions, shortcuts, alerts and pastes, and puts what is for the bot into the queue."""
