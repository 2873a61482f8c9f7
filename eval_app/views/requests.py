"""Requests for verifications from pages: counted first, then made, repeated or cancelled."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.roles import Scope
from datasets_app.models import Verification, WantedDevice
from datasets_app.models.identity import is_uuid
from datasets_app.views.htmx import HtmxRequest
from eval_app.models import VerificationBatch
from eval_app.pages.preview import Preview, choices, preview_of
from eval_app.request import batches, selection, verify
from eval_app.views.verify import evidence_part
from eval_app.workers.fleet import Fleet


@require(Scope.ANNOTATE)
def preview(request: HtmxRequest) -> HttpResponse:
    """Show how many samples a query matches and about how long they take; htmx gets the part of the page alone."""
    shown = preview_of(request.GET, actor_of(request))
    if request.htmx and request.htmx.target == "ask-preview":
        return render(request, "verify/_preview.html", {"preview": shown})
    return previewed(request, shown)


def previewed(request: HttpRequest, shown: Preview, status: int = 200) -> HttpResponse:
    context = {"preview": shown, **choices(shown)}
    return render(request, "verify/preview.html", context, status=400 if shown.error else status)


@require(Scope.ANNOTATE, "POST")
def ask(request: HtmxRequest) -> HttpResponse:
    """Verify the named samples (`sample`), or those of a query line (`query`)."""
    if ids := request.POST.getlist("sample"):
        return ask_for(request, ids)
    if "query" in request.POST:
        return ask_for_query(request)
    messages.error(request, "Choose samples first: tick some, or type a query.")
    return HttpResponseRedirect(back(request))


def ask_for(request: HtmxRequest, ids: list[str]) -> HttpResponse:
    """Verify these samples; a sample's page gets its live log in place."""
    profile = request.POST.get("profile") or verify.DEFAULT_PROFILE
    device = request.POST.get("device") or verify.AUTO
    how: dict[str, Any] = {
        "inspect": bool(request.POST.get("inspect")),
        "requires": request.POST.get("requires", ""),
    }
    try:
        samples = selection.samples_by_id(ids)
        rows = verify.request_verification(
            samples,
            profile,
            device,
            actor=actor_of(request),
            **how,
            title=f"{len(ids):,} selected samples",
        )
    except verify.VerifyError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(back(request))
    if request.htmx and request.htmx.target == "evidence" and len(rows) == 1:
        return evidence_part(request, rows[0].sample)
    say_what_was_asked(request, rows)
    return HttpResponseRedirect(back(request, rows))


def ask_for_query(request: HttpRequest) -> HttpResponse:
    """Verify what the query matches if the form named that number, and confirmed it where it is large.

    Otherwise nothing is requested, and the page shows the number as it is now, with everything typed.
    """
    shown = preview_of(request.POST, actor_of(request))
    confirmed = bool(request.POST.get("confirmed")) or not shown.must_confirm
    if not shown.allows or request.POST.get("count") != str(shown.count) or not confirmed:
        return previewed(request, shown, status=409)
    rows = verify.request_verification(
        selection.samples_by_query(shown.query, actor_of(request)),
        shown.profile,
        shown.device,
        actor=actor_of(request),
        inspect=shown.inspect,
        requires=shown.requires,
        title=shown.words,
    )
    say_what_was_asked(request, rows)
    return HttpResponseRedirect(back(request, rows))


def say_what_was_asked(request: HttpRequest, rows: list[Verification]) -> None:
    if not rows:
        messages.warning(request, "No sample matches; nothing was requested.")
        return
    fleet = Fleet.read()
    requested = f"Requested {len(rows):,} verifications" if len(rows) > 1 else "Requested the verification"
    idle = [reason for kind in WantedDevice.values if (reason := idle_reason(fleet, kind, rows))]
    messages.success(request, ". ".join([requested, *idle]) + ".")


def idle_reason(fleet: Fleet, kind: str, rows: list[Verification]) -> str:
    """Return how many of these rows no worker takes now, and why; empty if all are taken."""
    reason = fleet.waits_for(kind, rows[0].requirement)
    count = sum(row.wanted_device == kind for row in rows)
    if not (reason and count):
        return ""
    if len(rows) == 1:
        return f"It {reason}"
    return f"{count:,} of them {reason}".replace("waits", "wait" if count > 1 else "waits")


def back(request: HttpRequest, rows: list[Verification] | None = None) -> str:
    """Return the page of the form, else the one row's page, else the batch."""
    if rows and len(rows) == 1:
        return next_page(request, rows[0].get_absolute_url())
    batch = rows[0].batch if rows else None
    return next_page(request, reverse("verify") + (f"?batch={batch}" if batch else ""))


@require(Scope.ANNOTATE, "POST")
def again(request: HttpRequest) -> HttpResponse:
    """Repeat the ticked verifications."""
    ids = request.POST.getlist("verification")
    rows = Verification.objects.for_list().filter(pk__in=[text for text in ids if is_uuid(text)])
    try:
        repeated = verify.retry(rows, actor=actor_of(request))
    except verify.VerifyError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(back(request))
    if repeated:
        say_what_was_asked(request, repeated)
    else:
        messages.warning(request, "Tick the verifications to repeat.")
    return HttpResponseRedirect(back(request, repeated))


@require(Scope.ANNOTATE, "POST")
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Cancel a queued verification."""
    verification = get_object_or_404(Verification, pk=pk)
    if verify.cancel(verification, actor=actor_of(request)):
        messages.success(request, "Cancelled.")
    else:
        messages.warning(request, "A worker runs it already; only queued verifications can be cancelled.")
    return redirect(verification)


@require(Scope.ANNOTATE, "POST")
def cancel_batch(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Cancel the queued verifications of a batch."""
    batch = get_object_or_404(VerificationBatch, pk=pk)
    if count := batches.cancel_queued(batch, actor=actor_of(request)):
        plural = "" if count == 1 else "s"
        messages.success(request, f"Cancelled {count:,} queued verification{plural}. Running ones finish.")
    else:
        messages.warning(request, "None of the batch is queued any more; running verifications finish.")
    return HttpResponseRedirect(next_page(request, batch.get_absolute_url()))
