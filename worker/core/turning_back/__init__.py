"""Undo and restore."""
