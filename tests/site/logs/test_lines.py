"""Tests that one log record is one line, and that a stranger's input cannot forge another."""

import io
import logging

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path

from concur_site.logs.escape import escaped
from concur_site.logs.formatter import LineFormatter, OneLineARefusal

FORGED = "2026-01-01 00:00:00,000 INFO    site: all is well"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a plain line, with a\ttab and é", "a plain line, with a\ttab and é"),
        (f"x\n{FORGED}", f"x\\n{FORGED}"),
        ("\x1b[2Jgone\r", "\\x1b[2Jgone\\r"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u2028b\x85c", "a\\u2028b\\x85c"),
        ("\u202egnp.exe\u2066", "\\u202egnp.exe\\u2066"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_does_not_print_is_written_as_an_escape(text, shown):
    assert escaped(text) == shown


@pytest.fixture
def log():
    """Return the output of the site's handler for all records of Django's loggers during the test."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter("{asctime} {levelname:<7} {name}: {message}", style="{"))
    handler.addFilter(OneLineARefusal())
    logger = logging.getLogger("django")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


def refuse(request):
    raise PermissionDenied("no")


def distrust(request):
    raise SuspiciousOperation("odd")


def break_down(request):
    raise ValueError(f"broken\n{FORGED}\x1b[31m")


def handler400(request, exception):
    return HttpResponse(status=400)


def handler403(request, exception):
    return HttpResponse(status=403)


def handler404(request, exception):
    return HttpResponse(status=404)


urlpatterns = [path("refuse", refuse), path("distrust", distrust), path("break", break_down)]


@pytest.fixture
def pages(client, settings):
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize(("address", "status"), [("/refuse", 403), ("/distrust", 400), ("/nowhere", 404)])
def test_a_refusal_is_one_line_without_a_traceback(pages, log, address, status):
    assert pages.get(address).status_code == status
    assert len(log.getvalue().splitlines()) == 1
    assert "Traceback" not in log.getvalue()


def test_a_fault_of_the_site_has_its_traceback_once(pages, log):
    assert pages.get("/break").status_code == 500
    assert log.getvalue().count("Traceback") == 1
    assert "ValueError: broken" in log.getvalue()


def test_no_line_of_a_traceback_looks_like_a_line_of_the_log(pages, log):
    pages.get("/break")
    first, *others = log.getvalue().split("\n")
    assert "Internal Server Error: /break" in first
    assert [line for line in others if line and not line.startswith("    ")] == []
    assert "\x1b" not in log.getvalue()


def test_a_path_with_line_breaks_and_colours_is_one_plain_line(log):
    hostile = f"/x\n{FORGED}\x1b[31m\u202e"
    request = RequestFactory().get("/")
    logging.getLogger("django.request").warning("Not Found: %s", hostile, extra={"request": request})
    assert len(log.getvalue().splitlines()) == 1
    assert log.getvalue().rstrip("\n").isprintable()


def test_the_sites_own_settings_name_this_formatter_and_show_no_debug_page(settings):
    assert settings.LOGGING["formatters"]["readable"]["()"].endswith("LineFormatter")
    assert settings.LOGGING["handlers"]["stderr"]["filters"] == ["one_line_a_refusal"]
    assert settings.DEBUG is False
