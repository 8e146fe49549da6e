"""From turns to facts: what extraction is asked, and what of its answer holds."""
