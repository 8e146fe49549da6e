"""What is about the same thing, and the rules that an answer has to keep."""
