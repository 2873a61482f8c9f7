"""The page on which a review is withdrawn."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review
from datasets_app.models.bounds import LONGEST_REASON


@require(Scope.ANNOTATE, "GET", "POST")
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a review with a form for the reason, or withdraw it; a refused reason comes back in the form."""
    reviews = stage.readable_reviews(actor_of(request)).with_reviewer().select_related("sample__task")
    review = get_object_or_404(reviews, pk=pk)
    if request.method != "POST":
        return page(request, review)
    try:
        stage.withdraw_review(review, actor_of(request), request.POST.get("reason", ""))
    except PermissionDenied as error:
        return page(request, review, 403, str(error))
    except stage.ReviewError as error:
        return page(
            request, review, 409 if isinstance(error, stage.ReviewWithdrawnError) else 400, str(error)
        )
    return HttpResponseRedirect(review.sample.get_absolute_url())


def page(request: HttpRequest, review: Review, status: int = 200, refusal: str = "") -> HttpResponse:
    is_open = may_withdraw(actor_of(request), review.reviewer_id) and not review.is_withdrawn
    context = {
        "review": review,
        "refusal": refusal,
        "reason": request.POST.get("reason", ""),
        "may_withdraw": is_open,
        "longest_reason": LONGEST_REASON,
    }
    return render(request, "review/withdraw.html", context, status=status)
