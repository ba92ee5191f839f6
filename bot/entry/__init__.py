"""How people and machines reach the bot: Slack, webhook, command line."""
