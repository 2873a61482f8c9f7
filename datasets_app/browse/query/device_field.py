"""The filter by device, and what the filters about evidence ask of evidence on a device.

Lists show each sample's headline. With `device:` they are about one device: outcome, findings, speedup and staleness
are those of the evidence there. For the reference device the headline is that evidence; for any other, it is read from
`Evidence` and from the facet `on_device`, whose values carry the device's name.
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
    """Samples with evidence on one device: a whole name, or one word of it."""

    many: bool = False

    def condition(self, values: Values) -> Q:
        if values[0] == NONE:
            return ~Q(pk__in=Evidence.objects.values("sample"))
        return Q(pk__in=Evidence.objects.on(devices.named(values[0])).values("sample"))

    def admits(self, values: Values) -> Admits | None:
        """A sample without any has no cell to tell it by."""
        return None if values[0] == NONE else devices.named(values[0]).__eq__

    def elsewhere(self, values: Values) -> str:
        """The device that is asked for, if another one is the reference device."""
        if not values or values[0] == NONE:
            return ""
        device = devices.named(values[0])
        return "" if device == devices.reference_device() else device


def samples_with(field: Field, values: Values, device: str) -> Q:
    """Samples whose evidence on this device is what `field`, which reads columns of Evidence, asks for."""
    return Q(pk__in=Evidence.objects.on(device).filter(field.condition(values)).values("sample"))


def admits_there(name: str, admits: Admits, device: str) -> Admits:
    """The same asked of the facet `on_device`."""
    prefix = on_device(device, name)
    return lambda cell: cell.startswith(prefix) and admits(cell.removeprefix(prefix))
