"""Server-sent events."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, List, Optional, Union

import httpx

from .errors import WamuxError, error_class
from .request import is_passing, pause_of

if TYPE_CHECKING:
    from .types import Event


@dataclass
class Message:
    """One message of a stream; a heartbeat has no fields."""

    id: str = ""
    event: str = ""
    data: str = ""


@dataclass
class MessageReader:
    """Splits the bytes of a stream into messages."""

    _rest: bytes = b""
    _lines: List[str] = field(default_factory=list)

    def read(self, chunk: bytes) -> List[Message]:
        """The messages that are complete with this chunk."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        messages = []
        for line in lines:
            text = line.rstrip(b"\r").decode()
            if text:
                self._lines.append(text)
            else:
                messages.append(_message_of(self._lines))
                self._lines = []
        return messages


def _message_of(lines: List[str]) -> Message:
    message = Message()
    data = []
    for line in lines:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        elif name == "id":
            message.id = value
        elif name == "event":
            message.event = value
    message.data = "\n".join(data)
    return message


def error_of(data: str) -> WamuxError:
    """The error with which the gateway ends a stream."""
    fields = json.loads(data or "{}")
    status = int(fields.get("code", 0))
    return error_class(status)(
        fields.get("error", "The stream failed"), code=fields.get("errorCode", "NETWORK"), status=status
    )


class EventCursor:
    """Where a stream goes on after it has ended, and when: the part of ``events`` that does not wait for the network."""

    def __init__(self, after: Optional[Union[int, str]]) -> None:
        self.last = "" if after is None else str(after)
        self._tried = 0
        self._refusal: Optional[WamuxError] = None
        self._reader = MessageReader()

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Ends without an exception when the stream was cut off, idle for too long, or refused."""
        self._refusal = None
        self._reader = MessageReader()
        try:
            yield
        except httpx.HTTPError:
            pass
        except WamuxError as refusal:
            self._refusal = refusal

    def read(self, chunk: bytes) -> Iterator["Event"]:
        """The events of a chunk. Raises the error with which the gateway ends the stream."""
        for message in self._reader.read(chunk):
            if message.event == "error":
                raise error_of(message.data)
            if message.data:
                yield json.loads(message.data)
                self._tried = 0
            # Set only now, so that an event that the loop has not handled is sent again.
            self.last = message.id or self.last

    def pause(self) -> float:
        """Seconds until it is opened again. Raises a lasting refusal."""
        refusal = self._refusal
        if refusal and not is_passing(refusal):
            raise refusal
        seconds = pause_of(self._tried, refusal.retry_after if refusal else None)
        self._tried += 1
        return seconds
