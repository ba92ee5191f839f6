"""Redis: the state that all replicas share, and an embedded server for the demo and the tests."""
