"""/review/agreement/: how far reviewers agree, by field, pair of reviewers and reviewer, also in one queue."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import ReviewQueue
from datasets_app.review.agreement import FEWEST_SAMPLES, MOST_REVIEWS, RESAMPLES, agreement, rubric_fields
from datasets_app.views.review_filter import stored_queue

MOST_QUEUES = 200  # the newest ones, to choose from


@require(Scope.CURATE)
def page(request: HttpRequest) -> HttpResponse:
    """Show all fields together, and the one that the address names (or the verdict) by reviewers.

    With a queue in the address, of the queue's samples alone.
    """
    name, number = request.GET.get("field", "verdict"), request.GET.get("queue", "")
    fields, queue = rubric_fields(), stored_queue(number)
    unknown = "" if name in fields else name
    unknown_queue = bool(number) and queue is None
    context = {
        "report": agreement("verdict" if unknown else name, queue),
        "queue": queue,
        "queues": ReviewQueue.objects.filter(opened_at__isnull=False)[:MOST_QUEUES],
        "unknown": unknown[:80],
        "unknown_queue": unknown_queue,
        "all_fields": fields.values(),
        "resamples": RESAMPLES,
        "fewest_samples": FEWEST_SAMPLES,
        "most_reviews": MOST_REVIEWS,
    }
    return render(request, "review/agreement.html", context, status=400 if unknown or unknown_queue else 200)
