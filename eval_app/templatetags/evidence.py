"""The evidence for a sample, for the pages that show it. At most four queries, whatever there is."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.models import Sample
from datasets_app.roles import Scope, may
from eval_app import meanings
from eval_app.evidence import evidence_of
from eval_app.fleet import Fleet
from eval_app.models import Verification
from eval_app.verify import DEFAULT_PROFILE, DEVICE_CHOICES, PROFILE_NAMES

register = template.Library()
HISTORY_SHOWN = 30
LONGEST_NUMBER_DIGITS = 4


@register.inclusion_tag("verify/_evidence.html", takes_context=True)
def evidence(context: Any, sample: Sample) -> dict[str, Any]:
    """The newest verification's evidence, what waits or runs, the history, and the form to ask again."""
    history = list(
        Verification.objects.filter(sample=sample)
        .select_related("report")
        .defer("report__report")
        .order_by("-created_at", "-id")[:HISTORY_SHOWN]
    )
    for row in history:
        row.sample = sample
    newest = newest_evidence(history)
    unfinished = [row for row in history if not row.is_finished]
    fleet = Fleet.read()
    request = context.get("request")
    return {
        "sample": sample,
        "history": history,
        "evidence": newest and evidence_of(newest),
        "unfinished": [(row, waits_for(fleet, row)) for row in unfinished],
        "may_annotate": request is not None and may(request.user, Scope.ANNOTATE),
        "profiles": PROFILE_NAMES,
        "devices": DEVICE_CHOICES,
        "default_profile": DEFAULT_PROFILE,
        "request": request,
    }


def newest_evidence(history: list[Verification]) -> Verification | None:
    """The newest that says something about the kernel; a fault of ours only where there is nothing else."""
    dated = [(row.finished_at, row) for row in history if row.state == "done" and row.finished_at]
    done = [row for _, row in sorted(dated, key=lambda pair: pair[0], reverse=True)]
    said = [row for row in done if row.outcome != "infra_error"]
    return next(iter(said or done), None)


def waits_for(fleet: Fleet, row: Verification) -> str:
    return fleet.waits_for(row.wanted_device) if row.state == "queued" else ""


@register.simple_tag
def finding_link(code: str) -> SafeString:
    """A finding's code; where its meaning is written down, a link to it."""
    if not meanings.explained(code):
        return format_html("<code>{}</code>", code)
    return format_html('<a href="{0}#{1}"><code>{1}</code></a>', reverse("verify-findings"), code)


@register.filter
def fact(value: Any) -> str:
    """A value of the report as a person reads it: yes, 4,096, 1.25, a, b."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{LONGEST_NUMBER_DIGITS}g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)


@register.filter
def spoken(name: str) -> str:
    """wrong_value as wrong value."""
    return name.replace("_", " ")
