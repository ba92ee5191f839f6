"""A report as Slack messages: Block Kit within its limits by construction, untrusted text never markup."""
