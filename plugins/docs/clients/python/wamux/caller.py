"""Calls with retries, pages and event streams, over httpx."""

from __future__ import annotations

import asyncio
import time
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Dict,
    Generic,
    Iterator,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
)

import httpx

from .errors import WamuxError
from .request import CallOptions, Pages, Paging, Request, answer_of, failure_of, refusal_of, request_of
from .stream import EventCursor

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Event

Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)

IDLE_SECONDS = 60.0
"""The gateway sends a heartbeat every 15 seconds."""


class Options(Generic[Http]):
    """What both clients are made with."""

    _http_type: Type[Http]

    def __init__(
        self,
        url: str,
        *,
        token: Optional[str] = None,
        admin_token: Optional[str] = None,
        bearer: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        retries: int = 3,
        timeout: float = 100.0,
        http: Optional[Http] = None,
    ) -> None:
        """
        :param url: Address of the gateway, for example ``http://localhost:8080``.
        :param token: A session's token.
        :param bearer: For ``Authorization: Bearer``.
        :param retries: Number of retries after a failure that may pass.
        :param timeout: Seconds without a byte from the gateway; a send waits for WhatsApp.
        :param http: Your own httpx client, for example with a proxy; it is not closed with this one.
        """
        self._url = url.rstrip("/")
        self._headers: Dict[str, str] = {
            **({"token": token} if token else {}),
            **({"admintoken": admin_token} if admin_token else {}),
            **({"authorization": f"Bearer {bearer}"} if bearer else {}),
            **(headers or {}),
        }
        self._retries = retries
        self._timeout = timeout
        self._is_own = http is None
        self._http: Http = http or self._http_type()

    def _parts(self, request: Request) -> Dict[str, Any]:
        return {
            "method": request.method,
            "url": f"{self._url}{request.path}",
            "params": request.query or None,
            "headers": {**self._headers, **request.headers},
            "content": request.content,
            "timeout": self._timeout,
        }

    def _stream_parts(self, last: str, classes: Optional[Sequence[str]], idle: float) -> Dict[str, Any]:
        return {
            "method": "GET",
            "url": f"{self._url}/events/stream",
            "params": {"class": ",".join(classes)} if classes else None,
            "headers": {**self._headers, **({"last-event-id": last} if last else {})},
            "timeout": httpx.Timeout(self._timeout, read=idle),
        }


class Caller(Options[httpx.Client]):
    """Makes calls and waits for their answers."""

    _http_type = httpx.Client

    def call(self, method: str, path: str, **options: Unpack[CallOptions]) -> Any:
        """
        Calls any route, for example of your own plugin. Returns the data of the envelope, or text or bytes if the answer is not JSON.
        Options are those of ``CallOptions``.
        """
        request = request_of(method, path, **options)
        while True:
            try:
                return self._once(request)
            except WamuxError as error:
                time.sleep(request.pause_after(error, self._retries))

    def _once(self, request: Request) -> Any:
        try:
            response = self._http.request(**self._parts(request))
        except httpx.HTTPError as cause:
            raise failure_of(request, cause) from cause
        return answer_of(response)

    def iterate(
        self, method: str, path: str, *, paging: Paging, query: Optional[Mapping[str, Any]] = None, **options: Any
    ) -> Iterator[Any]:
        """Items of all pages."""
        pages = Pages(paging, query)
        while not pages.is_done:
            yield from pages.read(self.call(method, path, query=pages.query, **options))

    def events(
        self,
        *,
        after: Optional[Union[int, str]] = None,
        classes: Optional[Sequence[str]] = None,
        idle: float = IDLE_SECONDS,
    ) -> Iterator["Event"]:
        """
        Events as they are logged. Reconnects and misses none; raises a WamuxError if the gateway refuses.

        :param after: Seq of the last handled event; 0 for all stored events, absent for only new ones.
        :param classes: Event classes; all when absent.
        :param idle: Seconds without a heartbeat after which the stream is opened again.
        """
        cursor = EventCursor(after)
        while True:
            with cursor.connection():
                with self._http.stream(**self._stream_parts(cursor.last, classes, idle)) as response:
                    if not response.is_success:
                        response.read()
                        raise refusal_of(response)
                    for chunk in response.iter_bytes():
                        yield from cursor.read(chunk)
            time.sleep(cursor.pause())


class AsyncCaller(Options[httpx.AsyncClient]):
    """As Caller, for asyncio."""

    _http_type = httpx.AsyncClient

    async def call(self, method: str, path: str, **options: Unpack[CallOptions]) -> Any:
        """As ``Client.call``."""
        request = request_of(method, path, **options)
        while True:
            try:
                return await self._once(request)
            except WamuxError as error:
                await asyncio.sleep(request.pause_after(error, self._retries))

    async def _once(self, request: Request) -> Any:
        try:
            response = await self._http.request(**self._parts(request))
        except httpx.HTTPError as cause:
            raise failure_of(request, cause) from cause
        return answer_of(response)

    async def iterate(
        self, method: str, path: str, *, paging: Paging, query: Optional[Mapping[str, Any]] = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Items of all pages."""
        pages = Pages(paging, query)
        while not pages.is_done:
            for item in pages.read(await self.call(method, path, query=pages.query, **options)):
                yield item

    async def events(
        self,
        *,
        after: Optional[Union[int, str]] = None,
        classes: Optional[Sequence[str]] = None,
        idle: float = IDLE_SECONDS,
    ) -> AsyncIterator["Event"]:
        """As ``Client.events``."""
        cursor = EventCursor(after)
        while True:
            with cursor.connection():
                async with self._http.stream(**self._stream_parts(cursor.last, classes, idle)) as response:
                    if not response.is_success:
                        await response.aread()
                        raise refusal_of(response)
                    async for chunk in response.aiter_bytes():
                        for event in cursor.read(chunk):
                            yield event
            await asyncio.sleep(cursor.pause())
