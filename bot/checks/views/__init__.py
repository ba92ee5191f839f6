"""What several checks read from one snapshot in the same way; questions and findings stay with the checks."""
