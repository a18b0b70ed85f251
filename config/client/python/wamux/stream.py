"""Server-sent events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import List

from .errors import WamuxError, error_class


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
