"""A typed client of wamux, a gateway that gives WhatsApp accounts an HTTP interface."""

from .client import AsyncClient, Client
from .errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    Gone,
    InvalidRequest,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
    WamuxError,
)
from .webhook import SignatureError, verify

__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Gone",
    "InvalidRequest",
    "NotFound",
    "ServerError",
    "SignatureError",
    "TooManyRequests",
    "Unauthorized",
    "WamuxError",
    "verify",
]
