"""Direct writes: what people and programs say of a scope's memory without a conversation. Pure."""
