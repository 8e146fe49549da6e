"""What people and programs do to a scope without a conversation: each act under the scope's lease."""
