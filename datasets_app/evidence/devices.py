"""The reference device: the one on which lists, ranks and plots compare samples unless somebody asks for another.

CONCUR_REFERENCE_DEVICE names it, whole (NVIDIA H200) or by one word (H200). Without that it is the device with the
most deciding verifications, as the last maintenance run counted them. A device that is met in between is placed last:
the order changes in maintenance runs, which derive every headline anew, and at no other time. After a change of the
variable, new reports follow it at once and older samples with the next maintenance run; until then the maintenance page
says how many wait.
"""

from __future__ import annotations

from django.conf import settings
from django.db.models import Count

from datasets_app.models import EvidenceDevice, Verification


def ordered() -> list[EvidenceDevice]:
    """Return the devices that have evidence, the reference device first; one small query."""
    devices = list(EvidenceDevice.objects.all())
    wanted = settings.REFERENCE_DEVICE
    return sorted(devices, key=lambda device: not (wanted and is_device(wanted, device.name)))


def reference_device() -> str:
    """Return the reference device's name; empty on a site without evidence."""
    return next((device.name for device in ordered()), "")


def named(text: str) -> str:
    """Return the first device that `text` may mean, in their order; the text itself where there is none."""
    return next((device.name for device in ordered() if is_device(text, device.name)), text)


def is_device(text: str, name: str) -> bool:
    """Return whether `text` is a device's whole name or one word of it: H200 is NVIDIA H200 and not NVIDIA H2000."""
    if " " in text:
        return text.lower() == name.lower()
    return f" {text.lower()} " in f" {name.lower()} "


def places(kinds: dict[str, str]) -> dict[str, int]:
    """Return each device's place, 0 for the reference device; devices of `kinds` (name to kind) are made if new."""
    known = ordered()
    missing = sorted(kinds.keys() - {device.name for device in known})
    if missing:
        fresh = [EvidenceDevice(name=name, kind=kinds[name]) for name in missing]
        EvidenceDevice.objects.bulk_create(fresh, ignore_conflicts=True)
        known = ordered()
    return {device.name: place for place, device in enumerate(known)}


def recount() -> None:
    """Count the deciding verifications of each device; the order of devices follows."""
    counts = dict(Verification.objects.deciding().order_by().values_list("device").annotate(n=Count("pk")))
    devices = list(EvidenceDevice.objects.all())
    for device in devices:
        device.verifications = counts.get(device.name, 0)
    EvidenceDevice.objects.bulk_update(devices, ["verifications"])
