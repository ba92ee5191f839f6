"""A live Kubernetes cluster: the official client as transport, replies decoded straight into our structs."""
