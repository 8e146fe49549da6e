"""What sleep does to a scope while nobody talks: passes over its memories, each in slices, pure."""
