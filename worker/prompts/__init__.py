"""One Markdown file per question put to a model."""
