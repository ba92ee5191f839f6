"""Files: the knowledge that ships with the bot, dumps of clusters, texts of hosts."""
