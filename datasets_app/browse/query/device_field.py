"""The filter by device, and filters on evidence for that device.

Lists show each sample's headline. With `device:` they are about one device: outcome, findings, speedup and staleness
are those of the evidence there. For the reference device the headline is that evidence; for any other, it is read from
`Evidence` and from the facet `on_device`, whose values contain the device's name.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from datasets_app.browse.query.fields import NONE, Admits, Field, Values
from datasets_app.db.facet_index.facets import on_device
from datasets_app.evidence import devices
from datasets_app.models import Evidence


@dataclass(frozen=True, kw_only=True)
class DeviceField(Field):
    """Samples with evidence on one device: its full name, or one word of it."""

    many: bool = False

    def condition(self, values: Values) -> Q:
        if values[0] == NONE:
            return ~Q(pk__in=Evidence.objects.values("sample"))
        return Q(pk__in=Evidence.objects.on(devices.named(values[0])).values("sample"))

    def admits(self, values: Values) -> Admits | None:
        """Return None for `none`: a sample without evidence has no stored value to test."""
        return None if values[0] == NONE else devices.named(values[0]).__eq__

    def elsewhere(self, values: Values) -> str:
        """Return the requested device if it is not the reference device, otherwise ''."""
        if not values or values[0] == NONE:
            return ""
        device = devices.named(values[0])
        return "" if device == devices.reference_device() else device


def samples_with(field: Field, values: Values, device: str, *, beside_headlines: bool = False) -> Q:
    """Return samples whose evidence on this device satisfies `field`, which reads columns of Evidence.

    With `beside_headlines` only those whose headline is of another device.
    """
    there = Evidence.objects.on(device).with_claim_ratio()
    rows = there.beside_headlines() if beside_headlines else there
    return Q(pk__in=rows.filter(field.condition(values)).values("sample"))


def admits_there(name: str, admits: Admits, device: str) -> Admits:
    """Return the same test for values of the facet `on_device`."""
    prefix = on_device(device, name)
    return lambda stored: stored.startswith(prefix) and admits(stored.removeprefix(prefix))
