"""/review/honeypots/: how closely reviewers look, by the samples whose answer is known."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.review.honeypots import families, miss_rates


@require(Scope.CURATE)
def page(request: HttpRequest) -> HttpResponse:
    kinds = families()
    rows = [(row, row.in_families(kind.name for kind in kinds)) for row in miss_rates()]
    return render(request, "review/honeypots.html", {"families": kinds, "rows": rows})
