"""The use cases of repair: offer a plan, let people choose and approve, carry it out, tell what happened."""
