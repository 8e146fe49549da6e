"""What answers: from nominated memories to those that are told, stage by stage, each pure."""
