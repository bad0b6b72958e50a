"""Decides what happens next, and owns all state of the work."""

__version__ = "0.1.0"
