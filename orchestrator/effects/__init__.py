"""Handlers and verifiers that the composition root gives to the relay: commit, render, verify.

Each looks at the outside first and adopts what is there already, so that it may be called any number of times.
"""
