"""Queries to a judge's child process, without a runner: each answer within a deadline, or the reason for none."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from eval_app.engine.sandbox import process_tree
from eval_app.engine.sandbox.channel import (
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)
from eval_app.engine.sandbox.zygote_host import Child, ZygoteHost, new_uid

_TICK_S = 0.1
_MESSAGE_S = 5.0
_MEMORY_SHARE = 0.7


class NoAnswerError(RuntimeError):
    """There is no answer; the message is a reason for a report."""


def no_wait() -> None:
    """Send the order at once: default."""


class Queries:
    """A process that answers queries in turn; after one without an answer another process takes the next."""

    def __init__(self, host: ZygoteHost, until_idle: Callable[[], None] = no_wait) -> None:
        """Store the zygote; no order is sent before `until_idle()` returns. The caller holds the lane."""
        self._host, self._until_idle = host, until_idle
        self._child: Child | None = None
        self._peer: Channel | None = None

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._end()

    def ask(
        self, order: dict[str, Any], timeout_s: float, memory_bytes: int, cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        """Return the answer to `order`. Raises NoAnswerError, and HostLostError if the zygote breaks."""
        try:
            child = self._child or self._start()
            self._until_idle()
            child.control.send(order)
            answer = self._await(child, timeout_s, memory_bytes, cancelled)
        except (ChannelClosedError, ChannelTimeoutError, MalformedMessageError):
            self._end()
            raise NoAnswerError("the measuring process ended without an answer") from None
        except BaseException:
            self._end()
            raise
        if "missing" in answer:  # whatever failed may have spoiled its context
            self._end()
        return answer

    def _start(self) -> Child:
        self._peer, theirs = Channel.pair()
        try:
            self._child = self._host.spawn(theirs, new_uid())
        finally:
            theirs.close()
        self._child.wait_ready()
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if self._peer is not None:
            self._peer.close()
        if child is not None:
            child.control.close()
            self._host.reap()
            self._host.reaped()

    def _await(
        self, child: Child, timeout_s: float, memory_bytes: int, cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        limit = min(memory_bytes, int(process_tree.memory().total * _MEMORY_SHARE))
        while not select.select([child.control], [], [], _TICK_S)[0]:
            if time.monotonic() > deadline:
                raise NoAnswerError(f"it took longer than {timeout_s:g} s")
            if cancelled():
                raise NoAnswerError("the job was cancelled")
            if self._host.held_bytes(limit) > limit:
                raise NoAnswerError("it used more host memory than the profile allows")
        return child.control.receive(_MESSAGE_S)
