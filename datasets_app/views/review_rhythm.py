"""What a review page asks for between two samples: the sample ahead, and its last review taken back."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404

from datasets_app import review as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, Sample
from datasets_app.models.identity import as_uuid
from datasets_app.review import queues
from datasets_app.review.form import typed_fields
from datasets_app.views.review import kept_words
from datasets_app.views.review_answers import onward, same_person
from datasets_app.views.review_filter import Queue, read_queue
from datasets_app.views.review_page import page


@require(Scope.ANNOTATE, "POST")
@same_person
def ahead(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Answer with the page of the sample after this one, reserved for a moment; 204 if there is none.

    `instead` names the sample that the page had reserved before.
    """
    here, actor = get_object_or_404(Sample, pk=pk), actor_of(request)
    wanted = read_queue(request)
    if before := as_uuid(request.POST.get("instead", "")):
        stage.release_ahead(before, actor)
    sample = ahead_of(here, actor, wanted)
    if sample is None:
        return HttpResponse(status=204)
    answer = page(request, sample, wanted)
    answer.headers["Content-Location"] = wanted.url("review-sample", sample.pk)
    return answer


def ahead_of(here: Sample, actor: Actor, wanted: Queue) -> Sample | None:
    if not wanted.stored:
        return stage.sample_ahead(here, actor, wanted.chosen)
    try:
        return queues.ahead_in_queue(wanted.stored, here, actor)
    except queues.QueueError:
        return None  # closed or changed: saving asks for the next sample, and is told so


@require(Scope.ANNOTATE, "POST")
@same_person
def release(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Release the sample that a page had reserved; the page is being closed and reads no answer."""
    stage.release_ahead(pk, actor_of(request))
    return HttpResponse(status=204)


@require(Scope.ANNOTATE, "POST")
@same_person
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the newest review back and open its sample with what was typed. The page left behind keeps its draft."""
    actor = actor_of(request)
    review = get_object_or_404(Review.objects.select_related("sample"), pk=pk, reviewer=actor.person())
    try:
        stage.undo_review(review, actor)
    except stage.ReviewError as error:
        messages.warning(request, str(error))
    left = as_uuid(request.POST.get("here", ""))
    here = Sample.objects.filter(pk=left).first() if left else None
    if here is not None and here.pk != review.sample_id:
        if told := kept_words(request, here) if typed_fields(request.POST) else "":
            messages.warning(request, told)
        stage.release_claim(here, actor)
    url = read_queue(request).url("review-sample", review.sample_id)
    return onward(request, HttpResponseRedirect(url))
