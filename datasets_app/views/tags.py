"""Tags: all of them, and those of one sample."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import RULES, changeable_tags
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list import tags
from datasets_app.models import Sample, Tag, TagColour
from datasets_app.templatetags.tagging import sample_tags
from datasets_app.text_input.numbers import row_id
from datasets_app.views.htmx import HtmxRequest


@require(Scope.READ)
def tag_list(request: HttpRequest) -> HttpResponse:
    rows = Tag.objects.annotate(n=Count("sample_tags")).select_related("created_by")
    mine = set(changeable_tags(actor_of(request)).values_list("pk", flat=True))
    context = {"tags": [(tag, tag.pk in mine) for tag in rows], "colours": TagColour.values}
    return render(request, "browse/tags.html", context | {"rule": RULES["Tags"]})


@require(Scope.ANNOTATE, "POST")
def save(request: HttpRequest) -> HttpResponse:
    """Create a tag, or change the one with the given id."""
    name, colour = request.POST.get("name", ""), request.POST.get("colour", "")
    try:
        if pk := request.POST.get("tag", ""):
            tag = get_object_or_404(Tag, pk=row_id(pk))
            tags.change(actor_of(request), tag, name=name, colour=colour)
        else:
            tags.make(actor_of(request), name, colour)
    except tags.TagError as error:
        messages.error(request, str(error))
    return redirect("tags")


@require(Scope.ANNOTATE, "POST")
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    tag = get_object_or_404(Tag, pk=pk)
    tags.delete(actor_of(request), tag)
    messages.success(request, f"Deleted the tag {tag.name}.")
    return redirect("tags")


@require(Scope.ANNOTATE, "POST")
def of_sample(request: HtmxRequest, pk: UUID) -> HttpResponse:
    """Add the tag `add`, or remove the tag `remove`."""
    sample = get_object_or_404(Sample, pk=pk)
    actor, fault = actor_of(request), ""
    try:
        if name := request.POST.get("remove"):
            tags.take_off(actor, sample, tags.named(name))
        else:
            tags.put_on(actor, sample, tags.named_or_new(actor, request.POST.get("add", "")))
    except tags.TagError as error:
        fault = str(error)
    if request.htmx:
        context = sample_tags({"request": request, "may_annotate": True}, sample)
        return render(request, "browse/_sample_tags.html", context | {"fault": fault})
    if fault:
        messages.error(request, fault)
    return redirect(sample)
