"""One sample: program, trace and kernel side by side, with their evidence."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.panes.noted import NotedSpans, noted_panes, noted_part, noted_trace
from datasets_app.browse.panes.read import At, Panes
from datasets_app.browse.panes.sensitive import with_regions
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.sample import comparison, sample_page
from datasets_app.browse.sample import panes as of_sample
from datasets_app.browse.sample.comparison_head import head_of
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.browse.sample.preview import preview_of
from datasets_app.models import Sample, SampleWithdrawal
from datasets_app.review import hidden_verdicts
from datasets_app.review.notes import NoteList, notes_of, regions_of, spans_of
from datasets_app.review.notes.form import opened_form
from datasets_app.text_input.numbers import whole_number
from datasets_app.views.withdraw_samples import releases_of

# Key, action, and the part of the page that it needs: without that part, the help omits the key.
PAGE_KEYS = [
    ("n p", "Next and previous sample of the list", ".place"),
    ("v", "Verify again", "[data-key=v]"),
    ("r", "Review this sample", "[data-key=r]"),
    ("/", "Find in the three texts; Enter and Shift+Enter step, Esc ends", "[data-find]"),
    ("[ ]", "Fold or unfold the program; the kernel", "#pane-kernel"),
    ("t", "Fold or unfold the trace", "#pane-trace"),
    ("w", "Wrap long lines", "[data-wrap]"),
    (
        "c",
        "Write a note on the selected text or the marked lines; 1 to 9 choose its label",
        "[data-note-write]",
    ),
    ("Shift c", "Tie the selected text or the marked lines to it, as the second place", "[data-note-write]"),
    ("j k", "In a pane: mark the next or previous line; Shift ↓ and Shift ↑ extend", "[data-note-write]"),
    ("y", "The panes follow the one that you scroll", "[data-follow]:not([hidden])"),
    ("← →", "On a bar between panes: move it; Home evens out", "[data-split]"),
]
TEXTS = {"program": "program.py", "trace": "trace.txt", "kernel": "kernel.py", "feedback": "feedback.txt"}


@require(Scope.READ)
def sample(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the sample; with `?against=` the difference to another text replaces the panes, with `?beside=sass` the
    kernel beside its machine code."""
    sample = get_object_or_404(Sample.objects.with_body().select_related("ingest"), pk=pk)
    context = page_context(request, sample, request.GET)
    return render(request, "sample/sample.html", context, status=404 if context["not_compared"] else 200)


