"""One query to a judge's child process, without a runner: its answer within a deadline, or the reason for none."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from typing import Any

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


def ask(
    host: ZygoteHost,
    order: dict[str, Any],
    timeout_s: float,
    memory_bytes: int,
    cancelled: Callable[[], bool],
    until_idle: Callable[[], None] = no_wait,
) -> dict[str, Any]:
    """Return the answer to `order`, which is sent after `until_idle()`. The caller holds the lane.

    Raises NoAnswerError, and HostLostError if the zygote breaks.
    """
    mine, theirs = Channel.pair()
    try:
        child = host.spawn(theirs, new_uid())
    finally:
        theirs.close()
    try:
        child.wait_ready()
        until_idle()
        child.control.send(order)
        return _await(host, child, timeout_s, memory_bytes, cancelled)
    except (ChannelClosedError, ChannelTimeoutError, MalformedMessageError):
        raise NoAnswerError("the measuring process ended without an answer") from None
    finally:
        child.control.close()
        mine.close()
        host.reap()
        host.reaped()


def _await(
    host: ZygoteHost, child: Child, timeout_s: float, memory_bytes: int, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    deadline = time.monotonic() + timeout_s
    limit = min(memory_bytes, int(process_tree.memory().total * _MEMORY_SHARE))
    while not select.select([child.control], [], [], _TICK_S)[0]:
        if time.monotonic() > deadline:
            raise NoAnswerError(f"it took longer than {timeout_s:g} s")
        if cancelled():
            raise NoAnswerError("the job was cancelled")
        if host.usage().resident_bytes > limit:
            raise NoAnswerError("it used more host memory than the profile allows")
    return child.control.receive(_MESSAGE_S)
