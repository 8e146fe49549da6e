"""Texts to vectors: a local model, hashed words, or any endpoint."""
