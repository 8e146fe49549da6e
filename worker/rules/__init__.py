"""The mode without a model: English, conservative, to the same interfaces as the steps that ask one."""
