"""The loop of one site process: it accepts, reads and sends; once a second it closes, refuses, and detects stuck
requests.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from concur_site.server.board import Board
from concur_site.server.busy import Busy
from concur_site.server.channel import Channel
from concur_site.server.dispatcher import Dispatcher
from concur_site.server.limits import KIB, MIB, Limits
from concur_site.server.running import Running
from datasets_app.counters import instruments

log = logging.getLogger(__name__)
LIGHT_PATHS = {"/healthz", "/health/live", "/health/ready"}
TICK_SECONDS = 1.0
UNBOUNDED = 1e9  # seconds
GIVE_WAY_SECONDS = 0.005  # a loop whose threads compute takes a connection within this time
OWN_ENTRIES = 2  # of the loop's map: the listening socket and the trigger


class Server(TcpWSGIServer):
    """waitress's server on a socket that is already listening."""

    channel_class = Channel

    def __init__(self, application: Any, listener: Any, limits: Limits, board: Board | None = None) -> None:
        self.limits = limits
        self.board = board or Board()
        self.gives_way_until = 0.0  # while a new connection is left to the other processes
        self.gave_way = False
        self.stopping = False
        self.ended = False
        self.ending = threading.RLock()  # a signal handler may interrupt its holder
        self.running: dict[int, Running] = {}
        self.checked_at = 0.0
        self.express: Dispatcher[Channel] = Dispatcher(limits.express_threads, limits.connections, UNBOUNDED)
        self.pages: Dispatcher[Channel] = Dispatcher(limits.threads, limits.queue, limits.queue_seconds)
        super().__init__(
            application,
            {},
            _sock=listener,
            dispatcher=self.pages,
            adj=adjustments(limits),
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            bind_socket=False,
        )

    def set_reuse_addr(self) -> None:
        """Do nothing: the socket was created by another process."""

    def add_task(self, channel: Channel) -> None:
        """Queue the channel's next request, or refuse it. Called with the channel's lock held."""
        request = channel.requests[0]
        if channel.total_outbufs_len:
            channel.parked = True
        elif request.error or is_light(request.path):
            self.express.add(channel)
        elif not self.pages.add(channel):
            self.refuse(channel)

    def refuse(self, channel: Channel) -> None:
        instruments.refused_request()
        channel.requests[0].error = Busy(channel.requests[0].path)
        self.express.add(channel)

    def maintenance(self, now: float) -> None:
        """Do nothing: `check` does this, also for clients that receive nothing."""

    # --- The loop ---

    def run(self) -> None:
        while not self.stopping:
            self.poll()
        self.drain()

    def poll(self, seconds: float = TICK_SECONDS) -> None:
        gives_way_for = self.gives_way_until - time.monotonic()
        if gives_way_for > 0:
            seconds = min(seconds, gives_way_for)
        elif self.gives_way_until:
            # What the others have not taken is accepted in this turn, however late it is.
            self.gave_way, self.gives_way_until, seconds = True, 0.0, 0.0
        wasyncore.poll2(seconds, self._map)
        self.gave_way = False
        self.board.write(len(self.active_channels))
        now = time.monotonic()
        if now - self.checked_at >= TICK_SECONDS:
            self.checked_at = now
            self.check(now)

    def check(self, now: float) -> None:
        channels = list(self.active_channels.values())
        for channel in channels:
            if channel.is_overdue(now):
                channel.handle_close()
        for channel in self.pages.take_overdue():
            self.refuse(channel)
        self.make_room(channels)
        self.bound_bodies(channels)
        self.even_out(channels)

    def make_room(self, channels: list[Channel]) -> None:
        """At the limit of connections, close a tenth of them: the longest idle first."""
        if self.in_connection_overflow:
            idle = sorted((c for c in channels if c.state == "idle"), key=lambda c: c.watched_since)
            for channel in idle[: max(1, self.limits.connections // 10)]:
                channel.handle_close()

    def bound_bodies(self, channels: list[Channel]) -> None:
        """Close the largest incomplete request bodies while all bodies, which wait on disk, take too much space."""
        complete = sum(request.body_bytes_received for c in channels for request in list(c.requests))
        sizes = {c: c.request.body_bytes_received for c in channels if c.request is not None}
        excess = complete + sum(sizes.values()) - self.limits.all_bodies_bytes
        for channel in sorted(sizes, key=lambda c: sizes[c], reverse=True):
            if excess <= 0:
                break
            excess -= sizes[channel]
            channel.handle_close()

    # --- Sharing connections with the other site processes ---

    def readable(self) -> bool:
        return bool(super().readable()) and not self.gives_way_until

    def handle_accept(self) -> None:
        """Accept a connection, after leaving it for some ms to a process that holds fewer."""
        if not self.gave_way and self.board.fewest_elsewhere() < len(self.active_channels):
            self.gives_way_until = time.monotonic() + GIVE_WAY_SECONDS
        else:
            super().handle_accept()

    def even_out(self, channels: list[Channel]) -> None:
        """Have connections end with their next answer while another process holds fewer, so that their clients come
        back and are shared anew. After a process was replaced, all are with the others.
        """
        surplus = (len(channels) - min(len(channels), self.board.fewest_elsewhere())) // 2
        latest_first = sorted(channels, key=lambda c: c.last_activity, reverse=True)
        for place, channel in enumerate(latest_first):
            channel.leaves = place < surplus

    def stop(self) -> None:
        """Stop accepting, finish running requests, return from `run`. Safe in any thread and signal handler."""
        self.stopping = True
        self.pull_trigger()

    def pull_trigger(self) -> None:
        """Wake the loop, unless it has ended: the trigger's descriptor may be another file's by then."""
        with self.ending:
            if not self.ended:
                super().pull_trigger()

    def drain(self) -> None:
        """Let running requests and unsent responses finish, for some seconds."""
        self.accepting = False
        deadline = time.monotonic() + self.limits.drain_seconds
        self.poll(0.1)  # also answer requests that have already arrived
        while time.monotonic() < deadline and any(c.state != "idle" for c in self.active_channels.values()):
            self.poll(0.1)
        with self.ending:
            self.ended = True
        wasyncore.close_all(self._map)

    # --- Stuck requests ---

    @contextmanager
    def noted(self, request: Running) -> Iterator[None]:
        """Keep the request in `running`, also if its client leaves and the connection is forgotten."""
        self.running[id(request)] = request
        try:
            yield
        finally:
            del self.running[id(request)]

    def longest_running(self) -> Running | None:
        now = time.monotonic()
        return max(list(self.running.values()), key=lambda request: request.seconds(now), default=None)

    def is_well(self) -> bool:
        """Return whether no request runs beyond its deadline; otherwise log it and stop."""
        longest, now = self.longest_running(), time.monotonic()
        if longest is None or longest.seconds(now) < self.limits.request_seconds:
            return True
        log.error("%r has run for %.0f s: this process is replaced", longest.name, longest.seconds(now))
        self.stop()
        return False


def adjustments(limits: Limits) -> Adjustments:
    return Adjustments(
        connection_limit=limits.connections + OWN_ENTRIES,
        max_request_header_size=limits.header_bytes,
        max_request_body_size=limits.body_bytes,
        channel_request_lookahead=1,  # so that a client's disconnection is noticed and its waiting request dropped
        recv_bytes=64 * KIB,
        outbuf_overflow=4 * MIB,
        outbuf_high_watermark=16 * MIB,
        asyncore_use_poll=True,
        log_socket_errors=False,  # clients disconnect all the time
        ident=None,
        # Django reads X-Forwarded-Proto behind TLS, and X-Forwarded-For from trusted proxies alone.
        clear_untrusted_proxy_headers=not (settings.BEHIND_TLS or settings.TRUSTED_PROXIES),
    )


def is_light(path: str) -> bool:
    """Return whether a request is cheap, so that it is answered however many pages wait."""
    return path in LIGHT_PATHS or path.startswith(settings.STATIC_URL)
