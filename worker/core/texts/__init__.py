"""What a text says and of what it is made, in any script."""
