"""/review/agreement/: how far reviewers agree, by field, pair of reviewers and reviewer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.review.agreement import FEWEST_SAMPLES, MOST_REVIEWS, RESAMPLES, agreement, rubric_fields


@require(Scope.CURATE)
def page(request: HttpRequest) -> HttpResponse:
    """Show all fields together, and the one that the address names (or the verdict) by reviewers."""
    name = request.GET.get("field", "verdict")
    fields = rubric_fields()
    unknown = "" if name in fields else name
    context = {
        "report": agreement("verdict" if unknown else name),
        "unknown": unknown[:80],
        "all_fields": fields.values(),
        "resamples": RESAMPLES,
        "fewest_samples": FEWEST_SAMPLES,
        "most_reviews": MOST_REVIEWS,
    }
    return render(request, "review/agreement.html", context, status=400 if unknown else 200)
