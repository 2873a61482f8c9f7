"""The way from a record's page to the same record in the admin."""

from typing import Any

from django import template
from django.db.models import Model
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html

register = template.Library()


@register.simple_tag(takes_context=True)
def admin_record(context: Context, record: Model, classes: str = "") -> Any:
    """Return a link to the record in the admin, empty for who may not open it."""
    if not context.get("is_administrator"):
        return ""
    options = record._meta
    url = reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[record.pk])
    return format_html('<a href="{}" class="{}">Record in the admin</a>', url, classes)
