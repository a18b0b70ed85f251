"""Exceptions of failed calls."""

from __future__ import annotations

from typing import Dict, Optional, Type


class WamuxError(Exception):
    """A failed call: the gateway refused it, or did not answer."""

    code: str
    """A code of the gateway, for example FIELD_MISSING. NETWORK: the gateway was not reached, or its answer was cut off; TIMEOUT:
    it took too long; UNREADABLE: the answer does not come from the gateway but, for example, from a proxy."""
    status: int
    """The HTTP status; 0 without an answer."""
    details: Optional[str]
    """More about the cause, if the gateway gives it."""
    retry_after: Optional[float]
    """Seconds to wait before another attempt, if the gateway gives them."""
    request_id: Optional[str]
    """Id of the request in the gateway's log."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        details: Optional[str] = None,
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details
        self.retry_after = retry_after
        self.request_id = request_id


class ConnectionFailed(WamuxError):
    """No answer: NETWORK or TIMEOUT. Whether the call had an effect is unknown."""


class InvalidRequest(WamuxError):
    """400, 405, 413, 415, 422: the text names the field."""


class Unauthorized(WamuxError):
    """401: the token is missing or wrong."""


class Forbidden(WamuxError):
    """403: the token, the account or WhatsApp does not allow it."""


class NotFound(WamuxError):
    """404: no such route, session, message, group or chat."""


class Conflict(WamuxError):
    """409: the session is not in the state that the call needs, or an id was used for something else."""


class Gone(WamuxError):
    """410: it is no longer stored, for example events beyond the retention."""


class TooManyRequests(WamuxError):
    """429: see ``retry_after``."""


class ServerError(WamuxError):
    """500 and above: the gateway, WhatsApp or a proxy failed."""


_BY_STATUS: Dict[int, Type[WamuxError]] = {
    400: InvalidRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: InvalidRequest,
    409: Conflict,
    410: Gone,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: TooManyRequests,
}


def error_class(status: int) -> Type[WamuxError]:
    """The class of errors with an HTTP status; 0 without an answer."""
    if status == 0:
        return ConnectionFailed
    if status >= 500:
        return ServerError
    return _BY_STATUS.get(status, WamuxError)
