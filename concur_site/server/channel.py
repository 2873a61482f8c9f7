"""One connection: its received and sent bytes, its rate, and its pending requests."""

import fcntl
import io
import os
import struct
import termios
from contextlib import AbstractContextManager
from typing import Any, Protocol

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel

from concur_site.server.limits import KIB, Limits
from concur_site.server.parser import StrictParser
from concur_site.server.running import Running

# The most per connection and round of the loop, so that one fast download delays no other client.
ROUND_BYTES = 512 * KIB
COPY_BYTES = 128 * KIB
FILE_TYPES = (io.FileIO, io.BufferedReader, io.BufferedRandom)  # whose bytes are those of their descriptor


class Owner(Protocol):
    """The server, as its channels use it."""

    limits: Limits

    def add_task(self, channel: "Channel") -> None: ...

    def noted(self, request: Running) -> AbstractContextManager[None]: ...


class Channel(HTTPChannel):
    """waitress's channel with deadlines. No thread waits for a client, except while it streams a long response."""

    parser_class = StrictParser
    server: Owner

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.received_bytes = self.sent_bytes = self.served = 0
        self.queued_at = 0.0
        self.leaves = False  # whether the connection ends with its next answer
        self.parked = False  # whether a pipelined request waits for the previous response to be sent
        self.running: Running | None = None
        # The state that `is_overdue` saw last, since when, and at how many bytes.
        self.watched: tuple[str, int] = ("", 0)
        self.watched_since, self.watched_bytes = 0.0, 0
        super().__init__(*arguments, **options)

    # --- Called by the loop ---

    def received(self, data: bytes) -> bool:
        self.received_bytes += len(data)
        return bool(super().received(data))

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.sent_bytes += sent
        return sent

    def writable(self) -> bool:
        if self.parked and not self.total_outbufs_len:
            self.parked = False
            self.server.add_task(self)
        return bool(super().writable())

    def is_overdue(self, now: float) -> bool:
        """Return whether the client has been idle for too long, or sends or takes less than the minimum rate."""
        limits, state = self.server.limits, (self.state, self.served)
        if state != self.watched:
            self.watched, self.watched_since, self.watched_bytes = state, now, self.moved_bytes
            return False
        seconds = now - self.watched_since
        if self.state == "idle":
            return seconds > limits.idle_seconds
        if self.state == "working" or seconds < limits.window_seconds:
            return False
        moved, self.watched_since = self.moved_bytes - self.watched_bytes, now
        self.watched_bytes += moved
        return moved < limits.window_bytes

    @property
    def state(self) -> str:
        if self.total_outbufs_len:
            return "sending"
        if self.requests:
            return "working"
        return "receiving" if self.request is not None else "idle"

    @property
    def moved_bytes(self) -> int:
        """Return the bytes sent and received over the network, without those that the kernel still buffers."""
        if self.state != "sending" or self.socket is None:
            return self.received_bytes
        waiting = struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, b"\0\0\0\0"))[0]
        return self.sent_bytes - int(waiting)

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send until the socket is full or the round's share is used up."""
        allowance = ROUND_BYTES
        while allowance > 0 and self.outbufs:
            outbuf = self.outbufs[0]
            if outbuf.__len__():
                sent = self.send_from(outbuf, min(allowance, outbuf.__len__()), do_close)
                if not sent:
                    break
                outbuf.skip(sent, True)
                self.total_outbufs_len -= sent
                allowance -= sent
            elif len(self.outbufs) > 1:
                self.outbufs.pop(0).close()
            else:
                break
        return allowance < ROUND_BYTES

    def send_from(self, outbuf: Any, count: int, do_close: bool) -> int:
        """Send the next bytes of a buffer; those of a file without copying them."""
        if isinstance(outbuf, ReadOnlyFileBasedBuffer) and isinstance(outbuf.file, FILE_TYPES):
            return self.send_file(outbuf.file, count)
        data = outbuf.get(min(count, COPY_BYTES))
        self.will_close |= not data  # fewer bytes than announced: the client must not wait for them
        return self.send(data, do_close) if data else 0

    def send_file(self, file: Any, count: int) -> int:
        offset = getattr(file, "first", 0) + file.tell()
        try:
            sent = os.sendfile(self.socket.fileno(), file.fileno(), offset, count)
        except BlockingIOError:
            return 0
        self.will_close |= not sent
        self.sent_bytes += sent
        return sent

    # --- Called by the threads ---

    def service(self) -> None:
        request = self.requests[0]
        if self.leaves and not request.error:
            request.headers["CONNECTION"] = "close"
        self.running = Running(f"{getattr(request, 'command', '')} {getattr(request, 'path', '')}"[:300])
        try:
            with self.server.noted(self.running):
                super().service()
        finally:
            self.running = None
            self.served += 1

    def write_soon(self, data: Any) -> int:
        """Block this thread, where waitress does, while the client is far behind a streamed response."""
        if self.running is None:
            return int(super().write_soon(data))
        self.running.got_on()
        if self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return int(super().write_soon(data))
        with self.running.waiting_for_client():
            super()._flush_outbufs_below_high_watermark()
        return int(super().write_soon(data))

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Do nothing: `write_soon` waits, and `Server.add_task` parks a pipelined request instead of a thread."""
