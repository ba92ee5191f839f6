"""A simulated Kubernetes API server: a store with the API's rules, served over HTTP on loopback.

What it answers is held to a real API server by one conformance suite. Physics (kubelet, operators, Karpenter,
scheduler) are no part of it: they speak the API from outside.
"""
