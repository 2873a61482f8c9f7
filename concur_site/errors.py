"""Responses to errors before or outside a view: JSON under /api/, otherwise a page. A full disk is 507.

Handlers of the URL configuration also cover errors that a middleware does not see: those of the session, the sign-in
and the body.
"""

import logging
import secrets
import sys
from typing import Any

import psycopg
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest
from django.db import InterfaceError, OperationalError
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseServerError,
)
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import defaults

from datasets_app import disk_space
from datasets_app.accounts.problem import problem_response
from datasets_app.api.errors import is_api
from datasets_app.log_context import context

INSUFFICIENT_STORAGE = 507
# Classes of SQLSTATE: connection exceptions, and a server that shuts down, crashed or starts.
CONNECTION_STATES = ("08", "57P")
DATABASE_AWAY = (
    "The database does not answer. This request was not stored; what was stored before is not affected. "
    "Queued and running verifications continue when it answers again. Try again in a moment."
)
UNREADABLE = "The request could not be read."
log = logging.getLogger(__name__)


@login_not_required
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if disk_space.is_out_of_space(exception):  # a session that could not be stored
        return out_of_space(request, exception)
    if is_api(request):
        return problem_response(400, str(exception) if isinstance(exception, BadRequest) else UNREADABLE)
    # Without the frame of other pages: the session may not be known yet.
    sentence = str(exception) if isinstance(exception, BadRequest) else ""
    return HttpResponseBadRequest(render_to_string("400.html", {"sentence": sentence}))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(403, str(exception) or "This account is not allowed to do this.")
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(404, "There is nothing at this address. See /api/docs/.")
    return defaults.page_not_found(request, exception)


@login_not_required
def server_error(request: HttpRequest) -> HttpResponse:
    """Answer with the request's id, under which the log has the traceback."""
    if disk_space.is_out_of_space(error := sys.exception()):
        return out_of_space(request, error)
    if is_database_away(error):
        return database_away(request)
    identifier = context.request_id() or secrets.token_hex(8)
    log.error("error %s: %s %s", identifier, request.method, request.path[:500])
    if is_api(request):
        sentence = "Something went wrong on our side. The site's log has the details under this id."
        return problem_response(500, sentence, id=identifier)
    shown: dict[str, Any] = {"id": identifier}
    return HttpResponseServerError(render_to_string("500.html", shown))


def is_database_away(error: BaseException | None) -> bool:
    """Return whether PostgreSQL could not be reached, or ended the connection: it was stopped, killed, or starts."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if not isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return False
    return cause.sqlstate is None or cause.sqlstate.startswith(CONNECTION_STATES)


def database_away(request: HttpRequest) -> HttpResponse:
    """Answer 503: nothing of this request was stored, and a later one may succeed."""
    log.error("the database does not answer: %s %s", request.method, request.path[:500])
    response = (
        problem_response(503, DATABASE_AWAY)
        if is_api(request)
        else HttpResponse(
            render_to_string("503.html", {"title": "The database is away", "sentence": DATABASE_AWAY}),
            status=503,
        )
    )
    response.headers["Retry-After"] = "10"
    return response


def out_of_space(request: HttpRequest, error: BaseException | None) -> HttpResponse:
    """Answer which disk is full, as JSON, as a line for a part of a page, or as a page."""
    disk_space.note_refusal(error)
    sentence = disk_space.sentence(error, names_the_folder=is_signed_in(request))
    if request.path.startswith("/api/") or "application/json" in request.headers.get("Accept", ""):
        return problem_response(INSUFFICIENT_STORAGE, sentence)
    if request.headers.get("HX-Request"):
        return HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=INSUFFICIENT_STORAGE)
    return render(request, "507.html", {"sentence": sentence}, status=INSUFFICIENT_STORAGE)


def is_signed_in(request: HttpRequest) -> bool:
    """Return whether the visitor is signed in: others must not see paths. The lookup may fail on a full disk too."""
    try:
        user: Any = request.user
        return bool(user.is_authenticated)
    except Exception:
        return False
