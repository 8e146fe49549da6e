"""Where turns come from that nobody publishes to us."""
