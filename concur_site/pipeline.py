"""The pipeline on the home page and in /api/v1/stats/: per stage a count, its state and the next step."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Count, Model, Q
from django.urls import reverse

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.query.sets import Sets
from datasets_app.db import facet_index
from datasets_app.db.facet_index.extremes import minus
from datasets_app.models import Export, Ingest, Recipe, Release, Task, Verification
from eval_app.models import Worker

# What the page counts by state: a table, and which of its rows. A recipe and a task have no state.
COUNTED: dict[str, tuple[type[Model], str]] = {
    "verifications": (Verification, ""),
    "verifications of edits": (Verification, "WHERE sample_id IS NULL"),
    "ingests": (Ingest, ""),
    "releases": (Release, ""),
    "exports": (Export, ""),
}
STATELESS: dict[str, type[Model]] = {"recipes": Recipe, "tasks": Task}
# Written once: Django would build each part anew per request, which takes longer than the database does.
COUNTS_SQL = " UNION ALL ".join(
    [
        *(
            f"SELECT '{kind}', state, count(*) FROM {model._meta.db_table} {which} GROUP BY state"  # noqa: S608
            for kind, (model, which) in COUNTED.items()
        ),
        *(f"SELECT '{kind}', '', count(*) FROM {model._meta.db_table}" for kind, model in STATELESS.items()),  # noqa: S608
    ]
)


@dataclass(frozen=True)
class Fact:
    label: str
    value: int


@dataclass(frozen=True)
class Station:
    """One stage: its main number, what is in progress, and the next step."""

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


def numbers(actor: Actor) -> dict[str, Any]:
    """Return all counts, exact as of now, in a fixed number of queries; those of samples come from the facet index.

    A sample whose reviews are hidden from the actor counts as an unreviewed one.
    """
    workers = Worker.objects.alive().aggregate(
        workers=Count("id", filter=Q(healthy=True)),
        workers_testing=Count("id", filter=Q(healthy=False, state=Worker.State.TESTING)),
    )
    rows = state_counts()
    # Those of samples: an index alone counts all by state, and those of edits are few.
    verifications = rows["verifications"] - rows["verifications of edits"]
    return {
        **sample_numbers(actor),
        **workers,
        "verifications": verifications["done"],
        "verifications_running": verifications["running"],
        "verifications_waiting": verifications["queued"],
        "ingests": rows["ingests"]["done"],
        "ingests_running": rows["ingests"]["queued"] + rows["ingests"]["running"],
        "releases": rows["releases"]["done"],
        "releases_running": rows["releases"]["queued"] + rows["releases"]["running"],
        "tasks": rows["tasks"][""],
        "recipes": rows["recipes"][""],
        "exports": rows["exports"]["done"],
    }


def state_counts() -> defaultdict[str, Counter[str]]:
    """Return the number of rows by state, for each kind that the page counts; one query."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(COUNTS_SQL)
        for kind, state, n in cursor.fetchall():
            counts[kind][state] = n
    return counts


def sample_numbers(actor: Actor) -> dict[str, int]:
    """Return counts from the facet index: the same numbers that the list shows to the actor."""
    reading = facet_index.read()
    sets = Sets(BrowseFilter(hidden=hidden_from(actor)), reading)
    everything = sets.matching()  # without withdrawn samples
    outcomes = reading.counts("outcome", everything)
    shown = minus(everything, sets.hidden)
    verdicts = reading.counts("verdict", shown)
    samples = sum(block.bit_count() for block in everything.values())
    return {
        "samples": samples,
        "with_trace": reading.counts("has_trace", everything).get("yes", 0),
        "verified": samples - outcomes.get("", 0),
        "passed": outcomes.get("passed", 0),
        "reviewed": sum(number for verdict, number in verdicts.items() if verdict),
        "accepted": verdicts.get("accept", 0),
    }


