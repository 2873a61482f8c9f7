"""How many connections each site process holds, in memory that all of them share, so that none is left idle.

A client that keeps its connection stays with the process that accepted it. Every process therefore writes its number
here, and the server leaves new connections to the process that holds the fewest (`Server.handle_accept`).
"""

import math
import mmap
import os
import time

MOST_PROCESSES = 64  # the most that CONCUR_SITE_PROCESSES allows
CELLS = 2  # of a process: when it last wrote, by time.monotonic, and its number of connections
SIZE_BYTES = MOST_PROCESSES * CELLS * 8
FRESH_SECONDS = 3.0  # a process that has not written for longer has ended or is stuck


def new_board() -> int:
    """Return the descriptor of an empty board, for processes that inherit it."""
    descriptor = os.memfd_create("site-connections", 0)
    os.ftruncate(descriptor, SIZE_BYTES)
    return descriptor


class Board:
    """The board as one process sees it; `number` counts the processes from 1. Without a descriptor, it is alone."""

    def __init__(self, descriptor: int = -1, number: int = 1) -> None:
        self.cells = memoryview(mmap.mmap(descriptor, SIZE_BYTES)).cast("d")
        self.own = CELLS * (number - 1)

    def write(self, connections: int) -> None:
        self.cells[self.own + 1] = connections
        self.cells[self.own] = time.monotonic()

    def fewest_elsewhere(self) -> float:
        """Return the smallest number of connections among the other processes; infinity if none other runs."""
        oldest = time.monotonic() - FRESH_SECONDS
        others = (at for at in range(0, len(self.cells), CELLS) if at != self.own)
        return min((self.cells[at + 1] for at in others if self.cells[at] > oldest), default=math.inf)
