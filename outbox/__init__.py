"""Carries decisions to the outside world, once, and verifies that they arrived."""
