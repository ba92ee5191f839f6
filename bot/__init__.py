"""GPU Autopsy: the true root of GPU outages on Kubernetes, with the evidence on every link."""

__version__ = "0.1.0"
