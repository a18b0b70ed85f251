"""The two clients."""

from __future__ import annotations

from .api import Api
from .async_api import AsyncApi


class Client(Api):
    """
    A client of a gateway. It may be used by several threads.

    >>> wamux = Client("http://localhost:8080", token=token)
    >>> wamux.send_text(Phone="5511999999999", Body="Hello")["Id"]
    """

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncApi):
    """A client of a gateway, for asyncio: as ``Client``, with an ``httpx.AsyncClient``."""

    async def close(self) -> None:
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
