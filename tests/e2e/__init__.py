"""The whole bot as people run it: a process between a strict fake Slack, a real Redis and a simulated cluster."""
