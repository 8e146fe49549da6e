"""How turns get in: redis and pydantic only; imports schemas only."""
