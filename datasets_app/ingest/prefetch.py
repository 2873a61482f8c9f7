"""Makes the items of an iterator in a second thread, a few before they are needed.

The database releases the interpreter's lock while it stores and indexes; meanwhile the next rows are read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import TypeVar

T = TypeVar("T")
PREFETCHED = 2  # items that wait in the queue; one more is being made
LOOK_SECONDS = 0.2  # how soon the thread notices that its consumer is gone
# After each part of a COPY the consumer waits for the interpreter's lock, which the thread keeps for this long; the
# default is 5 ms.
SWITCH_SECONDS = 0.0005


@dataclass(frozen=True)
class End:
    """Follows the last item, with the error that the iterator raised, if any."""

    error: BaseException | None = None


def prefetch(
    items: Iterable[T], while_waiting: Callable[[], None], every_seconds: float
) -> Generator[T, None, None]:
    """Yield the items in order, then raise the iterator's error, if any. Closing it ends the thread.

    `while_waiting` is called in the consumer's thread, at this interval, while the next item is not ready.
    """
    switched_before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    queue: Queue[T | End] = Queue(PREFETCHED)
    abandoned = threading.Event()
    thread = threading.Thread(target=make, args=(items, queue, abandoned), name="prefetch", daemon=True)
    thread.start()
    try:
        while not isinstance(item := next_item(queue, while_waiting, every_seconds), End):
            yield item
        if item.error:
            raise item.error
    finally:
        abandoned.set()
        thread.join()
        sys.setswitchinterval(switched_before)


def next_item(queue: Queue[T], while_waiting: Callable[[], None], every_seconds: float) -> T:
    while True:
        try:
            return queue.get(timeout=every_seconds)
        except Empty:
            while_waiting()


def make(items: Iterable[T], queue: Queue[T | End], abandoned: threading.Event) -> None:
    try:
        for item in items:
            if not put(item, queue, abandoned):
                return
        put(End(), queue, abandoned)
    except BaseException as error:  # raised again in the consumer's thread
        put(End(error), queue, abandoned)


def put(item: T | End, queue: Queue[T | End], abandoned: threading.Event) -> bool:
    """Return whether the item was queued; False if the consumer is gone."""
    while not abandoned.is_set():
        try:
            queue.put(item, timeout=LOOK_SECONDS)
            return True
        except Full:
            continue
    return False
