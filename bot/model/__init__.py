"""Frozen values that every floor above speaks in; no logic beyond reading themselves."""
