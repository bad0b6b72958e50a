"""Telling systemd that the loop is ready and alive (sd_notify, without its library).

Outside systemd `NOTIFY_SOCKET` is unset and every call does nothing. Source: sd_notify(3).
"""

from __future__ import annotations

import os
import socket


class Systemd:
    """A notifier for `daemon.Loop.run`."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")

    def ready(self) -> None:
        """The loop has started."""
        self._say(b"READY=1")

    def alive(self) -> None:
        """The watchdog's sign of life."""
        self._say(b"WATCHDOG=1")

    def _say(self, state: bytes) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notifier:
            try:
                notifier.sendto(state, address)
            except OSError:
                return  # a manager that went away must not stop the work
