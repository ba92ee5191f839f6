"""The one place that names adapters: every object is put together here."""
