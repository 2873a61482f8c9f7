"""The audit log as a page for administrators: in words, filtered by person, action, object and date."""

from datetime import UTC, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from concur_site.activity import WORDS, deeds
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import AuditEntry
from datasets_app.text_input.numbers import LARGEST_ID

ENTRIES_PER_PAGE = 100


class DayField(forms.DateField):
    """An optional day."""

    default_error_messages = {"invalid": "Enter a day as YYYY-MM-DD."}

    def __init__(self, label: str) -> None:
        super().__init__(label=label, required=False, widget=forms.DateInput(attrs={"type": "date"}))


class AuditFilter(forms.Form):
    """The filter of the log; an empty field does not filter."""

    person = forms.CharField(required=False, max_length=150, help_text="a name, exactly")
    action = forms.CharField(
        required=False,
        max_length=60,
        help_text="such as review.submit, or its beginning, such as release",
        widget=forms.TextInput(attrs={"list": "actions"}),
    )
    object = forms.CharField(required=False, max_length=120, help_text="its id, its name or its type")
    first_day = DayField("From day (UTC)")
    last_day = DayField("To day (UTC)")
    before = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_ID, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("first_day"), cleaned.get("last_day")
        if first and last and first > last:
            raise ValidationError("The first day is after the last day.")
        return cleaned

    def entries(self) -> QuerySet[AuditEntry]:
        """Return the matching entries, newest first. The filter must be valid."""
        given = self.cleaned_data
        entries = AuditEntry.objects.order_by("-id")
        if given["person"]:
            entries = entries.filter(actor_name=given["person"])
        if given["action"]:
            entries = entries.filter(action__startswith=given["action"])
        if thing := given["object"]:
            of_type = Q(target_type__iexact=thing) | Q(target_type__iendswith=f".{thing}")
            entries = entries.filter(Q(target_id=thing) | Q(detail__name=thing) | of_type)
        if given["first_day"]:
            entries = entries.filter(at__gte=datetime.combine(given["first_day"], time(), UTC))
        if given["last_day"]:
            # The whole of the last day, without adding a day to 9999-12-31.
            end = datetime.combine(given["last_day"], time.max, UTC)
            entries = entries.filter(at__lte=end)
        if given["before"] is not None:
            entries = entries.filter(pk__lt=given["before"])
        return entries


@require(Scope.ADMIN)
def audit_log(request: HttpRequest) -> HttpResponse:
    form = AuditFilter(request.GET)
    entries = list(form.entries()[: ENTRIES_PER_PAGE + 1]) if form.is_valid() else []
    shown = entries[:ENTRIES_PER_PAGE]
    context = {
        "form": form,
        "rows": list(zip(shown, deeds(shown), strict=True)),
        "older": older(request, shown[-1].pk) if len(entries) > len(shown) else "",
        "actions": sorted(WORDS),
    }
    return render(request, "people/audit.html", context, status=200 if form.is_valid() else 400)


def older(request: HttpRequest, pk: int) -> str:
    """Return the query of the page of entries before this one, under the same filter."""
    query = request.GET.copy()
    query["before"] = str(pk)
    return query.urlencode()
