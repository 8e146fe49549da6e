"""The command line: one file a command, or a small group of them."""
