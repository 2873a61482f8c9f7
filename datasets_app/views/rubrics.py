"""/review/guidelines/ for reviewers; /review/rubric/: the versions of the rubric, and the form for a new one."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import RubricVersion, Sample
from datasets_app.review.form import ReviewForm
from datasets_app.review.guidelines import paragraphs
from datasets_app.review.rubric import VERDICTS, RubricOutdatedError, current_rubric, publish, rubric_of_text
from datasets_app.review.rubric.definition import RubricError
from datasets_app.review.rubric.page_form import RubricForm, form_for


@require(Scope.ANNOTATE)
def guidelines(request: HttpRequest) -> HttpResponse:
    """Show the verdicts, criteria, reasons and examples of the version that the address names, or the newest."""
    rubric = rubric_of_text(request.GET.get("version"))
    context = {"rubric": rubric, "verdicts": VERDICTS, "guidelines": paragraphs(rubric.guidelines)}
    return render(request, "review/guidelines.html", context)


@require(Scope.CURATE)
def versions(request: HttpRequest) -> HttpResponse:
    rows = RubricVersion.objects.select_related("created_by").order_by("-number")
    return render(request, "review/rubric.html", {"versions": rows})


@require(Scope.CURATE, "GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Show the form, which starts as the newest version. POST shows the preview, or publishes."""
    if request.method != "POST":
        return page(request, form_for(current_rubric()))
    form = RubricForm({}, data=request.POST)
    definition = form.definition()
    if definition is None:
        return page(request, form, status=400)
    if request.POST.get("do") != "publish":
        based_on = form.whole.cleaned_data["based_on"]
        preview = RubricVersion(number=based_on + 1, **definition)
        return page(request, RubricForm(definition, based_on), preview)
    return store(request, form, definition)


def store(request: HttpRequest, form: RubricForm, definition: dict[str, Any]) -> HttpResponse:
    try:
        version = publish(definition, form.whole.cleaned_data["based_on"], actor=actor_of(request))
    except RubricError as error:
        form.show(error)
        return page(request, form, status=400)
    except RubricOutdatedError as error:
        form.based_on(error.current.number)
        return page(request, form, status=409, outdated=str(error))
    messages.success(
        request, f"Version {version.number} is published: every review form follows it from now on."
    )
    return redirect("rubric")


def page(
    request: HttpRequest,
    form: RubricForm,
    preview: RubricVersion | None = None,
    status: int = 200,
    outdated: str = "",
) -> HttpResponse:
    """Show the form and, for a valid one, the review form as it will be."""
    context: dict[str, Any] = {"rubric_form": form, "outdated": outdated, "preview": preview}
    if preview is not None:
        context["form"] = ReviewForm(Sample(has_trace=True), preview)
        context["guidelines"] = paragraphs(preview.guidelines)
    return render(request, "review/rubric_new.html", context, status=status)
