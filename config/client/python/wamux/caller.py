"""Calls with retries, pages and event streams, over httpx."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

import httpx

from .errors import WamuxError
from .request import Request, answer_of, failure_of, pause_after, refusal_of, request_of
from .stream import EventCursor

if TYPE_CHECKING:
    from .types import Event

IDLE_SECONDS = 60.0
"""The gateway sends a heartbeat every 15 seconds."""

Paging = Tuple[str, str, str]
"""The query field, the field of the answer with its next value, and the field with the list."""


class Options:
    """What both clients are made with."""

    def __init__(
        self,
        url: str,
        *,
        token: Optional[str],
        admin_token: Optional[str],
        bearer: Optional[str],
        headers: Optional[Mapping[str, str]],
        retries: int,
        timeout: float,
    ) -> None:
        self._url = url.rstrip("/")
        self._headers: Dict[str, str] = {
            **({"token": token} if token else {}),
            **({"admintoken": admin_token} if admin_token else {}),
            **({"authorization": f"Bearer {bearer}"} if bearer else {}),
            **(headers or {}),
        }
        self._retries = retries
        self._timeout = timeout

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


def _is_last(query: Dict[str, Any], cursor: str, value: Any) -> bool:
    """0 or an empty text ends the pages, and so does the same value again."""
    return not value or str(value) == str(query.get(cursor))


class Caller(Options):
    """Makes calls and waits for their answers."""

    _http: httpx.Client

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        retry: Optional[bool] = None,
    ) -> Any:
        """
        Calls any route, for example of your own plugin. Returns the data of the envelope, or text or bytes if the answer is not JSON.

        :param params: Values for ``{…}`` in the path.
        :param idempotency_key: Key of a send, in place of one that the client creates.
        :param retry: Whether it is repeated after a failure; by default for GET, PUT and sends.
        """
        request = request_of(
            method.lower(),
            path,
            params=params,
            query=query,
            body=body,
            idempotency_key=idempotency_key,
            headers=headers,
            retry=retry,
        )
        tried = 0
        while True:
            try:
                return self._once(request)
            except WamuxError as error:
                time.sleep(pause_after(error, request, tried, self._retries))
            tried += 1

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
        cursor, following, items = paging
        asked = dict(query or {})
        while True:
            page = self.call(method, path, query=asked, **options)
            yield from page[items]
            if _is_last(asked, cursor, page[following]):
                return
            asked[cursor] = page[following]

    def events(
        self,
        *,
        after: Optional[Union[int, str]] = None,
        classes: Optional[Sequence[str]] = None,
        idle: float = IDLE_SECONDS,
    ) -> Iterator["Event"]:
        """
        Events as they are logged. It reconnects by itself and misses none; it raises a WamuxError if the gateway refuses.

        :param after: Seq of the last handled event; 0 for all stored events, absent for only new ones.
        :param classes: Event classes; all when absent.
        :param idle: Seconds without a heartbeat after which the stream is opened again.
        """
        cursor = EventCursor(after)
        while True:
            refusal: Optional[WamuxError] = None
            try:
                with self._http.stream(**self._stream_parts(cursor.last, classes, idle)) as response:
                    if not response.is_success:
                        response.read()
                        raise refusal_of(response)
                    cursor.opened()
                    for chunk in response.iter_bytes():
                        yield from cursor.read(chunk)
            except httpx.HTTPError:
                # The stream was cut off, or idle for too long.
                pass
            except WamuxError as error:
                refusal = error
            time.sleep(cursor.pause(refusal))


class AsyncCaller(Options):
    """As Caller, for asyncio."""

    _http: httpx.AsyncClient

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        retry: Optional[bool] = None,
    ) -> Any:
        """As ``Client.call``."""
        request = request_of(
            method.lower(),
            path,
            params=params,
            query=query,
            body=body,
            idempotency_key=idempotency_key,
            headers=headers,
            retry=retry,
        )
        tried = 0
        while True:
            try:
                return await self._once(request)
            except WamuxError as error:
                await asyncio.sleep(pause_after(error, request, tried, self._retries))
            tried += 1

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
        cursor, following, items = paging
        asked = dict(query or {})
        while True:
            page = await self.call(method, path, query=asked, **options)
            for item in page[items]:
                yield item
            if _is_last(asked, cursor, page[following]):
                return
            asked[cursor] = page[following]

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
            refusal: Optional[WamuxError] = None
            try:
                async with self._http.stream(**self._stream_parts(cursor.last, classes, idle)) as response:
                    if not response.is_success:
                        await response.aread()
                        raise refusal_of(response)
                    cursor.opened()
                    async for chunk in response.aiter_bytes():
                        for event in cursor.read(chunk):
                            yield event
            except httpx.HTTPError:
                # The stream was cut off, or idle for too long.
                pass
            except WamuxError as error:
                refusal = error
            await asyncio.sleep(cursor.pause(refusal))
