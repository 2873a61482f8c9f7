"""Counts the errors of the log for /metrics."""

import logging

from datasets_app.counters import instruments


class CountErrors(logging.Handler):
    """Writes nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        instruments.logged_error()
