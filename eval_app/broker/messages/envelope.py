r"""Envelopes: a signature, a small head and a body, opened in that order. Imports no Django.

    CW1 <signature, 128 hex digits>\n<head, JSON>\n<body, any bytes>

The signature covers the head, and the head has the body's SHA-256: no JSON of a stranger is ever parsed. "CW1" is the
protocol's version.
"""

import hashlib
import json
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PROTOCOL = 1
SIGNED_TEXT = b"concur-workbench message\x00"  # so that signatures for other purposes are not valid here
MAX_HEAD_BYTES = 4096
MAX_BODY_BYTES = 32 * 2**20  # a report with its listings has several megabytes
MAX_DEPTH = 40  # a report has ten levels
FIRST_LINE = re.compile(rb"CW(\d{1,4}) ([0-9a-f]{128})")


class EnvelopeError(ValueError):
    """Bytes that are not a message of the expected sender; the message says why."""


class ProtocolError(EnvelopeError):
    """A message in another version of the protocol."""

    def __init__(self, version: int) -> None:
        super().__init__(f"It is in protocol {version}, and this side uses {PROTOCOL}")
        self.version = version


def seal(key: Ed25519PrivateKey, head: dict[str, Any], body: bytes) -> bytes:
    """Return the envelope without its body, for carriers that transport the body separately."""
    text = canonical({**head, "sha256": hashlib.sha256(body).hexdigest()})
    if len(text) > MAX_HEAD_BYTES or len(body) > MAX_BODY_BYTES:
        raise EnvelopeError(
            f"A message may have at most {MAX_BODY_BYTES >> 20} MiB; this one has {len(body):,} bytes"
        )
    return b"CW%d %s\n%s" % (PROTOCOL, key.sign(SIGNED_TEXT + text).hex().encode(), text)


def pack(key: Ed25519PrivateKey, head: dict[str, Any], content: Any) -> bytes:
    """Return a complete envelope around `content` as JSON."""
    body = canonical(content)
    return seal(key, head, body) + b"\n" + body


def unpack(raw: bytes, key: Ed25519PublicKey) -> tuple[dict[str, Any], Any]:
    """Return the head and the content of a complete envelope. Raises EnvelopeError."""
    first, head, body = split(raw)
    return opened(first + b"\n" + head, body, key), parse(body)


def split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """Return first line, head and body, unverified."""
    if len(raw) > MAX_BODY_BYTES + MAX_HEAD_BYTES:
        raise EnvelopeError(f"It has {len(raw):,} bytes")
    first, _, rest = raw.partition(b"\n")
    head, newline, body = rest.partition(b"\n")
    if not newline:
        raise EnvelopeError("It is not an envelope")
    return first, head, body


def opened(sealed: bytes, body: bytes, key: Ed25519PublicKey) -> dict[str, Any]:
    """Return the head of what `seal` made, if `key` signed it for this body. Raises EnvelopeError."""
    first, _, head = sealed.partition(b"\n")
    signature = signature_in(first)
    if len(head) > MAX_HEAD_BYTES or len(body) > MAX_BODY_BYTES:
        raise EnvelopeError("It is too long")
    try:
        key.verify(signature, SIGNED_TEXT + head)
    except InvalidSignature:
        raise EnvelopeError("Its signature does not match this sender's key") from None
    content = parse(head)
    if not isinstance(content, dict) or content.get("sha256") != hashlib.sha256(body).hexdigest():
        raise EnvelopeError("Its body is not the signed one")
    return content


def signature_in(first_line: bytes) -> bytes:
    """Return the signature in the first line. Raises EnvelopeError, or ProtocolError for another version."""
    match = FIRST_LINE.fullmatch(first_line)
    if match is None:
        raise EnvelopeError("It is not an envelope")
    if match[1] != b"%d" % PROTOCOL:
        raise ProtocolError(int(match[1]))
    return bytes.fromhex(match[2].decode())


def canonical(content: Any) -> bytes:
    """Return the one JSON form of `content`: ASCII, without newlines, keys sorted."""
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def parse(text: bytes) -> Any:
    """Return the content of JSON of limited depth. Raises EnvelopeError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EnvelopeError(f"It is not JSON: {error}") from error
    level, depth = [content], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise EnvelopeError(f"It is nested more than {MAX_DEPTH} levels deep")
        level = [child for item in level for child in children(item) if isinstance(child, dict | list)]
    return content


def children(item: Any) -> Any:
    """Return the values inside a JSON object or array."""
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()
