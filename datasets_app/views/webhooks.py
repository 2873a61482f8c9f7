"""Webhooks: where the site sends events, their secrets, and what was delivered. For administrators."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Webhook, WebhookDelivery, WebhookEvent
from datasets_app.models.webhook import LONGEST_URL
from datasets_app.webhooks import verbs
from datasets_app.webhooks.errors import WebhookError

SHOWN = 50  # deliveries on the page of a webhook


@require(Scope.ADMIN)
def index(request: HttpRequest) -> HttpResponse:
    return list_page(request)


@require(Scope.ADMIN)
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    return webhook_page(request, get_object_or_404(Webhook, pk=pk))


@never_cache
@require(Scope.ADMIN, "POST")
def add(request: HttpRequest) -> HttpResponse:
    """Add a webhook and show its secret: it is in this response and cannot be shown again."""
    url, events = request.POST.get("url", ""), request.POST.getlist("event")
    try:
        webhook, secret = verbs.create(url, events, actor=actor_of(request))
    except WebhookError as error:
        return list_page(request, status=400, fault=error, url=url, chosen=events)
    return webhook_page(request, webhook, status=201, secret=secret)


@require(Scope.ADMIN, "POST")
def change(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = get_object_or_404(Webhook, pk=pk)
    url, events = request.POST.get("url", ""), request.POST.getlist("event")
    try:
        verbs.change(webhook, url, events, actor=actor_of(request))
    except WebhookError as error:
        stored = get_object_or_404(Webhook, pk=pk)
        return webhook_page(request, stored, status=400, fault=error, url=url, chosen=events)
    messages.success(request, "The webhook is changed. Its secret is the same.")
    return redirect("webhook", pk)


@require(Scope.ADMIN, "POST")
def switch_off(request: HttpRequest, pk: int) -> HttpResponse:
    verbs.switch_off(get_object_or_404(Webhook, pk=pk), actor=actor_of(request))
    messages.success(
        request, "The webhook is off: nothing is sent to it, and what happens now is not kept for it."
    )
    return redirect("webhook", pk)


@require(Scope.ADMIN, "POST")
def switch_on(request: HttpRequest, pk: int) -> HttpResponse:
    verbs.switch_on(get_object_or_404(Webhook, pk=pk), actor=actor_of(request))
    messages.success(request, "The webhook is on: it is told what happens from now on.")
    return redirect("webhook", pk)


@never_cache
@require(Scope.ADMIN, "POST")
def new_secret(request: HttpRequest, pk: int) -> HttpResponse:
    """Replace the secret and show the new one: it is in this response and cannot be shown again."""
    webhook = get_object_or_404(Webhook, pk=pk)
    return webhook_page(
        request, webhook, status=201, secret=verbs.new_secret(webhook, actor=actor_of(request))
    )


@require(Scope.ADMIN, "POST")
def send_test(request: HttpRequest, pk: int) -> HttpResponse:
    verbs.send_test(get_object_or_404(Webhook, pk=pk), actor=actor_of(request))
    messages.success(request, "A test is on its way. Load this page again to see how it ended.")
    return redirect("webhook", pk)


@require(Scope.ADMIN, "POST")
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = get_object_or_404(Webhook, pk=pk)
    verbs.delete(webhook, actor=actor_of(request))
    messages.success(request, f"The webhook to {webhook.host} is deleted.")
    return redirect("webhooks")


@require(Scope.ADMIN, "POST")
def send_again(request: HttpRequest, pk: str) -> HttpResponse:
    delivery = get_object_or_404(WebhookDelivery.objects.select_related("webhook"), pk=pk)
    try:
        sent = verbs.send_again(delivery, actor=actor_of(request))
    except WebhookError as error:
        return webhook_page(request, delivery.webhook, status=400, problem=str(error))
    if sent:
        messages.success(
            request, "The delivery is on its way again. Load this page again to see how it ended."
        )
    else:
        messages.warning(request, "This delivery is being sent at this moment.")
    return redirect("webhook", delivery.webhook_id)


def list_page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    webhooks = Webhook.objects.with_latest_delivery().select_related("created_by")
    context = {"webhooks": webhooks, **form_context(), **more}
    return render(request, "webhooks/list.html", context, status=status)


def webhook_page(request: HttpRequest, webhook: Webhook, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "webhook": webhook,
        "deliveries": webhook.deliveries.select_related("webhook")[:SHOWN],
        **form_context(),
        "url": webhook.url,
        "chosen": webhook.events,
        **more,
    }
    return render(request, "webhooks/webhook.html", context, status=status)


def form_context() -> dict[str, Any]:
    return {"choices": WebhookEvent.choices, "longest_url": LONGEST_URL, "shown": SHOWN}
