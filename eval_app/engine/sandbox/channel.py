"""Messages between roles: length-prefixed JSON over a Unix socket, with a size limit, and file descriptors.

Never pickle: the candidate may have chosen the bytes that a runner sends.
"""

from __future__ import annotations

import array
import json
import math
import os
import socket
import struct
import time
from typing import Any

MAX_MESSAGE_BYTES = 8 * 2**20
MAX_DESCRIPTORS = 8
# What a small message counts for where a side may send only so much: to read it takes a while, however short it is.
LEAST_COUNTED = 1024
# Far beyond what the engine sends, and far below what exhausts the stack of a process that reads it.
MAX_DEPTH = 100
_HEADER = struct.Struct("!I")


class ChannelClosedError(ConnectionError):
    """The other side has closed the connection."""


class ChannelTimeoutError(TimeoutError):
    """The other side did not answer in time."""


class MalformedMessageError(ValueError):
    """The other side sent something that is not a message."""


class Channel:
    """One end of a private connection between two processes."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over the connected Unix socket `sock`."""
        self._socket = sock
        # What has arrived of a message, and since when; and the bytes that may still come.
        self._partial, self._began_s = bytearray(), 0.0
        self._left_bytes = math.inf

    @classmethod
    def from_fd(cls, descriptor: int) -> Channel:
        """Return the channel of an inherited or received descriptor."""
        return cls(socket.socket(fileno=descriptor))

    @classmethod
    def pair(cls) -> tuple[Channel, Channel]:
        """Return both ends of a new connection."""
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        return cls(left), cls(right)

    def fileno(self) -> int:
        """Return the descriptor, for select and for passing on."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def send(
        self, message: dict[str, Any], descriptors: list[int] | None = None, timeout_s: float | None = None
    ) -> None:
        """Send one message; the other side receives copies of `descriptors`.

        Whoever must not hang on a side that does not read gives `timeout_s`.
        """
        text = json.dumps(message, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        body = text.encode("utf-8", "surrogatepass")
        if len(body) > MAX_MESSAGE_BYTES:
            raise MalformedMessageError(f"message of {len(body)} bytes; at most {MAX_MESSAGE_BYTES}")
        self._socket.settimeout(timeout_s)
        try:
            self._send_all(_HEADER.pack(len(body)) + body, descriptors or [])
        except TimeoutError as error:
            raise ChannelTimeoutError("the other side does not read") from error
        except OSError as error:
            raise ChannelClosedError(str(error)) from error

    def _send_all(self, data: bytes, descriptors: list[int]) -> None:
        ancillary = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        )
        sent = self._socket.sendmsg([data], ancillary)
        # Sending nothing to a side that has read everything and left is an error too.
        if sent < len(data):
            self._socket.sendall(data[sent:])

    def allow(self, count: int) -> None:
        """Receive at most `count` bytes from now on, small messages counted as LEAST_COUNTED."""
        self._left_bytes = count

    @property
    def is_arriving(self) -> bool:
        """Return whether a part of a message has arrived, by `arrived`."""
        return bool(self._partial)

    def arrived(self, timeout_s: float) -> dict[str, Any] | None:
        """Return the next message once all of it is there, None before; never wait.

        Raises ChannelTimeoutError if it is not there `timeout_s` after its first byte.
        """
        wanted = _HEADER.size
        if len(self._partial) >= _HEADER.size:
            wanted += self._length(self._partial[: _HEADER.size])
        if not self._partial:
            self._began_s = time.monotonic()
        elif time.monotonic() - self._began_s > timeout_s:
            raise ChannelTimeoutError("no answer in time")
        try:
            self._partial += self._recv(wanted - len(self._partial), 0.0, None)
        except BlockingIOError:
            return None
        if len(self._partial) == _HEADER.size or len(self._partial) < wanted:
            return None
        body, self._partial = bytes(self._partial[_HEADER.size :]), bytearray()
        self._count(len(body))
        return _decode(body)

    def receive(self, timeout_s: float | None = None) -> dict[str, Any]:
        """Return the next message. Descriptors that come with it never reach this process.

        A side that sends them with part of a message would otherwise use up this one's, or give it memory to hold.
        """
        return self._receive(timeout_s, None)

    def receive_with(self, timeout_s: float | None = None) -> tuple[dict[str, Any], list[int]]:
        """Return the next message and its descriptors, from a side that is trusted."""
        descriptors: list[int] = []
        try:
            return self._receive(timeout_s, descriptors), descriptors
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            raise

    def _receive(self, timeout_s: float | None, descriptors: list[int] | None) -> dict[str, Any]:
        """Return the next message. `timeout_s` limits the whole of it, however slowly it arrives."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        length = self._length(self._read(_HEADER.size, deadline, descriptors))
        self._count(length)
        return _decode(self._read(length, deadline, descriptors))

    @staticmethod
    def _length(header: bytes | bytearray) -> int:
        (length,) = _HEADER.unpack(header)
        if not 0 < length <= MAX_MESSAGE_BYTES:
            raise MalformedMessageError(f"message of {length} bytes announced; at most {MAX_MESSAGE_BYTES}")
        return int(length)

    def _count(self, length: int) -> None:
        self._left_bytes -= max(length, LEAST_COUNTED)
        if self._left_bytes < 0:
            raise MalformedMessageError("more messages than a job needs")

    def _read(self, count: int, deadline: float | None, descriptors: list[int] | None) -> bytes:
        chunks = bytearray()
        while len(chunks) < count:
            chunks += self._read_some(count - len(chunks), deadline, descriptors)
        return bytes(chunks)

    def _read_some(self, count: int, deadline: float | None, descriptors: list[int] | None) -> bytes:
        remaining = None if deadline is None else deadline - time.monotonic()
        if remaining is not None and remaining <= 0:
            raise ChannelTimeoutError("no answer in time")
        try:
            return self._recv(count, remaining, descriptors)
        except TimeoutError as error:
            raise ChannelTimeoutError("no answer in time") from error

    def _recv(self, count: int, timeout_s: float | None, descriptors: list[int] | None) -> bytes:
        self._socket.settimeout(timeout_s)
        try:
            if descriptors is None:
                data = self._socket.recv(min(count, 2**20))
            else:
                data, received, _, _ = socket.recv_fds(self._socket, min(count, 2**20), MAX_DESCRIPTORS)
                descriptors.extend(received)
        except (TimeoutError, BlockingIOError):
            raise
        except OSError as error:
            raise ChannelClosedError(str(error)) from error
        if not data:
            raise ChannelClosedError("the other side closed the connection")
        return data


def _refuse_constant(text: str) -> float:
    raise MalformedMessageError(f"{text} is not allowed as a number in a message")


def _finite(text: str) -> float:
    """Return the number; one too large for a float would be an infinity, which no message can pass on."""
    number = float(text)
    return number if math.isfinite(number) else _refuse_constant(text[:20])


def _decode(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise MalformedMessageError(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise MalformedMessageError("a message must be an object")
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_deep(message):
        raise MalformedMessageError(f"a message nested deeper than {MAX_DEPTH} levels")
    return message


def _is_deep(message: dict[str, Any]) -> bool:
    """Return whether values are nested deeper than MAX_DEPTH; such a message could end the process that prints it."""
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        containers = [item for item in level if isinstance(item, dict | list)]
        if not containers:
            return False
        level = [
            value for item in containers for value in (item.values() if isinstance(item, dict) else item)
        ]
    return True
