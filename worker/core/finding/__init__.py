"""Who may be meant: candidates, and the rankings they come from."""
