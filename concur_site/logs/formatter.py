"""Formats the records of the site's log, and drops the traceback of some."""

import logging
from typing import Any

from concur_site.logs.escape import escaped
from datasets_app.disk_space import is_out_of_space
from datasets_app.log_context.formatters import with_ids
from datasets_app.log_context.secrets import without_secrets

SERVER_ERROR = 500
INSUFFICIENT_STORAGE = 507  # a full disk is no fault of the code


class LineFormatter(logging.Formatter):
    """Writes the message in one line, and each line of a traceback indented below it.

    A message or the text of an exception may quote a request: neither can begin a line of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escaped(with_ids(super().formatMessage(record)))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return indented(super().formatStack(stack_info))


def indented(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


class OneLineARefusal(logging.Filter):
    """Drops the traceback of refusals: answers below 500, and full disks."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", SERVER_ERROR)
        is_refusal = status < SERVER_ERROR or status == INSUFFICIENT_STORAGE
        if is_refusal or (record.exc_info and is_out_of_space(record.exc_info[1])):
            record.exc_info = record.exc_text = None
        return True
