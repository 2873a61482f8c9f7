"""The reference device: lists, ranks and plots compare samples on it unless another device is selected.

CONCUR_REFERENCE_DEVICE names it, in full (NVIDIA H200) or by one word (H200). Otherwise it is the device with the most
deciding verifications, as counted by the last maintenance run. A new device is placed last: the order changes only in
maintenance runs, which derive every headline again. After a change of the variable, new reports follow it at once and
older samples with the next maintenance run; until then the maintenance page shows how many are outdated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, QuerySet

from datasets_app.db.facet_index.rows import select
from datasets_app.models import Evidence, EvidenceDevice, Verification


class Device(NamedTuple):
    name: str
    kind: str


class UnknownDeviceError(ValueError):
    """A name that is no device with evidence; the message lists those that are."""


def ordered() -> list[Device]:
    """Return the devices that have evidence, the reference device first; one small query."""
    by_use = "SELECT name, kind FROM datasets_app_evidencedevice ORDER BY verifications DESC, id"
    devices = map(
        Device._make, select(by_use)
    )  # every list asks: making a query of Django's takes ten times as long
    wanted = settings.REFERENCE_DEVICE
    return sorted(devices, key=lambda device: not (wanted and is_device(wanted, device.name)))


def reference_device() -> str:
    """Return the reference device's name; empty on a site without evidence."""
    return next((device.name for device in ordered()), "")


def device_of(samples: QuerySet[Any]) -> str:
    """Return the device to judge these samples on: the reference device, or where none of them has evidence on it,
    the one that has most of theirs. Two queries.
    """
    evidence = Evidence.objects.filter(sample__in=samples.order_by().values("pk")).order_by()
    counts = dict(evidence.values_list("device").annotate(n=Count("pk")))
    reference = reference_device()
    if reference in counts or not counts:
        return reference
    return max(counts, key=lambda name: (counts[name], name))


def named(text: str) -> str:
    """Return the first device, in their order, that `text` may mean; the text itself if there is none."""
    return next((device.name for device in ordered() if is_device(text, device.name)), text)


def with_evidence(text: str) -> str:
    """Return the device as `named` does. Raises UnknownDeviceError if none has evidence."""
    names = [device.name for device in ordered()]
    found = next((name for name in names if is_device(text, name)), "")
    if not found:
        raise UnknownDeviceError(
            f"No sample has evidence on {text!r:.60}. Devices: {', '.join(names) or 'none'}."
        )
    return found


def is_device(text: str, name: str) -> bool:
    """Return whether `text` is a device's full name or one word of it: H200 matches NVIDIA H200 and not
    NVIDIA H2000.
    """
    if " " in text:
        return text.lower() == name.lower()
    return f" {text.lower()} " in f" {name.lower()} "


def places(kinds: dict[str, str]) -> dict[str, int]:
    """Return each device's place, 0 for the reference device. Devices of `kinds` (name to kind) are created if new."""
    devices = ordered()
    missing = sorted(kinds.keys() - {device.name for device in devices})
    if missing:
        fresh = [EvidenceDevice(name=name, kind=kinds[name]) for name in missing]
        EvidenceDevice.objects.bulk_create(fresh, ignore_conflicts=True)
        devices = ordered()
    return {device.name: place for place, device in enumerate(devices)}


def recount() -> None:
    """Count the deciding verifications of each device, which determine the order of devices."""
    counts = dict(Verification.objects.deciding().order_by().values_list("device").annotate(n=Count("pk")))
    devices = list(EvidenceDevice.objects.all())
    for device in devices:
        device.verifications = counts.get(device.name, 0)
    EvidenceDevice.objects.bulk_update(devices, ["verifications"])
