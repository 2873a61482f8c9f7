"""/inbox/: mentions of the reader and answers in their threads that they have not seen."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models.identity import as_uuid
from datasets_app.review import notes

SHOWN = 50


@require(Scope.READ, "GET", "POST")
def index(request: HttpRequest) -> HttpResponse:
    """List what is unseen, or mark as seen what a form names: what came after the page was opened stays."""
    actor = actor_of(request)
    if request.method == "POST":
        named = filter(None, map(as_uuid, request.POST.getlist("entry")[:SHOWN]))
        seen = notes.mark_seen(actor, list(named))
        messages.success(request, "Marked as seen." if seen else "That was marked as seen already.")
        return redirect("inbox")
    rows = list(notes.inbox_of(actor)[: SHOWN + 1])
    return render(request, "notes/inbox.html", {"entries": rows[:SHOWN], "has_more": len(rows) > SHOWN})
