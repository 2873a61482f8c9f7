"""/inbox/: mentions of the reader and answers in their threads that they have not seen."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models.identity import is_uuid
from datasets_app.review import notes

SHOWN = 50


@require(Scope.READ, "GET", "POST")
def index(request: HttpRequest) -> HttpResponse:
    """List what is unseen, or mark as seen what a form names: what came after the page was opened stays."""
    actor = actor_of(request)
    if request.method == "POST":
        named = [UUID(text) for text in request.POST.getlist("entry")[:SHOWN] if is_uuid(text)]
        seen = notes.mark_seen(actor, named)
        messages.success(request, "Marked as seen." if seen else "That was marked as seen already.")
        return redirect("inbox")
    rows = list(notes.inbox_of(actor)[: SHOWN + 1])
    return render(request, "notes/inbox.html", {"entries": rows[:SHOWN], "has_more": len(rows) > SHOWN})
