"""From a snapshot to a diagnosis: run the checks, read the texts, link the causes, give the verdict."""
