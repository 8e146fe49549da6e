"""What both sides speak: data, ids, Redis key names, masking of secrets. Pure."""