@require(Scope.READ, "GET", "POST")
def against_pasted(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the difference to a text that is not stored: it is sent with the request and not kept."""
    if request.method != "POST":
        return redirect("sample", pk)  # somebody reloaded the response's URL
    sample = get_object_or_404(Sample.objects.with_body().select_related("ingest"), pk=pk)
    params = request.POST.copy()
    params["against"] = comparison.PASTED
    if len(params.get("pasted", "")) > comparison.MOST_PASTED_CHARS:
        messages.error(request, f"The text is longer than {comparison.MOST_PASTED_CHARS:,} characters.")
        return redirect("sample", pk)
    return render(request, "sample/sample.html", page_context(request, sample, params))


def page_context(request: HttpRequest, sample: Sample, params: QueryDict) -> dict[str, Any]:
    siblings, some = sample_page.siblings(sample), sample_page.tables_of(sample)
    compared, why_not = None, ""
    try:
        compared = comparison.asked_for(
            sample,
            params,
            on_a_phone="Mobi" in request.headers.get("User-Agent", ""),  # phones' browsers contain this
        )
    except Http404 as error:
        why_not = str(error)
    panes = None if compared else of_sample.panes_ahead(sample, places(request))
    beside_sass = panes is not None and params.get("beside") == "sass"
    notes = notes_of(sample, actor_of(request), some)
    evidence = evidence_of(sample)
    shown_siblings = siblings[: sample_page.MOST_SIBLINGS]
    head = None
    if isinstance(compared, comparison.Comparison):
        head = head_of(compared, sample, evidence, shown_siblings, request.GET.get("in"))
    return {
        "sample": sample,
        "some": some,
        **withdrawal_context(sample, actor_of(request)),
        "hides_verdict": bool(hidden_verdicts(actor_of(request), [sample.pk])),
        "comparison": compared,
        "not_compared": why_not,
        "beside_sass": beside_sass,
        "is_map": isinstance(compared, comparison.OperatorMap),
        "place": sample_page.place_of(sample, request.GET, hidden_from(actor_of(request))),
        "head": head,
        "evidence": evidence,
        "siblings": shown_siblings,
        "more_siblings": len(siblings) > sample_page.MOST_SIBLINGS,
        "counterpart": sample.counterpart() if sample.twin_id or Sample in some else None,
        "children": sample_page.turns_after(sample) if Sample in some else [],
        "operators": list(sample.task.operators.all()),
        "page_keys": PAGE_KEYS,
        "show_neighbours": "neighbours" in params,
        "notes": notes,
        "note_form": opened_form(sample),
        **(shown_panes(panes(), sample, notes, params) if panes else {}),
    }


def withdrawal_context(sample: Sample, actor: Actor) -> dict[str, Any]:
    """Return what the banner of a withdrawn sample shows; no query for a sample in use."""
    withdrawal = SampleWithdrawal.objects.hiding(sample)
    return {"withdrawal": withdrawal, "holding": releases_of(sample, actor) if withdrawal else []}


def shown_panes(panes: Panes, sample: Sample, notes: NoteList, params: QueryDict) -> dict[str, Any]:
    """Return the panes with notes, and with `?regions` with the CUDA-sensitive regions of the kernel."""
    if "regions" not in params:
        return {"panes": with_notes(panes, sample, notes)}
    kernel, legend = with_regions(panes.kernel, sample.body.kernel_code, regions_of(notes.threads))
    return {"panes": with_notes(replace(panes, kernel=kernel), sample, notes), "regions": legend}


def with_notes(panes: Panes, sample: Sample, notes: NoteList) -> Panes:
    """Return the panes with the sample's notes drawn in them."""
    return noted_panes(panes, of_sample.texts_of(sample), spans_of(notes.threads))


def spans_on(request: HttpRequest, sample: Sample, name: str) -> NotedSpans:
    return spans_of(notes_of(sample, actor_of(request)).threads).get(name, NotedSpans())


def places(request: HttpRequest) -> At:
    """Return where the panes begin. With `?whole`, as much of the kernel as a page allows."""
    kernel = None if "whole" in request.GET else number(request, "line")
    return At(kernel, number(request, "program_line"), number(request, "segment"))


def number(request: HttpRequest, name: str) -> int:
    """Return a parameter that counts from 1; 1 if it is invalid."""
    return whole_number(request.GET.get(name, ""), 1, 10**9) or 1


@require(Scope.READ)
def lines(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the part of a long text that a page left out: `?line=` of the kernel or the program (`?of=program`),
    `?segment=` of the trace.
    """
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    if request.GET.get("of") == "trace":
        window = of_sample.trace_window(sample, number(request, "segment"))
        window = noted_trace(window, sample.body.reasoning, spans_on(request, sample, "trace"))
        return render(
            request, "sample/_trace_window.html", {"sample": sample, "pane": window, "is_added": True}
        )
    name = "program" if request.GET.get("of") == "program" else "kernel"
    part = of_sample.part(sample, name, number(request, "line"))
    part = noted_part(part, comparison.text_of(sample, name), spans_on(request, sample, name))
    return render(request, "sample/_part.html", {"part": part})


@require(Scope.READ)
def reading(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return what a page left out because it needs the whole of a long kernel: its outline, the claims, the trace's
    links.
    """
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    panes = with_notes(of_sample.reading(sample), sample, notes_of(sample, actor_of(request)))
    return render(request, "sample/_reading.html", {"sample": sample, "panes": panes})


@require(Scope.READ)
def operators(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the program's operators with the lines of the kernel that stand for them: a list for the pane's head."""
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    return render(request, "sample/_operator_list.html", {"sample": sample, "map": comparison.map_of(sample)})


@require(Scope.READ)
def preview(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the preview that a list shows over itself."""
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    return render(request, "sample/_preview.html", {"preview": preview_of(sample)})


@require(Scope.READ)
def neighbours(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the most similar kernels: for htmx as a part of the page, otherwise as a page."""
    sample = get_object_or_404(Sample, pk=pk)
    if not getattr(request, "htmx", None):
        return HttpResponseRedirect(f"{sample.get_absolute_url()}?neighbours=show#neighbours-title")
    return render(request, "sample/_neighbours.html", {"sample": sample})


@require(Scope.READ)
def text(request: HttpRequest, pk: UUID, name: str) -> HttpResponse:
    """Return one of the texts as stored, to copy or to save."""
    if name not in TEXTS:
        raise Http404(f"A sample has a program, a trace, a kernel and its feedback, and no {name}.")
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    stored = sample.body.feedback if name == "feedback" else comparison.text_of(sample, name)
    response = HttpResponse(stored, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{str(pk)[:8]}-{TEXTS[name]}"'
    return response
