"""The two clients."""

from __future__ import annotations

from typing import Mapping, Optional

import httpx

from .api import Api
from .async_api import AsyncApi


class Client(Api):
    """
    A client of a gateway. It may be used by several threads.

    >>> wamux = Client("http://localhost:8080", token=token)
    >>> wamux.send_text(Phone="5511999999999", Body="Hello")["Id"]
    """

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
        http: Optional[httpx.Client] = None,
    ) -> None:
        """
        :param url: Address of the gateway, for example ``http://localhost:8080``.
        :param token: A session's token.
        :param bearer: For ``Authorization: Bearer``.
        :param retries: Number of retries after a failure that may pass.
        :param timeout: Seconds without a byte from the gateway; a send waits for WhatsApp.
        :param http: Your own httpx client, for example with a proxy; it is not closed with this one.
        """
        super().__init__(
            url,
            token=token,
            admin_token=admin_token,
            bearer=bearer,
            headers=headers,
            retries=retries,
            timeout=timeout,
        )
        self._is_own = http is None
        self._http = http or httpx.Client()

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncApi):
    """A client of a gateway, for asyncio."""

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
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        """As ``Client``, with an ``httpx.AsyncClient``."""
        super().__init__(
            url,
            token=token,
            admin_token=admin_token,
            bearer=bearer,
            headers=headers,
            retries=retries,
            timeout=timeout,
        )
        self._is_own = http is None
        self._http = http or httpx.AsyncClient()

    async def close(self) -> None:
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
