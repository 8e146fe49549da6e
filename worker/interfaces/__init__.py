"""How people and programs get at it."""
