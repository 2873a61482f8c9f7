"""Ends a process that is stuck, with the traceback of every thread in its log, so that its supervisor restarts it."""

import faulthandler
import threading
import time
from collections.abc import Callable

PULSE_SECONDS = 1.0


class StallGuard(threading.Thread):
    """Postpones the process's end once a second, as long as Python code runs and `is_well` agrees.

    The timer is faulthandler's own thread, which needs no interpreter lock: it also fires while C code holds the lock.
    """

    def __init__(self, seconds: float, is_well: Callable[[], bool] = lambda: True) -> None:
        super().__init__(name="stall-guard", daemon=True)
        self.seconds, self.is_well = seconds, is_well

    def run(self) -> None:
        self.postpone()
        while self.is_well():
            time.sleep(PULSE_SECONDS)
            self.postpone()
        faulthandler.dump_traceback()

    def postpone(self) -> None:
        faulthandler.dump_traceback_later(self.seconds, exit=True)
