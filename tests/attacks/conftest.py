"""The objects and visitors of the access matrix, for attacks on every address."""

import logging

import pytest

from datasets_app.counters import instruments
from tests.site import matrix
from tests.site.matrix_objects import Objects


@pytest.fixture
def quiet():
    """Silence the log of thousands of refusals."""
    loggers = [logging.getLogger(name) for name in ("django.request", "django.security.csrf")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture
def objects(db, settings, tmp_path, quiet, monkeypatch):
    settings.EXPORT_DIR, settings.UPLOAD_DIR = tmp_path / "exports", tmp_path / "uploads"
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"  # one query less per request
    # Thousands of requests to all routes would make /metrics, which some of them ask for, very long.
    monkeypatch.setattr(instruments, "page", lambda *request: None)
    return Objects.make()


@pytest.fixture
def visitors(objects):
    return matrix.Visitors.make()
