"""Webhooks and their deliveries. They are added, changed and sent again on the page of webhooks."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import Webhook, WebhookDelivery


@admin.register(Webhook)
class WebhookAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["host", "events", "created_by", "created_at", "disabled_at", "disabled_note"]
    list_filter = [("disabled_at", admin.EmptyFieldListFilter)]
    list_select_related = ["created_by"]
    search_fields = ["url"]
    exclude = ["salt", "secret_sha256"]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "id",
        "webhook",
        "event",
        "state",
        "attempt",
        "status_code",
        "created_at",
        "next_attempt_at",
    ]
    list_filter = ["state", "event"]
    list_select_related = ["webhook"]
    search_fields = ["id", "event"]
    date_hierarchy = "created_at"
