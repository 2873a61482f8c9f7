"""Pages of edits: the editor, the list, one edit with its run and difference, and what people do with it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.sample.comparison import difference
from datasets_app.models import Edit, EditState, Sample
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.identity import as_uuid
from datasets_app.review import KeyReusedError, edits
from datasets_app.review.edits.accept import RULE
from datasets_app.review.edits.texts import as_typed
from datasets_app.text_input.numbers import whole_number
from datasets_app.views.htmx import HtmxRequest
from eval_app.request import edits as request_edits

SHOWN = 100
TYPED = ("kernel_code", "reasoning", "reason")
CONFLICTS = (edits.SupersededError, edits.EditClosedError, edits.EditChangedError)


@require(Scope.READ)
def index(request: HttpRequest) -> HttpResponse:
    """List the open edits, or with `?state=` the accepted or withdrawn ones, newest first."""
    state = request.GET.get("state", "")
    state = state if state in EditState.values else EditState.OPEN
    rows = edits.standings_of(Edit.objects.for_list().filter(state=state)[:SHOWN])
    return render(request, "edits/edits.html", {"rows": rows, "state": state, "states": EditState.values})


@require(Scope.ANNOTATE, "GET", "POST")
def propose(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the editor, the difference so far, or store the edit; whatever is refused comes back in the editor."""
    base = Sample.objects.with_body().filter(pk=pk).first()
    if base is None:
        return gone(request)
    if request.method != "POST":
        return editor(request, base, typed_of(base.body))
    typed = {name: request.POST.get(name, "") for name in TYPED}
    key = request.POST.get("key", "")
    if request.POST.get("do") == "look":
        return editor(request, base, typed, key=key, looked=True)
    try:
        edit = request_edits.propose_edit(
            base,
            actor_of(request),
            typed["reasoning"],
            typed["kernel_code"],
            typed["reason"],
            as_uuid(key),
        )
    except edits.EditError as error:
        return editor(request, base, typed, status_of(error), error.errors, key=key)
    except KeyReusedError:
        used = {
            "edit": "This form was already stored with other content: send it again to store this as well."
        }
        return editor(request, base, typed, 409, used)
    return HttpResponseRedirect(edit.get_absolute_url())


@require(Scope.ANNOTATE, "GET", "POST")
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the editor with the newest version, or store a further one."""
    edit = Edit.objects.for_list().filter(pk=pk).first()
    if edit is None:
        return gone(request)
    base = Sample.objects.with_body().get(pk=edit.base_id)
    version = edit.versions.order_by("-number")[0]
    if request.method != "POST":
        if not edits.may_change(actor_of(request), edit):
            return page(request, edit, 403, "Only its author may change an edit: propose your own instead.")
        return editor(request, base, typed_of(version), edit=edit, seen=version.number)
    typed = {name: request.POST.get(name, "") for name in TYPED}
    seen = number(request)
    if request.POST.get("do") == "look":
        return editor(request, base, typed, edit=edit, seen=seen, looked=True)
    try:
        request_edits.change_edit(edit, actor_of(request), typed["reasoning"], typed["kernel_code"], seen)
    except PermissionDenied as error:
        return editor(request, base, typed, 403, {"edit": str(error)}, edit=edit, seen=seen)
    except edits.EditError as error:
        newest = edit.versions.count()  # sent again, the text replaces the version that the page now names
        return editor(request, base, typed, status_of(error), error.errors, edit=edit, seen=newest)
    return HttpResponseRedirect(edit.get_absolute_url())


def typed_of(texts: Any) -> dict[str, str]:
    return {"kernel_code": texts.kernel_code, "reasoning": texts.reasoning, "reason": ""}


def editor(
    request: HttpRequest,
    base: Sample,
    typed: dict[str, str],
    status: int = 200,
    errors: dict[str, str] | None = None,
    *,
    edit: Edit | None = None,
    seen: int = 0,
    key: str = "",
    looked: bool = False,
) -> HttpResponse:
    """Render the editor with what was typed; after a first submission it shows the difference from the base."""
    context = {
        "sample": base,
        "typed": typed,
        "errors": errors or {},
        "edit": edit,
        "seen": seen,
        "key": as_uuid(key) or uuid4(),
        "diffs": diffs(base, typed["kernel_code"], typed["reasoning"]) if looked or errors else None,
        "longest_reason": LONGEST_REASON,
    }
    return render(request, "edits/editor.html", context, status=status)


def diffs(base: Sample, kernel: str, reasoning: str) -> list[dict[str, Any]]:
    """Return the difference of each text that differs from the base's."""
    pairs = [("kernel", base.body.kernel_code, kernel), ("trace", base.body.reasoning, reasoning)]
    shown = []
    for name, before, after in pairs:
        after = as_typed(before, after)
        if before != after:
            diff, failure = difference(before, after, name, False, 1)
            shown.append({"of": name, "diff": diff, "failure": failure})
    return shown


