"""/leaderboard/: runs judged over the same tasks on one device, the samples behind each number a link away."""

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.leaderboard import leaderboard
from datasets_app.analysis.leaderboard_request import LeaderboardRequest
from datasets_app.analysis.metrics import MetricError
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query.query_line import QueryLine, refused
from datasets_app.browse.query.task_filter import TASK_FILTERS

ON_TASKS: dict[str, Any] = {
    "button": "Apply filter",
    "example": "suite:KernelBench level:1",
    "only": tuple(TASK_FILTERS),
}


@require(Scope.READ)
def page(request: HttpRequest) -> HttpResponse:
    here = reverse("leaderboard")
    try:
        if "query" in request.GET:
            return HttpResponseRedirect(typed_address(request))
        asked = LeaderboardRequest.from_params(request.GET)
    except BrowseError as error:
        context: dict[str, Any] = {"refused": refused(request.GET.copy(), error, here, **ON_TASKS)}
        return render(request, "analysis/leaderboard.html", context, status=400)
    context = {"asked": asked, "line": QueryLine(here, asked.filter.typed(), asked.beside, **ON_TASKS)}
    try:
        board = leaderboard(asked.tasks, asked.device, asked.p, asked.k, asked.by)
        rows = [(run, asked.samples(run), asked.passed(run), asked.faster(run)) for run in board.runs]
        context |= {"board": board, "rows": rows, "verify_first": verify_command(board.unverified)}
    except MetricError as error:
        context["problem"] = str(error)
    return render(request, "analysis/leaderboard.html", context)


def verify_command(sources: Sequence[str]) -> str:
    """Return the arguments of the command that verifies the first source, safe to paste whatever it is called; empty
    without one."""
    if not sources:
        return ""
    query = BrowseFilter().having("source", sources[0]).typed()
    return f"verify --query {shlex.quote(query)} --wait"


def typed_address(request: HttpRequest) -> str:
    """Return the address of the typed line, which keeps the other choices. Raises BrowseError."""
    choices = urlencode(
        [(name, value) for name in ("on", "p", "k", "by") for value in request.GET.getlist(name)]
    )
    query = parse_query(request.GET.get("query", "")).querystring()
    return f"{reverse('leaderboard')}?{'&'.join(part for part in (query, choices) if part)}"