def of(what: str, number: int) -> str:
    """Return the noun for a number: samples, but 1 sample."""
    return what if number == 1 else f"{what}s"


def doing(number: int, what: str, otherwise: str) -> str:
    return f"{number:,} {what}" if number else otherwise


def stations(actor: Actor, n: dict[str, Any]) -> list[Station]:
    """Return the stages in order, from `numbers`. Each next step leads to a page that the actor may use."""
    return [
        ingest(n, actor),
        browse(n),
        review(n, actor),
        verify(n, actor),
        curate(n, actor),
        export(n),
    ]


def ingest(n: dict[str, Any], actor: Actor) -> Station:
    return Station(
        name="ingest",
        title="Ingest",
        url=reverse("ingest"),
        count=n["samples"],
        unit=of("sample", n["samples"]),
        state=doing(
            n["ingests_running"], "being read", f"{n['ingests']:,} file{'s' * (n['ingests'] != 1)} read"
        ),
        facts=[Fact("tasks", n["tasks"]), Fact("with a trace", n["with_trace"])],
        action="Add a file" if actor.may(Scope.CURATE) else "See the files",
        action_url=reverse("ingest"),
        is_busy=bool(n["ingests_running"]),
    )


def browse(n: dict[str, Any]) -> Station:
    return Station(
        name="browse",
        title="Browse",
        url=reverse("browse"),
        count=n["tasks"],
        unit=of("task", n["tasks"]),
        state=f"{n['samples']:,} samples to read" if n["samples"] else "nothing to read yet",
        facts=[Fact("without a trace", n["samples"] - n["with_trace"])],
        action="Browse samples",
        action_url=reverse("browse"),
    )


def review(n: dict[str, Any], actor: Actor) -> Station:
    may = actor.may(Scope.ANNOTATE)
    page = reverse("review") if may else f"{reverse('browse')}?view=all"
    return Station(
        name="review",
        title="Review",
        url=page,
        count=n["reviewed"],
        unit="reviewed",
        state=doing(n["samples"] - n["reviewed"], "to review", "nothing to review"),
        facts=[Fact("accepted", n["accepted"])],
        action="Review samples" if may else "Read samples",
        action_url=page,
    )


def verify(n: dict[str, Any], actor: Actor) -> Station:
    busy, waiting = n["verifications_running"], n["verifications_waiting"]
    starting = "a worker runs its self-test" if n["workers_testing"] else "no worker is running"
    idle = "idle" if n["workers"] else starting
    return Station(
        name="verify",
        title="Verify",
        url=reverse("verify"),
        count=n["verified"],
        unit="verified",
        state=doing(busy, f"running, {waiting:,} waiting", doing(waiting, "waiting", idle)),
        facts=[Fact("passed", n["passed"]), Fact("workers", n["workers"])],
        action="Verify kernels" if actor.may(Scope.ANNOTATE) else "See verifications",
        action_url=reverse("verify"),
        is_busy=bool(busy),
    )


def curate(n: dict[str, Any], actor: Actor) -> Station:
    return Station(
        name="curate",
        title="Curate",
        url=reverse("curate"),
        count=n["recipes"],
        unit=of("recipe", n["recipes"]),
        state=doing(n["releases_running"], "being frozen", "idle"),
        facts=[Fact("eligible", n["passed"])],
        action="Compose a recipe" if actor.may(Scope.CURATE) else "See the recipes",
        action_url=reverse("curate"),
        is_busy=bool(n["releases_running"]),
    )


def export(n: dict[str, Any]) -> Station:
    return Station(
        name="export",
        title="Releases",
        url=reverse("releases"),
        count=n["releases"],
        unit=of("release", n["releases"]),
        state=f"{n['exports']:,} files to download" if n["exports"] else "nothing to download yet",
        facts=[],
        action="Download",
        action_url=reverse("releases"),
    )


def as_json(all_stations: Iterable[Station]) -> list[dict[str, Any]]:
    return [asdict(station) for station in all_stations]
