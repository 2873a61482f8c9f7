"""/review/adjudicate/: the samples whose reviewers disagree, and one of them on one page with the form that decides."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.models import Review, Sample
from datasets_app.models.queue import policies_of
from datasets_app.models.verdict_policy import current_policy, decide
from datasets_app.review.adjudicate import adjudicate, disputed, obstacle, standing_votes
from datasets_app.review.form import ReviewForm, opened
from datasets_app.review.rubric import VERDICTS, current_rubric

MOST_ROWS = 50
FORM = "[name=verdict]"  # without which its keys mean nothing
KEYS = [
    *((choice.key, choice.title, FORM) for choice in VERDICTS),
    ("m", "Write the reason; Esc leaves it", FORM),
    ("s", "Adjudicate and open the next (in the reason: Ctrl Enter)", FORM),
]


@require(Scope.CURATE)
def conflicts(request: HttpRequest) -> HttpResponse:
    rows = disputed()
    shown = rows.prefetch_related("task", Prefetch("reviews", Review.objects.with_reviewer()))[:MOST_ROWS]
    policies, of_site = policies_of(sample.pk for sample in shown), current_policy()
    samples = [(sample, decide(sample.reviews.all(), policies.get(sample.pk, of_site))) for sample in shown]
    count = len(samples) if len(samples) < MOST_ROWS else rows.count()
    return render(request, "review/conflicts.html", {"samples": samples, "count": count})


@require(Scope.CURATE, "GET", "POST")
def conflict(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample.objects.select_related("task"), pk=pk)
    return submit(request, sample) if request.method == "POST" else page(request, sample)


def submit(request: HttpRequest, sample: Sample) -> HttpResponse:
    form = ReviewForm(sample, current_rubric(), request.POST)
    if not form.is_valid():
        lost = bool({"key", "seen"} & set(form.errors))
        form = form.renewed(stage.look(sample, request.user), new_key=True) if lost else form
        return page(request, sample, form, 400, lost=lost)
    given = form.cleaned_data
    try:
        adjudicate(sample, actor_of(request), given["verdict"], given["comment"], given["key"], given["seen"])
    except stage.ReviewError as error:
        for name, sentence in error.errors.items():
            form.add_error(name if name in form.fields else None, sentence)
        return page(request, sample, form, 400)
    except (stage.ChangedSinceError, stage.KeyReusedError) as error:
        now = stage.look(sample, request.user)
        form = form.renewed(now, new_key=isinstance(error, stage.KeyReusedError))
        return page(request, sample, form, 409, conflict=error)
    return to_next(request)


def to_next(request: HttpRequest) -> HttpResponse:
    if (following := disputed().first()) is None:
        messages.success(request, "Adjudicated. No reviewers disagree any more.")
        return redirect("adjudication")
    return HttpResponseRedirect(reverse("adjudicate", args=[following.pk]))


def page(
    request: HttpRequest, sample: Sample, form: ReviewForm | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    """Show the votes side by side, the evidence, and the form unless something prevents a decision."""
    judgements = stage.Judgements.of(sample)
    votes = standing_votes(sample)
    context = {
        "sample": sample,
        "votes": votes,
        "adjudications": [review for review in judgements.reviews if review.is_adjudication],
        "decision": decide(judgements.reviews, judgements.policy),
        "obstacle": obstacle(actor_of(request), sample, votes),
        "evidence": evidence_of(sample),
        "form": form or opened(sample, current_rubric(), judgements.seen_by(request.user), {}),
        "page_keys": KEYS,
        **more,
    }
    return render(request, "review/adjudicate.html", context, status=status)
