"""Cached results, bounded by their bytes, and failures, which expire."""

from __future__ import annotations

import threading
import time
import zlib
from collections import OrderedDict

from datasets_app.bounded.errors import AnalysisError

MOST_BYTES = 4 * 2**20  # compressed: some four hundred pages of samples with 6 KB of text
LEVEL = 1  # a fifth of the bytes in 0.2 ms a page; higher levels gain little
MOST_FAILURES = 1_000
FAILURE_SECONDS = 900.0  # a busy machine may have been the reason
STARVED_SECONDS = 15.0  # a busy machine was the reason


class Results:
    """Compressed pickles of results by the digest of their call; the least recently used are dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self.size = 0
        self.lock = threading.Lock()
        self.stored: OrderedDict[bytes, bytes] = OrderedDict()
        self.failures: OrderedDict[bytes, tuple[float, AnalysisError]] = OrderedDict()

    def get(self, key: bytes) -> bytes | None:
        """Return the result, or None. Raises the AnalysisError of a call that failed lately."""
        with self.lock:
            packed = self.stored.get(key)
            if packed is not None:
                self.stored.move_to_end(key)
            expires, error = self.failures.get(key, (0.0, None))
        if packed is not None:
            return zlib.decompress(packed)
        if error is not None and time.monotonic() < expires:
            raise error.again()
        return None

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a result, unless it alone would fill a quarter of the cache."""
        packed = zlib.compress(value, LEVEL)
        if len(packed) > self.most_bytes // 4:
            return
        with self.lock:
            self.size += len(packed) - len(self.stored.pop(key, b""))
            self.stored[key] = packed
            while self.size > self.most_bytes:
                self.size -= len(self.stored.popitem(last=False)[1])

    def fail(self, key: bytes, error: AnalysisError) -> None:
        seconds = STARVED_SECONDS if error.is_starved else FAILURE_SECONDS
        with self.lock:
            self.failures[key] = (time.monotonic() + seconds, error.again())
            while len(self.failures) > MOST_FAILURES:
                self.failures.popitem(last=False)

    def clear(self) -> None:
        with self.lock:
            self.stored.clear()
            self.failures.clear()
            self.size = 0
