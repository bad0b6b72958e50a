"""The provider emulator: the Responses API on a real socket, deterministic and scriptable."""
