"""A report as Block Kit, as a terminal tree, as JSON."""
