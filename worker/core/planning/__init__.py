"""From a judgment to finished records: the one place where verdicts become changes."""
