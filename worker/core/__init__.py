"""Every decision, pure: no clock, no log, no settings, no I/O."""
