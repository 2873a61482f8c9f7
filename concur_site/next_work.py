"""The next work of a person on the home page: for annotators, curators and administrators, each with a way to begin.

Every entry leads to a page that has a form for this person. One statement tells which lists can have rows, because most
have none at most times; the others are read up to `MOST` rows, so that the number of queries has a bound whatever the
site holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from concur_site.health.report import Report
from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.db.some_rows import Some, models_with_rows
from datasets_app.ingest.cancel import may_cancel
from datasets_app.models import (
    Assignment,
    BulkAction,
    Edit,
    Export,
    Ingest,
    IngestUndo,
    JobState,
    MaintenanceRun,
    NoteEntry,
    Outcome,
    Release,
    Review,
    ReviewDraft,
    ReviewQueue,
    Suggestion,
    SuggestionAnswer,
    TableExport,
    Verification,
)
from datasets_app.review import edits, notes, queues
from datasets_app.review.adjudicate import disputed_for

MOST = 50  # rows read of a list; more are shown as "50+"
MOST_QUEUES = 4
RECENTLY = timedelta(days=7)
# The page on which each part of the site's health can be mended.
PAGE_OF_TROUBLE = {"workers": "verify-hosts"}
# The rows without which a kind of work waits for nobody.
NEEDED: dict[type[Model], str] = {
    Assignment: "",
    NoteEntry: "",
    ReviewQueue: "closed_at IS NULL",
    ReviewDraft: "skipped_at IS NULL",
    Review: "",
    Edit: "state = 'open'",
    Suggestion: "withdrawn_at IS NULL",
    Release: "",
    **dict.fromkeys((Ingest, IngestUndo, TableExport, BulkAction, MaintenanceRun), "state = 'failed'"),
}


@dataclass(frozen=True)
class Work:
    """One kind of work that waits."""

    count: int
    words: str
    action: str  # the words of the link or the button
    url: str
    posts: bool = False  # a button that claims a sample, not a link
    at_least: bool = False  # more than were read
    tone: str = ""  # is-doubt or is-bad
    dismiss_url: str = ""  # a button that takes the first of it off the list


@dataclass(frozen=True)
class WorkGroup:
    title: str
    works: list[Work]


def next_work(actor: Actor, health: Report, unreviewed: int) -> list[WorkGroup]:
    """Return what waits for this person, by role; `unreviewed` is the number of samples without a review."""
    if not actor.may(Scope.ANNOTATE):
        return []
    some, groups = models_with_rows(NEEDED), []
    if actor.may(Scope.ADMIN):
        groups.append(WorkGroup("Site", list(of_administrator(health, some))))
    if actor.may(Scope.CURATE):
        groups.append(WorkGroup("Curate", list(of_curator(actor, some))))
    groups.append(WorkGroup("Review", list(of_annotator(actor, unreviewed, some))))
    return [group for group in groups if group.works]


def few(rows: QuerySet[Any]) -> list[Any]:
    return list(rows[: MOST + 1])


def listed(rows: list[Any], one: str, many: str, action: str, url: str, tone: str = "") -> Work:
    """Return the work of these rows, of which at most MOST are counted."""
    count = min(len(rows), MOST)
    return Work(count, one if count == 1 else many, action, url, at_least=len(rows) > MOST, tone=tone)


# --- Annotators ---------------------------------------------------------------------------------------


def of_annotator(actor: Actor, unreviewed: int, some: Some) -> Iterator[Work]:
    me = actor.person()
    if Assignment in some and (assigned := queues.assigned_to(me)):
        query = urlencode({"assigned": me.get_username()})
        yield Work(
            assigned, "assigned to you", "Review the next one", f"{reverse('review-next')}?{query}", True
        )
    if NoteEntry in some and (unseen := few(notes.inbox_of(actor).values("pk"))):
        one, many = "note for you that you have not seen", "notes for you that you have not seen"
        yield listed(unseen, one, many, "Read", reverse("inbox"))
    mine = list(queues.queues_with_work(me)[:MOST_QUEUES]) if ReviewQueue in some else []
    counts = queues.progress_of(mine, me)
    for queue in mine:
        yield of_queue(queue, counts[queue.pk].waiting + counts[queue.pk].skipped)
    if ReviewDraft in some:
        yield from of_drafts(me)
    if unreviewed and not mine:
        words = "sample without a review" if unreviewed == 1 else "samples without a review"
        yield Work(unreviewed, words, "Review the next one", reverse("review-next"), True)


def of_drafts(me: Any) -> Iterator[Work]:
    mine = ReviewDraft.objects.filter(reviewer=me, skipped_at=None).order_by("-updated_at")
    if drafts := few(mine.values("sample")):
        words = "review of yours is unfinished", "reviews of yours are unfinished"
        yield listed(drafts, *words, "Finish", reverse("review-sample", args=[drafts[0]["sample"]]))


def of_queue(queue: ReviewQueue, wanted: int) -> Work:
    """Return the work of a queue that has a sample for its reader."""
    since = "overdue since" if queue.is_overdue else "due"
    due = f", {since} {queue.deadline:%Y-%m-%d}" if queue.deadline else ""
    words = f"review{'s' * (wanted != 1)} wanted in {queue.name}{due}"
    url = f"{reverse('review-next')}?{urlencode({'queue': queue.pk})}"
    return Work(wanted, words, "Review the next one", url, True, tone="is-doubt" if queue.is_overdue else "")


# --- Curators -----------------------------------------------------------------------------------------


def of_curator(actor: Actor, some: Some) -> Iterator[Work]:
    if Review in some:
        yield from of_conflicts(actor)
    if Edit in some:
        yield from of_edits()
    if Suggestion in some:
        yield from of_suggestions()
    if Release in some:
        yield from of_releases(actor)
    if Ingest in some:
        yield from of_files(actor)
    if ReviewQueue in some:
        yield from of_new_queues()


def of_conflicts(actor: Actor) -> Iterator[Work]:
    if conflicts := few(disputed_for(actor).values_list("pk", flat=True)):
        words = "sample whose reviewers disagree", "samples whose reviewers disagree"
        yield listed(conflicts, *words, "Adjudicate", reverse("adjudicate", args=[conflicts[0]]))


def of_edits() -> Iterator[Work]:
    opened = edits.standings_of(Edit.objects.open().order_by("created_at")[:MOST])
    if passed := [one.edit for one in opened if one.is_acceptable]:
        words = "edit that passed and waits", "edits that passed and wait"
        yield listed(passed, *words, "Decide", passed[0].get_absolute_url())


def of_files(actor: Actor) -> Iterator[Work]:
    """Yield the files that no format recognises, and those that cannot be read; the newest can be dismissed."""
    failed = Ingest.objects.filter(state=JobState.FAILED, format="", created_at__gte=since())
    rows = few(failed.order_by("-created_at").only("file_name", "created_by", "state", "format", "seen"))
    kinds = (
        (False, ("file of unknown format", "files of unknown format"), "Choose its format"),
        (True, ("file that cannot be read", "files that cannot be read"), "See why"),
    )
    for unreadable, words, action in kinds:
        if some := [row for row in rows if row.is_unreadable == unreadable]:
            work = listed(some, *words, action, some[0].get_absolute_url(), "is-doubt")
            url = reverse("ingest-cancel", args=[some[0].pk]) if may_cancel(actor, some[0]) else ""
            yield replace(work, dismiss_url=url)


def of_suggestions() -> Iterator[Work]:
    """Yield the suggestions of models on unreviewed samples to which nobody has replied."""
    answered = SuggestionAnswer.objects.filter(suggestion=OuterRef("pk")).order_by()
    waiting = Suggestion.objects.standing().by_models().filter(~Exists(answered), sample__verdict="")
    if rows := few(waiting.order_by("created_at", "pk").values_list("sample", flat=True)):
        url = reverse("review-sample", args=[rows[0]])
        yield listed(
            rows, "suggestion without a reply", "suggestions without a reply", "Review its sample", url
        )


def of_new_queues() -> Iterator[Work]:
    if new := few(ReviewQueue.objects.filter(opened_at=None, closed_at=None).only("pk")):
        words = "queue that is not opened yet", "queues that are not opened yet"
        yield listed(new, *words, "Open", new[0].get_absolute_url())


def of_releases(actor: Actor) -> Iterator[Work]:
    """Yield the releases that a curator has to finish: those whose freeze or export failed, and those without files."""
    ended = Export.objects.filter(release=OuterRef("pk")).order_by()
    broken = Q(state=JobState.FAILED) | Q(Exists(ended.filter(state=JobState.FAILED)))
    releases = readable_releases(actor).select_related(None).only("name")
    if failed := few(releases.filter(broken)):
        words = "release that failed", "releases that failed"
        yield listed(failed, *words, "Retry", failed[0].get_absolute_url(), "is-bad")
    if bare := few(releases.filter(~Exists(ended), state=JobState.DONE)):
        words = "release without files", "releases without files"
        yield listed(bare, *words, "Export", bare[0].get_absolute_url())


# --- Administrators -----------------------------------------------------------------------------------


def of_administrator(health: Report, some: Some) -> Iterator[Work]:
    for name, part in health.troubles.items():
        if (
            name in PAGE_OF_TROUBLE and "broker" not in health.troubles
        ):  # without it, nothing is known of them
            page = reverse(PAGE_OF_TROUBLE[name])
            yield Work(0, part.sentence, "See the hosts", page, tone="is-doubt")
    failures = Verification.runs.filter(outcome=Outcome.INFRA_ERROR, finished_at__gte=since()).order_by()
    if faults := few(failures.values("pk")):
        url = f"{reverse('verify')}?{urlencode({'outcome': Outcome.INFRA_ERROR})}"
        words = "verification failed on our side this week", "verifications failed on our side this week"
        yield listed(faults, *words, "Look at them", url, "is-bad")
    yield from of_jobs(some)


def of_jobs(some: Some) -> Iterator[Work]:
    """Yield the background jobs that failed in the last days. Releases and files without a format are a curator's."""
    kinds: list[tuple[QuerySet[Any], str, str, str]] = [
        (Ingest.objects.exclude(format="").only("pk"), "ingest", "ingests", ""),
        (IngestUndo.objects.only("ingest"), "undoing of an ingest", "undoings of ingests", ""),
        (TableExport.objects.only("pk"), "export of a table", "exports of tables", ""),
        (BulkAction.objects.only("pk"), "bulk action", "bulk actions", ""),
        (MaintenanceRun.objects.only("pk"), "maintenance run", "maintenance runs", reverse("maintenance")),
    ]
    for jobs, one, many, page in kinds:
        if jobs.model not in some:
            continue
        failed = jobs.filter(state=JobState.FAILED, finished_at__gte=since()).order_by("-finished_at")
        if rows := few(failed):
            words = f"{one} failed this week", f"{many} failed this week"
            yield listed(rows, *words, "Look at it", page or rows[0].get_absolute_url(), "is-bad")


def since() -> Any:
    return timezone.now() - RECENTLY
