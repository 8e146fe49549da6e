"""The inbox's scripts, one file each."""
