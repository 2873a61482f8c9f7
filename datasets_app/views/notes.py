"""Notes on a sample's texts: the page that lists them, the form, and what people do with a thread."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Note, Sample
from datasets_app.models.identity import as_uuid
from datasets_app.review import KeyReusedError, notes
from datasets_app.review.notes.form import NoteForm, opened_form
from datasets_app.text_input.numbers import whole_number

TYPED = ("comment", "said")  # fields of a page's form that a person wrote


@require(Scope.READ, "GET", "POST")
def of_sample(request: HttpRequest, pk: UUID) -> HttpResponse:
    """List the notes of a sample, or add one; what cannot be stored comes back in the form."""
    sample = Sample.objects.with_body().filter(pk=pk).first()
    if sample is None:
        return gone(request, "This sample is no longer here")
    if request.method != "POST":
        return page(request, sample, form=opened_form(sample, request.GET.dict()))
    actor_of(request).require(Scope.ANNOTATE)
    return create(request, sample)


def create(request: HttpRequest, sample: Sample) -> HttpResponse:
    form = NoteForm(sample, request.POST)
    if not form.is_valid():
        if "key" in form.errors:
            form = form.renewed()
            form.add_error(None, "The form lost its hidden fields: send it again.")
        return page(request, sample, 400, form=form)
    given = form.cleaned_data
    try:
        note = notes.create_note(
            sample, actor_of(request), form.places(), given["label"], given["comment"], given["key"]
        )
    except notes.NoteError as error:
        form.refused(error)
        return page(request, sample, 409 if isinstance(error, notes.TextReplacedError) else 400, form=form)
    except KeyReusedError:
        form = form.renewed()
        form.add_error(
            None, "This form was already stored with other content: send it again to store this as well."
        )
        return page(request, sample, 409, form=form)
    warn_of_unknown(request, given["comment"])
    return HttpResponseRedirect(note.get_absolute_url())


def page(request: HttpRequest, sample: Sample, status: int = 200, **more: Any) -> HttpResponse:
    context = {"sample": sample, "notes": notes.notes_of(sample, actor_of(request)), **more}
    context.setdefault("form", opened_form(sample))
    return render(request, "notes/notes.html", context, status=status)


def gone(request: HttpRequest, title: str) -> HttpResponse:
    """Show what was typed for something that is no longer there, to be copied."""
    typed = [request.POST[name] for name in TYPED if request.POST.get(name)]
    return render(request, "notes/gone.html", {"title": title, "typed": typed}, status=404)


@require(Scope.ANNOTATE, "POST")
def answer(request: HttpRequest, pk: UUID) -> HttpResponse:
    return change(
        request,
        pk,
        "answer",
        lambda note: notes.answer_note(
            note, actor_of(request), request.POST.get("said", ""), key_of(request)
        ),
    )


@require(Scope.ANNOTATE, "POST")
def edit(request: HttpRequest, pk: UUID) -> HttpResponse:
    number = whole_number(request.POST.get("seen", ""), 0, 10**9) or 0
    return change(
        request,
        pk,
        "edit",
        lambda note: notes.edit_note(
            note, actor_of(request), request.POST.get("said", ""), entry_of(request), number, key_of(request)
        ),
    )


@require(Scope.ANNOTATE, "POST")
def withdraw(request: HttpRequest, pk: UUID) -> HttpResponse:
    return change(
        request,
        pk,
        "withdraw",
        lambda note: notes.withdraw_note(
            note, actor_of(request), request.POST.get("said", ""), entry_of(request), key_of(request)
        ),
    )


@require(Scope.ANNOTATE, "POST")
def resolve(request: HttpRequest, pk: UUID) -> HttpResponse:
    return change(request, pk, "resolve", lambda note: notes.resolve_note(note, actor_of(request)))


@require(Scope.ANNOTATE, "POST")
def reopen(request: HttpRequest, pk: UUID) -> HttpResponse:
    return change(request, pk, "reopen", lambda note: notes.reopen_note(note, actor_of(request)))


def change(request: HttpRequest, pk: UUID, verb: str, act: Callable[[Note], Any]) -> HttpResponse:
    """Do something with a note that the actor may read; if it is refused, what was typed comes back with the reason."""
    note = notes.readable_notes(actor_of(request)).select_related("sample").filter(pk=pk).first()
    if note is None:
        return gone(request, "This note is no longer here")
    try:
        act(note)
    except (notes.NoteError, KeyReusedError, PermissionDenied) as error:
        return refused(request, note, verb, error)
    warn_of_unknown(request, request.POST.get("said", ""))
    return HttpResponseRedirect(note.get_absolute_url())


def refused(request: HttpRequest, note: Note, verb: str, error: Exception) -> HttpResponse:
    """Show the reason above the typed text, in a form that sends it again."""
    sample = Sample.objects.with_body().get(pk=note.sample_id)
    answers = (notes.NoteClosedError, notes.NoteEditedError, KeyReusedError)
    status = 403 if isinstance(error, PermissionDenied) else 409 if isinstance(error, answers) else 400
    again = {
        "note": note,
        "verb": verb,
        "url": f"note-{verb}",
        "reason": str(error),
        "said": request.POST.get("said", ""),
        "entry": request.POST.get("entry", ""),
        "key": uuid4() if isinstance(error, KeyReusedError) else key_of(request) or uuid4(),
        "may_repeat": not isinstance(error, (PermissionDenied, notes.NoteClosedError)),
        "seen": error.edit_count
        if isinstance(error, notes.NoteEditedError)
        else request.POST.get("seen", ""),
    }
    return page(request, sample, status, again=again)


def key_of(request: HttpRequest) -> UUID | None:
    return as_uuid(request.POST.get("key", ""))


def entry_of(request: HttpRequest) -> UUID | None:
    """Return the answer that a form names; None: it is about the comment."""
    return as_uuid(request.POST.get("entry", ""))


def warn_of_unknown(request: HttpRequest, text: str) -> None:
    for name in notes.unknown_mentions(text):
        messages.warning(
            request, f"The text is stored. No account is called {name}, so @{name} mentions nobody."
        )