def gone(request: HttpRequest) -> HttpResponse:
    """Show what was typed for something that is no longer there, to be copied."""
    typed = [request.POST[name] for name in TYPED if request.POST.get(name)]
    context = {"title": "This sample or edit is no longer here", "typed": typed}
    return render(request, "notes/gone.html", context, status=404)


def number(request: HttpRequest) -> int:
    return whole_number(request.POST.get("seen", ""), 0, 99_999) or 0


def status_of(error: edits.EditError) -> int:
    return 409 if isinstance(error, CONFLICTS) else 400


@require(Scope.READ)
def detail(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show one edit: its state, its run, its difference from the base, and what may be done with it."""
    return page(request, get_object_or_404(Edit.objects.for_list(), pk=pk))


def page(request: HttpRequest, edit: Edit, status: int = 200, refusal: str = "") -> HttpResponse:
    standing = edits.standing_of(edit)
    base = Sample.objects.with_body().get(pk=edit.base_id)
    version = edit.versions.get(number=standing.version.number)
    context = {
        "edit": edit,
        "sample": base,
        "standing": standing,
        "diffs": diffs(base, version.kernel_code, version.reasoning),
        "refusal": refusal,
        "rule": RULE,
        **rights(actor_of(request), edit),
    }
    return render(request, "edits/edit.html", context, status=status)


def rights(actor: Actor, edit: Edit) -> dict[str, bool]:
    mine = edits.may_change(actor, edit)
    return {
        "may_change": edit.is_open and mine,
        "may_withdraw": edit.is_open and (mine or actor.may(Scope.CURATE)),
        "may_accept": edit.is_open and edits.may_accept(actor, edit),
    }


@require(Scope.ANNOTATE, "POST")
def verify(request: HttpRequest, pk: int) -> HttpResponse:
    """Request another run of an edit whose runs decided nothing."""
    return act(request, pk, lambda edit, actor: request_edits.verify_edit_again(edit, actor))


@require(Scope.ANNOTATE, "POST")
def accept(request: HttpRequest, pk: int) -> HttpResponse:
    """Make the edit a revision, and go to it."""

    def accepted(edit: Edit, actor: Actor) -> str:
        revision = edits.accept_edit(edit, actor, number(request))
        messages.success(
            request, "Accepted: this is the revision. The reviews of the base do not count for it."
        )
        return revision.get_absolute_url()

    return act(request, pk, accepted)


@require(Scope.ANNOTATE, "POST")
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    return act(request, pk, lambda edit, actor: edits.withdraw_edit(edit, actor))


def act(request: HttpRequest, pk: int, verb: Callable[[Edit, Actor], str | None]) -> HttpResponse:
    """Do something with an edit; a refusal is shown on its page."""
    edit = get_object_or_404(Edit.objects.for_list(), pk=pk)
    try:
        url = verb(edit, actor_of(request))
    except PermissionDenied as error:
        return page(request, edit, 403, str(error))
    except edits.EditError as error:
        return page(request, Edit.objects.for_list().get(pk=pk), 409, str(error))
    return HttpResponseRedirect(url or edit.get_absolute_url())
