"""Signatures of webhooks, by Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union, cast

if TYPE_CHECKING:
    from .types import Event

TOLERANCE_SECONDS = 300


class SignatureError(Exception):
    """The delivery is not from the gateway, or too old: answer 401."""


def verify(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> "Event":
    """
    The event of a delivery, once its signature and the time of the signature are found right.

    :param body: As received; a body that was parsed and written again has another signature.
    :param headers: Of the request, in any case.
    :param secret: As shown by POST /webhook, ``whsec_…``.
    :param tolerance: Seconds by which the clocks may differ, in both directions.
    :param now: Unix seconds, for tests.
    """
    given = {name.lower(): value for name, value in headers.items()}
    delivery, timestamp, signatures = (
        given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    if not delivery or not timestamp or not signatures:
        raise SignatureError("webhook-id, webhook-timestamp or webhook-signature is missing")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise SignatureError("webhook-timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise SignatureError("webhook-timestamp is too old, or in the future")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{delivery}.{timestamp}.".encode() + content
    wanted = base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest())
    # One for each valid secret. Bytes, since compare_digest refuses text that is not ASCII.
    found = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    if not any([hmac.compare_digest(wanted, one) for one in found]):
        raise SignatureError("webhook-signature does not match")
    return cast("Event", cast(Any, json.loads(content)))


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error as cause:
        raise ValueError("the secret is not whsec_ and base64") from cause
    if not key:
        # Without this, a secret that is missing in the configuration would be one that anybody knows.
        raise ValueError("the secret is empty")
    return key
