"""The evidence for a sample, for the pages that show it. At most six queries."""

from collections import Counter
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.browse.formats import significant
from datasets_app.browse.sample.verifications import rows_of
from datasets_app.models import Environment, Sample
from eval_app.models import Worker
from eval_app.pages import kernel_notes, meanings, sass_pane
from eval_app.pages.evidence_view import evidence_view_of
from eval_app.pages.history import HistoryRow, deciding, history, unfinished
from eval_app.pages.interval_plot import interval_plot
from eval_app.request.verify import DEFAULT_PROFILE, DEVICE_CHOICES, PROFILE_NAMES
from eval_app.workers.fleet import Fleet

register = template.Library()
LONGEST_NUMBER_DIGITS = 4
LARGEST_WHOLE = 1e6  # larger values are written with a power of ten


@register.inclusion_tag("verify/_evidence.html", takes_context=True)
def evidence(context: Any, sample: Sample, *, head: bool = False) -> dict[str, Any]:
    """Return the headline evidence, unfinished verifications, the history, and the form for a new request.

    `head`: the page has a head that follows each change of this part.
    """
    rows = rows_of(sample)
    waiting = any(not row.is_finished for row in rows)
    history_rows = history(rows)
    shown = deciding_row(history_rows)
    request = context.get("request")
    return {
        "sample": sample,
        "head": head,
        "history": history_rows,
        "intervals": interval_plot(rows),
        "evidence": shown and evidence_view_of(shown.verification, shown.listings),
        "changed": shown.changed if shown else "",
        "unfinished": unfinished(rows, Fleet.read()) if waiting else [],
        "may_annotate": request is not None and actor_of(request).may(Scope.ANNOTATE),
        "profiles": PROFILE_NAMES,
        "devices": DEVICE_CHOICES,
        "default_profile": DEFAULT_PROFILE,
        "request": request,
    }


@register.simple_tag
def stale_since(sample: Sample) -> str:
    """Return what has changed since the sample's headline evidence: "engine 0.3 → 0.4"; one small query."""
    changed = Environment.objects.filter(key=sample.environment).values_list("changed", flat=True)
    return changed.first() or "" if sample.environment else ""


@register.simple_tag(takes_context=True)
def sass_beside(context: Any, sample: Sample) -> sass_pane.SassPane:
    """Return the sample's newest SASS by the lines of its kernel; the sample is loaded with its body. One query."""
    request = context.get("request")
    return sass_pane.sass_pane(sample, request.GET.get("order", "") if request else "")


@register.inclusion_tag("verify/_line_notes.html")
def line_notes(sample: Sample) -> dict[str, Any]:
    """Return the findings that refer to lines of the kernel, in order; the sample is loaded with its body."""
    notes = kernel_notes.notes_of_sample(sample)
    rows = [note for line in sorted(notes) for note in notes[line]]
    are_messages = all(note.code == kernel_notes.COMPILER for note in rows)
    return {"notes": rows, "title": "Compiler messages" if are_messages else "Findings"}


def deciding_row(history: list[HistoryRow]) -> HistoryRow | None:
    """Return the history's row of the headline evidence; if nothing has decided, of the newest finished run."""
    headline = deciding([row.verification for row in history])
    return next((row for row in history if row.verification is headline), None)


@register.simple_tag
def finding_link(code: str) -> SafeString:
    """Return a finding's code, as a link if its meaning is documented."""
    if not meanings.explained(code):
        return format_html("<code>{}</code>", code)
    return format_html('<a href="{0}#{1}"><code>{1}</code></a>', reverse("verify-findings"), code)


@register.filter
def fact(value: Any) -> str:
    """Format a value of the report: yes, 4,096, 1.25, a, b."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not (value.is_integer() and abs(value) < LARGEST_WHOLE):
        return f"{value:.{LONGEST_NUMBER_DIGITS}g}"
    if isinstance(value, int | float):
        return f"{int(value):,}"
    if isinstance(value, list):
        return ", ".join(map(fact, value)) or "none"
    if isinstance(value, dict):
        return extent(value)
    return str(value)


def extent(value: dict[str, Any]) -> str:
    """Format min, median and max as "1,755 to 1,980, median 1,965"; as one number if they are equal."""
    low, middle, high = (value.get(name) for name in ("min", "median", "max"))
    if low is None or high is None:
        return ", ".join(f"{name} {fact(item)}" for name, item in value.items())
    if low == high:
        return fact(low)
    return f"{fact(low)} to {fact(high)}" + (f", median {fact(middle)}" if middle is not None else "")


@register.filter
def spoken(name: str) -> str:
    """Return wrong_value as wrong value."""
    return name.replace("_", " ")


@register.filter
def number(value: float | None) -> str:
    """Format an error as 1.2e-06; a dash if there is none."""
    return "–" if value is None else significant(value, LONGEST_NUMBER_DIGITS - 1)


@register.filter
def percent(share: float | None) -> str:
    """Format a share in per cent, with as many digits as a small one needs."""
    return "–" if share is None else f"{100 * share:.3g}"


@register.filter
def devices(worker: Worker) -> list[dict[str, Any]]:
    """Return a worker's devices, grouped by name and state: name, kind, state, count."""
    alike = Counter(
        (device.get("name"), device.get("kind"), device.get("state", "")) for device in worker.devices
    )
    return [
        {"name": name, "kind": kind, "state": state, "count": count}
        for (name, kind, state), count in alike.items()
    ]
