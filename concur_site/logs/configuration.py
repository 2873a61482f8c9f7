"""The configuration of logging, as Django's setting takes it."""

from typing import Any


def logging_of(level: str, form: str) -> dict[str, Any]:
    """Return the configuration for a level and a form, `readable` or `json`: all records to stderr, errors counted."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "readable": {
                "()": "concur_site.logs.formatter.LineFormatter",
                "format": "{asctime} {levelname:<7} {name}: {message}",
                "style": "{",
            },
            "json": {"()": "datasets_app.log_context.formatters.JsonFormatter"},
        },
        "filters": {"one_line_a_refusal": {"()": "concur_site.logs.formatter.OneLineARefusal"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["one_line_a_refusal"],
            },
            "counter": {"class": "concur_site.logs.counting.CountErrors"},
        },
        # Heartbeats arrive every few seconds: one log line each would hide everything else.
        "loggers": {name: {"level": "WARNING"} for name in ("celery.worker.strategy", "celery.app.trace")},
        "root": {"handlers": ["stderr", "counter"], "level": level},
    }
