"""What is done about failures: rests, breakers, budgets."""
