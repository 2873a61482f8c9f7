"""Log records as readable lines with the ids at their end, or as JSON, one object per line."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from datasets_app.log_context import context
from datasets_app.log_context.secrets import without_secrets

READABLE = "{asctime} {levelname:<7} {name}: {message}"
FORMATS = ("readable", "json")


def with_ids(line: str) -> str:
    """Return a line with the ids of its request and job, if there are any."""
    ids = " ".join(f"{name}={value}" for name, value in context.ids().items())
    return f"{line} [{ids}]" if ids else line


class ReadableFormatter(logging.Formatter):
    """A host's lines; the site's own, `concur_site.logs.formatter`, escape what strangers write as well."""

    def __init__(self) -> None:
        super().__init__(READABLE, style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return with_ids(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """One JSON object per record, in ASCII: no text in it can begin a line of its own.

    Members: `at` (UTC), `level`, `logger`, `message`, `process`, and where there is one `request`, `job` and `error`
    (the traceback).
    """

    def format(self, record: logging.LogRecord) -> str:
        content: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            "process": record.process,
            **context.ids(),
        }
        if record.exc_info:
            content["error"] = without_secrets(self.formatException(record.exc_info))
        if record.stack_info:
            content["stack"] = without_secrets(record.stack_info)
        return json.dumps(content)


def formatter(name: str) -> logging.Formatter:
    """Return the formatter of a host for a value of CONCUR_LOG_FORMAT."""
    return JsonFormatter() if name == "json" else ReadableFormatter()
