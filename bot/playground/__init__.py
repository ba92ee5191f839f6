"""A cluster to rehearse on, with consequences, served over HTTP as the real API is."""
