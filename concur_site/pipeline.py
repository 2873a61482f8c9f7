"""The pipeline as the home page and /api/v1/stats/ show it: a station a stage, with count, state and next step."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse

from datasets_app.models import Export, Ingest, Recipe, Release, Sample, Task
from eval_app.models import Verification, Worker


@dataclass(frozen=True)
class Fact:
    label: str
    value: int


@dataclass(frozen=True)
class Station:
    """One stage: its headline number, what it does now, and the one thing to do next."""

    name: str
    title: str
    url: str
    count: int
    unit: str
    state: str
    facts: list[Fact] = field(default_factory=list)
    action: str = ""
    action_url: str = ""
    is_busy: bool = False


def numbers() -> dict[str, Any]:
    """Every count, in a fixed number of queries."""
    samples = Sample.objects.aggregate(
        samples=Count("id"),
        with_trace=Count("id", filter=Q(has_trace=True)),
        verified=Count("id", filter=~Q(outcome="")),
        passed=Count("id", filter=Q(outcome="passed")),
        reviewed=Count("id", filter=~Q(verdict="")),
        accepted=Count("id", filter=Q(verdict="accept")),
    )
    verifications = Verification.objects.aggregate(
        verifications=Count("id", filter=Q(state="done")),
        verifications_running=Count("id", filter=Q(state="running")),
        verifications_waiting=Count("id", filter=Q(state="queued")),
    )
    ingests = Ingest.objects.aggregate(
        ingests=Count("id", filter=Q(state="done")),
        ingests_running=Count("id", filter=Q(state__in=["queued", "running"])),
    )
    releases = Release.objects.aggregate(
        releases=Count("id", filter=Q(state="done")),
        releases_running=Count("id", filter=Q(state__in=["queued", "running"])),
    )
    others = {
        "tasks": Task.objects.count(),
        "recipes": Recipe.objects.count(),
        "exports": Export.objects.filter(state="done").count(),
    }
    workers = Worker.objects.alive().aggregate(
        workers=Count("id", filter=Q(healthy=True)),
        workers_testing=Count("id", filter=Q(healthy=False, state=Worker.State.TESTING)),
    )
    return {**samples, **verifications, **ingests, **releases, **workers, **others}


def doing(number: int, what: str, otherwise: str) -> str:
    return f"{number:,} {what}" if number else otherwise


def stations(n: dict[str, Any] | None = None) -> list[Station]:
    n = n or numbers()
    return [ingest(n), browse(n), review(n), verify(n), curate(n), export(n)]


def ingest(n: dict[str, Any]) -> Station:
    return Station(
        name="ingest",
        title="Ingest",
        url=reverse("ingest"),
        count=n["samples"],
        unit="triples",
        state=doing(
            n["ingests_running"], "being read", f"{n['ingests']:,} file{'s' * (n['ingests'] != 1)} read"
        ),
        facts=[Fact("tasks", n["tasks"]), Fact("with a trace", n["with_trace"])],
        action="Add a file",
        action_url=reverse("ingest"),
        is_busy=bool(n["ingests_running"]),
    )


def browse(n: dict[str, Any]) -> Station:
    return Station(
        name="browse",
        title="Browse",
        url=reverse("browse"),
        count=n["tasks"],
        unit="tasks",
        state=f"{n['samples']:,} triples to read" if n["samples"] else "nothing to read yet",
        facts=[Fact("without a trace", n["samples"] - n["with_trace"])],
        action="Read triples",
        action_url=reverse("browse"),
    )


def review(n: dict[str, Any]) -> Station:
    return Station(
        name="review",
        title="Review",
        url=reverse("review"),
        count=n["reviewed"],
        unit="judged",
        state=doing(n["samples"] - n["reviewed"], "wait for a reviewer", "nothing waits"),
        facts=[Fact("accepted", n["accepted"])],
        action="Judge the next one",
        action_url=reverse("review"),
    )


def verify(n: dict[str, Any]) -> Station:
    busy, waiting = n["verifications_running"], n["verifications_waiting"]
    proving = "a worker proves itself" if n["workers_testing"] else "no worker is running"
    idle = "idle" if n["workers"] else proving
    return Station(
        name="verify",
        title="Verify",
        url=reverse("verify"),
        count=n["verified"],
        unit="verified",
        state=doing(busy, f"running, {waiting:,} waiting", doing(waiting, "waiting", idle)),
        facts=[Fact("passed", n["passed"]), Fact("workers", n["workers"])],
        action="Verify kernels",
        action_url=reverse("verify"),
        is_busy=bool(busy),
    )


def curate(n: dict[str, Any]) -> Station:
    return Station(
        name="curate",
        title="Curate",
        url=reverse("curate"),
        count=n["recipes"],
        unit="recipes",
        state=doing(n["releases_running"], "being frozen", "idle"),
        facts=[Fact("may be chosen", n["passed"])],
        action="Compose a split",
        action_url=reverse("curate"),
        is_busy=bool(n["releases_running"]),
    )


def export(n: dict[str, Any]) -> Station:
    return Station(
        name="export",
        title="Export",
        url=reverse("releases"),
        count=n["releases"],
        unit="releases",
        state=f"{n['exports']:,} files to download" if n["exports"] else "nothing to download yet",
        facts=[],
        action="Download",
        action_url=reverse("releases"),
    )


def as_json(all_stations: Iterable[Station]) -> list[dict[str, Any]]:
    return [asdict(station) for station in all_stations]
