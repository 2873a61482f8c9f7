"""A verdict is bound to a device and to versions. Which of them have changed since it was found?

The sample's content is bound by its id, a hash of its three texts: other content is another sample.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets_app.models import Environment
from eval_app.models import Worker
from eval_app.pages.workers import Fleet
from eval_app.request.verify import ENGINE_VERSION, Report

PARTS = ("engine", "torch", "toolkit", "driver")


# --- What a report is bound to -----------------------------------------------------------------------------


def parts_of(versions: Mapping[str, str]) -> dict[str, str]:
    """The versions that bind a verdict, by their names here; an unknown one is empty."""
    toolkit = versions.get("nvcc") or versions.get("cuda") or ""
    named = {name: str(versions.get(name) or "") for name in PARTS}
    return {name: text[:40] for name, text in {**named, "toolkit": toolkit}.items()}


def environment_of(report: Report, device: str) -> Environment:
    """The row of this report's device and versions, made if it is the first of its kind."""
    parts = parts_of(report.versions)
    kind = str(report.device.get("kind") or "")[:10]
    return kept(kind=kind, device=device, **{**parts, "engine": parts["engine"][:20]})


def kept(**fields: str) -> Environment:
    said = "\x1f".join(fields[name] for name in ("kind", "device", *PARTS))
    key = hashlib.sha256(said.encode()).hexdigest()[:16]
    environment, is_new = Environment.objects.get_or_create(key=key, defaults=fields)
    if is_new and (changed := Machines(Fleet.read()).changes(environment)):
        environment.changed = changed
        environment.save(update_fields=["changed"])
    return environment


# --- What has changed since --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machines:
    """What the machines now run, as their workers said last."""

    fleet: Fleet

    def changes(self, environment: Environment) -> str:
        """What differs now: "engine 0.3 → 0.4, driver 570 → 580"; empty where nothing does or nothing is known."""
        candidates = [self.differences(environment, now) for now in self.running(environment.device)]
        fewest = min(candidates, key=len, default=self.differences(environment, {}))
        return ", ".join(f"{name} {before} → {after}" for name, before, after in fewest)

    def running(self, device: str) -> list[dict[str, str]]:
        """The versions on each live worker that has this device; of the one seen last where none lives."""
        having = [worker for worker in self.fleet.workers if device in names(worker)]
        live = [worker for worker in having if self.fleet.is_alive(worker)]
        last = sorted(having, key=lambda worker: worker.seen_at)[-1:]
        return [parts_of(worker.versions) for worker in live or last]

    def differences(self, environment: Environment, now: Mapping[str, str]) -> list[tuple[str, str, str]]:
        """(name, before, after) of what is known on both sides. The engine is the one that this site has."""
        now = {**now, "engine": ENGINE_VERSION}
        pairs = [(name, getattr(environment, name), now.get(name, "")) for name in PARTS]
        return [
            (name, before, after)
            for name, before, after in pairs
            if before and after and before != after and not (name == "toolkit" and says_less(before, after))
        ]


def says_less(one: str, other: str) -> bool:
    """Whether one of two versions is the other's beginning: a toolkit of 13.0 may be that of 13.0.88."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def names(worker: Worker) -> set[Any]:
    return {device.get("name") for device in worker.devices if isinstance(device, dict)}


def note_changes() -> None:
    """Write down for each environment what its machines run now. Called when a worker announces itself, and by the
    sweeper, because a worker that stops counts no more."""
    machines = Machines(Fleet.read())
    for environment in Environment.objects.all():
        changed = machines.changes(environment)
        if changed != environment.changed:
            Environment.objects.filter(pk=environment.pk).update(changed=changed)
