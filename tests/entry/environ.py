"""The least that the service's environment has to say."""

LEAST = {
    "AUTOPSY_CLUSTER": "lab",
    "REDIS_URL": "redis://redis:6379/0",
    "SLACK_BOT_TOKEN": "xoxb-bot",
    "SLACK_APP_TOKEN": "xapp-app",
}
