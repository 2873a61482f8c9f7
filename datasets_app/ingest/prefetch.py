"""Makes the items of an iterator in a thread of its own, a few ahead of who takes them.

The database lets go of the interpreter's lock while it stores and indexes; meanwhile the next rows are read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import TypeVar

T = TypeVar("T")
AHEAD = 2  # items that wait to be taken; one more is being made
LOOK_SECONDS = 0.2  # how soon the thread notices that nobody takes its items any more


@dataclass(frozen=True)
class End:
    """After the last item; with what broke the making of them, if anything did."""

    error: BaseException | None = None


def ahead(
    items: Iterable[T], while_waiting: Callable[[], None], every_seconds: float
) -> Generator[T, None, None]:
    """The items in order, then what the iterator raised. Close it, and the thread has ended.

    `while_waiting` is called here, in the thread of who takes the items, when one is long in the making.
    """
    made: Queue[T | End] = Queue(AHEAD)
    left = threading.Event()
    thread = threading.Thread(target=make, args=(items, made, left), name="ahead", daemon=True)
    thread.start()
    try:
        while not isinstance(item := taken(made, while_waiting, every_seconds), End):
            yield item
        if item.error:
            raise item.error
    finally:
        left.set()
        thread.join()


def taken(made: Queue[T], while_waiting: Callable[[], None], every_seconds: float) -> T:
    while True:
        try:
            return made.get(timeout=every_seconds)
        except Empty:
            while_waiting()


def make(items: Iterable[T], made: Queue[T | End], left: threading.Event) -> None:
    try:
        for item in items:
            if not put(item, made, left):
                return
        put(End(), made, left)
    except BaseException as error:  # whoever takes the items raises it
        put(End(error), made, left)


def put(item: T | End, made: Queue[T | End], left: threading.Event) -> bool:
    """Whether somebody is still there to take it."""
    while not left.is_set():
        try:
            made.put(item, timeout=LOOK_SECONDS)
            return True
        except Full:
            continue
    return False
