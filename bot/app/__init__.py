"""The use cases, and the ports that they need from the world outside."""
