"""Speed, memory, quality: each a command that prints ratios measured in one run."""
