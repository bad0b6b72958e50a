"""The provider's refusals: one exception that carries the error envelope (wire notes §3).

`{"error": {"message", "type", "param", "code"}}`, all four keys always present.
"""

from __future__ import annotations

from typing import Any

INVALID = "invalid_request_error"


class ApiError(Exception):
    """A request that is answered with an error envelope."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID,
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param
        self.code = code

    def envelope(self) -> dict[str, Any]:
        """The JSON body."""
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}


def bad_request(message: str, *, param: str | None, code: str | None) -> ApiError:
    """400: the request itself is wrong."""
    return ApiError(400, message, param=param, code=code)


def not_found(response_id: str) -> ApiError:
    """404 as the provider words it, for an id that it does not hold (any more)."""
    return ApiError(404, f"Response with id '{response_id}' not found.")


USUAL = {429: ("rate_limit_error", "rate_limit_exceeded"), 503: ("service_unavailable_error", None)}


def scripted(status: int, *, code: str | None, kind: str | None, message: str | None) -> ApiError:
    """The refusal that a script orders; what it leaves open is filled in as the provider would."""
    usual_kind, usual_code = USUAL.get(status, ("server_error" if status >= 500 else INVALID, None))
    if code == "insufficient_quota":
        usual_kind = code
    return ApiError(
        status,
        message or f"The emulator was told to answer {status}.",
        kind=kind or usual_kind,
        code=code or usual_code,
    )
