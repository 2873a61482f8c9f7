"""Answers of the review pages to their own scripts, which save in the background and then swap pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string

from datasets_app.views.review_filter import Queue
from datasets_app.views.review_page import last_of, place_of

View = Callable[..., HttpResponse]


def wants_json(request: HttpRequest) -> bool:
    """Return whether a script asks: it cannot follow a redirect to a page that it does not show."""
    return request.headers.get("Accept", "").startswith("application/json")


def stays(request: HttpRequest) -> bool:
    """Return whether the script that asks shows the next sample already."""
    return wants_json(request) and "stay" in request.POST


def onward(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return a redirect as it is for a browser, and as its address for a script."""
    if isinstance(answer, HttpResponseRedirect) and wants_json(request):
        return JsonResponse({"next": answer.url})
    return answer


def saved(request: HttpRequest, wanted: Queue, told: str, to_next: View) -> HttpResponse:
    """Answer a stored review: with the next sample, or, if the page shows it already, with what has changed.

    `told` is what the reviewer is told of the sample just judged: the page that is shown next says it.
    """
    if told and not stays(request):
        messages.info(request, told)
    if not wants_json(request):
        return to_next(request, wanted)
    body = {
        "saved": True,
        "told": told if stays(request) else "",
        "next": "" if stays(request) else getattr(to_next(request, wanted), "url", ""),
        "position": render_to_string("review/_position.html", {"place": place_of(request.user, wanted)}),
        "last": render_to_string("review/_last.html", last_of(request, None, wanted), request),
    }
    return JsonResponse(body)


def same_person(view: View) -> View:
    """Refuse what a page of another account sends: two people may use one browser one after the other."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and request.POST.get("reviewer") not in (None, str(request.user.pk)):
            now = str(request.user)
            sentence = (
                f"This page was opened by another account, and {now} is signed in now: nothing was stored."
            )
            return JsonResponse({"other": now, "detail": sentence}, status=403)
        return view(request, *args, **kwargs)

    return checked
