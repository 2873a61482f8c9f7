"""Turns that start by themselves: start, cancel and continue them from a synthesis' page."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Loop, Synthesis
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import cancel_loop, continue_loop, start_loop
from datasets_app.synthesize.turn_forms import ContinueLoopForm, LoopForm
from datasets_app.views.htmx import HtmxRequest
from datasets_app.views.synthesize import detail_page


@require(Scope.CURATE, "POST")
def start(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    synthesis, form = get_object_or_404(Synthesis, pk=pk), LoopForm(request.POST)
    if form.is_valid():
        try:
            start_loop(form.plan(), synthesis, actor_of(request))
            return redirect(synthesis)
        except SynthesisError as error:
            form.add_error(None, str(error))
    return detail_page(request, pk, status=400, loop_form=form)


@require(Scope.CURATE, "POST")
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    loop = get_object_or_404(Loop.objects.select_related("first"), pk=pk)
    try:
        cancel_loop(loop, actor_of(request))
        messages.success(request, "No further turn starts. What was answered is stored.")
    except SynthesisError as error:
        messages.error(request, str(error))
    return redirect(loop)


@require(Scope.CURATE, "POST")
def go_on(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    loop, form = (
        get_object_or_404(Loop.objects.select_related("first"), pk=pk),
        ContinueLoopForm(request.POST),
    )
    try:
        if not form.is_valid():
            raise SynthesisError("Write turns, tokens and cost as numbers in digits, at least 2 turns.")
        continue_loop(loop, actor_of(request), **form.cleaned_data)
        messages.success(request, "The turns go on.")
    except SynthesisError as error:
        messages.error(request, str(error))
    return redirect(loop)
