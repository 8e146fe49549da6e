"""Out of one store and into another."""
