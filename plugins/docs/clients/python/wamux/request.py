"""Calls, their retries and their pages, without the network: what Client and AsyncClient have in common."""

from __future__ import annotations

import json
import random
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, TypedDict
from urllib.parse import quote

import httpx

from .errors import WamuxError, error_class
from .sends import SENDS

if TYPE_CHECKING:
    from typing_extensions import Unpack

FIRST_SECONDS = 0.5
"""Longest first pause before another attempt; doubled each time."""
MAX_SECONDS = 30.0
TRANSIENT = ("UNREADABLE", "NETWORK_UNAVAILABLE")
"""Codes of transient failures at 500 to 502: from a proxy in between, or because WhatsApp was unavailable."""


Paging = Tuple[str, str, str]
"""The query field, the field of the answer with its next value, and the field with the list."""


class CallOptions(TypedDict, total=False):
    """What may be given to a call."""

    params: Optional[Mapping[str, Any]]
    """Values for ``{…}`` in the path."""
    query: Optional[Mapping[str, Any]]
    body: Optional[Mapping[str, Any]]
    idempotency_key: Optional[str]
    """Key of a send, in place of one that the client creates."""
    headers: Optional[Mapping[str, str]]
    retry: Optional[bool]
    """Whether it is repeated after a failure; by default for GET, PUT and sends."""


@dataclass
class Request:
    method: str
    path: str
    query: Dict[str, str]
    headers: Dict[str, str]
    content: Optional[bytes]
    is_repeatable: bool
    """Whether it may safely be sent again."""
    tried: int = 0

    def pause_after(self, error: WamuxError, retries: int) -> float:
        """Seconds until it is sent again; raises the error if it is not."""
        if not self.is_repeatable or self.tried >= retries or not is_passing(error):
            raise error
        self.tried += 1
        return pause_of(self.tried - 1, error.retry_after)


def request_of(method: str, path: str, **options: Unpack[CallOptions]) -> Request:
    method = method.lower()
    body, retry = options.get("body"), options.get("retry")
    given = None if body is None else {name: value for name, value in body.items() if value is not None}
    is_send = method == "post" and path in SENDS
    has_id = any(name.lower() in ("id", "messageid") for name in given or {})
    key = options.get("idempotency_key") or (secrets.token_hex(16) if is_send and not has_id else None)
    return Request(
        method=method.upper(),
        path=_path_of(path, options.get("params") or {}),
        query={name: _text_of(value) for name, value in (options.get("query") or {}).items() if value is not None},
        headers={
            **({"idempotency-key": key} if key else {}),
            **({} if given is None else {"content-type": "application/json"}),
            **(options.get("headers") or {}),
        },
        content=None if given is None else json.dumps(given).encode(),
        is_repeatable=retry if retry is not None else is_send or method in ("get", "put"),
    )


def _path_of(path: str, params: Mapping[str, Any]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: quote(str(params[match[1]]), safe=""), path)


def _text_of(value: Any) -> str:
    """A list is a text separated by commas, true and false are small."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


def is_passing(error: WamuxError) -> bool:
    """Whether another attempt may succeed: never after a 4xx, a refusal by WhatsApp, or an internal error of the gateway."""
    if error.status == 0 or error.status > 502:
        return True
    return error.status >= 500 and error.code in TRANSIENT


def pause_of(tried: int, retry_after: Optional[float]) -> float:
    """Seconds: doubled each time, half of it random, never shorter than the gateway's ``Retry-After``."""
    most: float = min(MAX_SECONDS, FIRST_SECONDS * 2**tried)
    return max(retry_after or 0.0, most / 2 + random.random() * most / 2)


def answer_of(response: httpx.Response) -> Any:
    """Data of the envelope, text, or the bytes of a file. Raises the refusal if it is one."""
    if not response.is_success:
        raise refusal_of(response)
    media = response.headers.get("content-type", "")
    if media.startswith("application/json"):
        try:
            body = response.json()
        except ValueError as cause:
            raise error_class(0)("The answer was cut off", code="NETWORK") from cause
        return body["data"] if isinstance(body, dict) and "success" in body and "data" in body else body
    return response.text if re.match(r"text/(plain|html)", media) else response.content


def refusal_of(response: httpx.Response) -> WamuxError:
    try:
        body = response.json()
    except ValueError:
        body = None
    fields = body if isinstance(body, dict) else {}
    after = response.headers.get("retry-after", "")
    return error_class(response.status_code)(
        fields.get("error") or f"{response.status_code} {response.reason_phrase}",
        code=fields.get("errorCode") or "UNREADABLE",
        status=response.status_code,
        details=fields.get("details"),
        retry_after=float(after) if re.fullmatch(r"\d+(\.\d+)?", after) else None,
        request_id=response.headers.get("x-request-id"),
    )


def failure_of(request: Request, cause: httpx.HTTPError) -> WamuxError:
    is_late = isinstance(cause, httpx.TimeoutException)
    text = "no answer in time" if is_late else "the gateway was not reached"
    return error_class(0)(f"{request.method} {request.path}: {text}", code="TIMEOUT" if is_late else "NETWORK")


class Pages:
    """Where the next page of a list begins."""

    def __init__(self, paging: Paging, query: Optional[Mapping[str, Any]]) -> None:
        self._cursor, self._next, self._items = paging
        self.query: Dict[str, Any] = dict(query or {})
        self.is_done = False

    def read(self, page: Any) -> List[Any]:
        """The items of a page. The last one has 0 or an empty text as its next value, or the value that it was asked for."""
        following = page[self._next]
        self.is_done = not following or str(following) == str(self.query.get(self._cursor))
        self.query[self._cursor] = following
        items: List[Any] = page[self._items]
        return items
