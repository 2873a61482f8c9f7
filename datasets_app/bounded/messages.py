"""Frames between a process and its child: a length, then a pickle. A child's answers may contain plain data only."""

from __future__ import annotations

import dataclasses
import io
import pickle
import socket
import struct
import time
from enum import Enum
from importlib import import_module
from typing import Any

READY = b"ready"  # the first frame of a child
LEAVES, STAYS = b"L", b"S"  # before each answer: whether the process ends after it
VALUE = "value"  # the kind of a successful answer
LENGTH = struct.Struct("!Q")
LARGEST_ANSWER_BYTES = 32 * 2**20
CHUNK_BYTES = 1 << 20


class AnswerTooLargeError(Exception):
    """The frame is longer than a page may show."""


class NotPlainDataError(Exception):
    """The frame is not a pickle, or names something that an answer may not contain."""


def send(connection: socket.socket, data: bytes) -> None:
    connection.sendall(LENGTH.pack(len(data)) + data)


def receive(
    connection: socket.socket, most: int = LARGEST_ANSWER_BYTES, deadline: float | None = None
) -> bytes:
    """Return the next frame; empty if the other side has closed. Raises TimeoutError at the deadline."""
    head = exactly(connection, LENGTH.size, deadline)
    if not head:
        return b""
    (size,) = LENGTH.unpack(head)
    if size > most:
        raise AnswerTooLargeError(f"{size:,} bytes")
    return exactly(connection, size, deadline)


def exactly(connection: socket.socket, size: int, deadline: float | None) -> bytes:
    received = bytearray()
    while len(received) < size:
        connection.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
        try:
            part = connection.recv(min(CHUNK_BYTES, size - len(received)))
        except ConnectionResetError:  # the other side ended before it had read everything
            part = b""
        if not part:
            return b""
        received += part
    return bytes(received)


class PlainData(pickle.Unpickler):
    """Builds the project's own dataclasses, named tuples, enums and HTML; refuses everything else that is named."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] in ("datasets_app", "eval_app") and "." not in name:
            named = getattr(import_module(module), name, None)
            if isinstance(named, type) and is_plain(named):
                return named
        if (module, name) in {("builtins", "frozenset"), ("builtins", "set")}:
            return getattr(import_module(module), name)
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def is_plain(named: type) -> bool:
    return dataclasses.is_dataclass(named) or issubclass(named, Enum | tuple | str)


def unpacked(data: bytes) -> Any:
    """Return what a child answered. Raises NotPlainDataError."""
    try:
        return PlainData(io.BytesIO(data)).load()
    except Exception as error:  # bytes that are not a pickle raise almost anything
        raise NotPlainDataError(str(error)) from error
