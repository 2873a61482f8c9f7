"""Staleness: a verdict is bound to a device and to versions, and some of them may have changed since.

The sample's content is bound by its id, a hash of its three texts: other content is another sample.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets_app.models import Environment
from eval_app.engine import ENGINE_VERSION, Report
from eval_app.models import Worker
from eval_app.workers.fleet import Fleet

PARTS = ("engine", "torch", "toolkit", "driver")


# --- Versions of a report -----------------------------------------------------------------------------------------


def parts_of(versions: Mapping[str, str]) -> dict[str, str]:
    """Return the versions that bind a verdict, by their names here; unknown ones are empty."""
    toolkit = versions.get("nvcc") or versions.get("cuda") or ""
    named = {name: str(versions.get(name) or "") for name in PARTS}
    return {name: text[:40] for name, text in {**named, "toolkit": toolkit}.items()}


def environment_of(report: Report, device: str) -> Environment:
    """Return the row of this report's device and versions, created for the first report of its kind."""
    parts = parts_of(report.versions)
    kind = str(report.device.get("kind") or "")[:10]
    return environment_row(kind=kind, device=device, **{**parts, "engine": parts["engine"][:20]})


def environment_row(**fields: str) -> Environment:
    """Return the row with these fields; a new row records at once what has changed since."""
    identity = "\x1f".join(fields[name] for name in ("kind", "device", *PARTS))
    key = hashlib.sha256(identity.encode()).hexdigest()[:16]
    environment, is_new = Environment.objects.get_or_create(key=key, defaults=fields)
    if is_new and (changed := Machines(Fleet.read()).changes(environment)):
        environment.changed = changed
        environment.save(update_fields=["changed"])
    return environment


# --- Changes since ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machines:
    """The versions that the machines run now, according to their workers' last announcements."""

    fleet: Fleet

    def changes(self, environment: Environment) -> str:
        """Return what has changed: "engine 0.3 → 0.4, driver 570 → 580"; empty if nothing has, or nothing is known."""
        candidates = [self.differences(environment, now) for now in self.running(environment.device)]
        fewest = min(candidates, key=len, default=self.differences(environment, {}))
        return ", ".join(f"{name} {before} → {after}" for name, before, after in fewest)

    def running(self, device: str) -> list[dict[str, str]]:
        """Return the versions of each live worker that has this device; if none lives, those of the last one seen."""
        having = [worker for worker in self.fleet.workers if device in names(worker)]
        live = [worker for worker in having if self.fleet.is_alive(worker)]
        last = sorted(having, key=lambda worker: worker.seen_at)[-1:]
        return [parts_of(worker.versions) for worker in live or last]

    def differences(self, environment: Environment, now: Mapping[str, str]) -> list[tuple[str, str, str]]:
        """Return (name, before, after) of versions that both sides know. The engine is this site's."""
        now = {**now, "engine": ENGINE_VERSION}
        pairs = [(name, getattr(environment, name), now.get(name, "")) for name in PARTS]
        return [
            (name, before, after)
            for name, before, after in pairs
            if before and after and before != after and not (name == "toolkit" and is_prefix(before, after))
        ]


def is_prefix(first: str, second: str) -> bool:
    """Return whether one version is the beginning of the other: a toolkit of 13.0 may be that of 13.0.88."""
    return f"{first}.".startswith(f"{second}.") or f"{second}.".startswith(f"{first}.")


def names(worker: Worker) -> set[Any]:
    return {device.get("name") for device in worker.devices if isinstance(device, dict)}


def note_changes() -> None:
    """Record for each environment what has changed. Called after an announcement, and by the sweeper, because workers
    that stop no longer count."""
    machines = Machines(Fleet.read())
    for environment in Environment.objects.all():
        changed = machines.changes(environment)
        if changed != environment.changed:
            Environment.objects.filter(pk=environment.pk).update(changed=changed)
