"""One Markdown file per question put to a model, and the words of the block that recall writes for one."""
