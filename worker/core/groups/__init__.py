"""What is judged: facts and memories about one thing, what a group of them comes to, under which rules."""
