"""Everything that touches the outside."""
