"""What happens in a rehearsed cluster by itself: controllers that speak only the Kubernetes API.

The same code plays on the simulated and on a real API server, and each can be replaced by the real thing.
"""
