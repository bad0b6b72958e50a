"""What an operator reads: pure shaping over read-only connections.

Rules: nothing here writes, calls the provider or decides; every function takes the connection first; what is
answered for machines (`*_json`) holds RFC 3339 UTC instants and full ids, as the interface promises.
"""
