"""Describes entries of the audit log in words: who did what to which object, with a link if it has a page."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import NoReverseMatch, reverse

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.models import AuditEntry, Release, Sample
from datasets_app.models.identity import is_uuid

# The phrase for each action; {names} come from the entry's detail.
WORDS = {
    "account.email": "changed an e-mail address",
    "account.deactivate": "deactivated the account {user}",
    "account.reactivate": "reactivated the account {user}",
    "admin.add": "added {name}",
    "admin.change": "changed {name}",
    "admin.delete": "deleted {name}",
    "bulk.assign": "assigned {total} samples to {reviewer}",
    "bulk.export": "requested a file of {total} samples",
    "bulk.recipe": "added {total} samples to the recipe {recipe}",
    "bulk.tag": "tagged {total} samples with {tag}",
    "bulk.unassign": "unassigned {total} samples from {reviewer}",
    "bulk.undo": "undid an action over {total} samples",
    "bulk.untag": "removed the tag {tag} from {total} samples",
    "bulk.verify": "requested verifications of {total} samples",
    "edit.accept": "accepted an edit",
    "edit.change": "changed an edit",
    "edit.propose": "proposed an edit",
    "edit.verify": "requested a run of an edit, {profile}",
    "edit.withdraw": "withdrew an edit",
    "host.add": "added the host {name}",
    "host.drain": "drained the host {name}",
    "host.pause": "paused the host {name}",
    "host.resume": "resumed the host {name}",
    "host.revoke": "revoked the host {name}",
    "host.rotate": "gave the host {name} a new key",
    "ingest.cancel": "cancelled the ingest of {file}",
    "invitation.make": "invited somebody as {role}",
    "invitation.revoke": "revoked an invitation as {role}",
    "invitation.use": "joined as {role}",
    "ingest.restore": "brought back the samples of {file}",
    "ingest.undo": "withdrew the samples of {file}",
    "ingest.start": "started the ingest of {file}",
    "ingest.rows": "ingested {rows} rows of {source}",
    "honeypots.load": "stored {stored} honeypots",
    "ingest.again": "read a file again as {format}",
    "note.answer": "answered a note",
    "note.create": "wrote a note",
    "note.edit": "edited a note",
    "note.import": "imported a note",
    "note.reopen": "reopened a note",
    "note.resolve": "resolved a note",
    "note.withdraw": "withdrew a note",
    "password.change": "changed a password",
    "password.reset": "set somebody's password",
    "password.reset-by-link": "chose a new password through a reset link",
    "password.reset-mail": "sent {user} a link for a new password",
    "password.reset-link": "made a password reset link for {user}",
    "preference.import": "imported a preference",
    "preference.submit": "compared two samples",  # without the choice: blind reviewers read this too
    "preference.withdraw": "withdrew a preference",
    "queue.change": "changed the queue {name}",
    "queue.close": "closed the queue {name}",
    "queue.create": "created the queue {name}",
    "queue.decide": "had {samples} samples of the queue {name} decided again, {policy}",
    "queue.open": "opened the queue {name} with {samples} samples",
    "queue.top-up": "added {samples} samples to the queue {name}",
    "recipe.change": "changed the recipe {name}",
    "recipe.create": "created the recipe {name}",
    "recipe.delete": "deleted the recipe {name}",
    "release.create": "froze {name} by {recipe}",
    "release.describe": "changed the description of {name}",
    "release.export": "exported {name} as {format}",
    "release.push": "pushed {name} to {repository} at {endpoint}",
    "release.retry": "retried {name}",
    "release.supersede": "named {successor} as the successor of {name}",
    "release.unyank": "took back the yank of {name}",
    "release.visibility": "changed who may read {name} from {was} to {visibility}",
    "release.yank": "yanked {name}: {reason}",
    "review.import": "imported a review",
    "review.adjudicate": "adjudicated a sample",
    "review.withdraw": "withdrew a review",
    "review.skip": "skipped a sample",
    "rubric.publish": "published a version of the rubric",
    "review.submit": "reviewed a sample",  # without the verdict: blind reviewers read this too
    "role.change": "changed the role of {user} from {was} to {role}",
    "sample.restore": "brought back a sample",
    "sample.withdraw": "withdrew a sample",
    "sample.tag": "tagged a sample with {tag}",
    "sample.untag": "removed the tag {tag} from a sample",
    "samples.export": "exported {samples} samples as {format}",
    "reviews.export": "exported {reviews} reviews as {format}",
    "tasks.export": "exported {tasks} tasks as {format}",
    "verifications.export": "exported {verifications} verifications as {format}",
    "second-factor.off": "turned a second step off",
    "second-factor.on": "turned the second step on",
    "second-factor.recovery-code": "signed in with a recovery code",
    "second-factor.recovery-codes": "created new recovery codes",
    "suggestion.drop": "dropped a suggestion",
    "suggestion.import": "imported a suggestion",
    "suggestion.post": "sent {count} suggestions of {maker} {version}",
    "suggestion.take": "took a suggestion",  # without the verdict: blind reviewers read this too
    "suggestion.withdraw": "withdrew a suggestion of {maker}",
    "synthesis.again": "continued the synthesis {name}",
    "synthesis.cancel": "cancelled the synthesis {name}",
    "synthesis.start": "asked {model} for {count} candidates, {name}",
    "loop.again": "continued the turns of {name}",
    "loop.cancel": "cancelled the turns of {name}",
    "loop.start": "started turns of {name}, {policy}, at most {turns}",
    "run.create": "froze the run {name} of {source}",
    "tag.change": "changed the tag {name}",
    "tag.create": "created the tag {name}",
    "tag.delete": "deleted the tag {name}",
    "token.make": "created an API token for {user}",
    "token.revoke": "revoked an API token of {user}",
    "maintenance.request": "requested maintenance: {kind}",
    "verification.cancel": "cancelled a verification",
    "verification.cancel-batch": "cancelled {count} queued verifications of the batch “{name}”",
    "verification.request": "requested {count} verifications, {profile}",
    "webhook.again": "sent an event to {host} again",
    "webhook.change": "changed the webhook to {host}",
    "webhook.create": "added a webhook to {host}",
    "webhook.delete": "deleted the webhook to {host}",
    "webhook.off": "switched the webhook to {host} off",
    "webhook.on": "switched the webhook to {host} on",
    "webhook.secret": "gave the webhook to {host} a new secret",
    "webhook.test": "sent a test to {host}",
    "view.change": "changed the view {name}",
    "view.delete": "deleted the view {name}",
    "view.restore": "restored the view {name}",
    "view.save": "saved the view {name}",
}
ONE_VERIFICATION = "requested a verification, {profile}"
A_SAMPLE = "a sample"  # in words: replaced by the name of the sample's task
READ_AHEAD = 12  # entries read for each group that is shown
# Actions on accounts and webhooks, which only administrators read about.
OF_ACCOUNTS = ("account.", "invitation.", "password.", "role.", "second-factor.", "token.", "webhook.")
ACCOUNT_MODELS = ("ApiToken", "Invitation", "LoginFailure", "SecondFactor", "Webhook", "WebhookDelivery")
# The page of each type of object; a release is identified by its name.
PAGES = {
    "datasets_app.Ingest": ("ingest-detail", "id"),
    "datasets_app.Release": ("release", "name"),
    "datasets_app.EvaluationRun": ("run", "id"),
    "datasets_app.Recipe": ("recipe", "name"),
    "datasets_app.ReviewQueue": ("review-queue", "id"),
    "datasets_app.Sample": ("sample", "id"),
    "datasets_app.Synthesis": ("synthesis", "id"),
    "datasets_app.Verification": ("verification", "id"),
    "datasets_app.Webhook": ("webhook", "id"),
}


@dataclass(frozen=True)
class Deed:
    """One line of the log."""

    at: datetime
    who: str
    words: str
    url: str


class _Details(dict[str, Any]):
    """Details of an entry: one that is missing in an older entry becomes an empty text."""

    def __missing__(self, key: str) -> str:
        return "–"


def entries_for(actor: Actor) -> QuerySet[AuditEntry]:
    """Return the entries that the actor may read on the home page, newest first."""
    entries = AuditEntry.objects.all()
    if not actor.may(Scope.ADMIN):
        entries = entries.exclude(reduce(or_, (Q(action__startswith=start) for start in OF_ACCOUNTS)))
        entries = entries.exclude(target_type__in=[f"datasets_app.{name}" for name in ACCOUNT_MODELS])
    if not actor.may(Scope.CURATE):  # who read every release
        unread = Release.objects.exclude(pk__in=readable_releases(actor).order_by().values("pk"))
        ids = [str(pk) for pk in unread.values_list("pk", flat=True)]
        entries = entries.exclude(target_type=Release._meta.label, target_id__in=ids)
    # A private view is its owner's own, by name too.
    mine = Q(actor=actor.user) if actor.user is not None else Q()
    return entries.filter(~Q(action__startswith="view.") | Q(detail__shared=True) | mine)


def deeds(entries: Iterable[AuditEntry]) -> list[Deed]:
    """Return the entries in words; an action without a phrase is shown by its name."""
    return [Deed(entry.at, entry.actor_name, words(entry), page_of(entry)) for entry in entries]


def newest_deeds(actor: Actor, most: int) -> list[Deed]:
    """Return the newest deeds that the actor may read, alike ones of one person in a row as one; two queries, for
    those who do not curate three.
    """
    entries = list(entries_for(actor)[: most * READ_AHEAD])
    names = task_names(entries)
    groups = [list(alike) for _, alike in groupby(entries, key=kind_of)][:most]
    return [together(group, names) for group in groups]


def kind_of(entry: AuditEntry) -> tuple[str, str, str]:
    """Return what entries share that are shown as one: the person, the action, and the words if it is of a sample."""
    said = words(entry)
    return entry.actor_name, entry.action, said if A_SAMPLE in said else ""


def together(entries: list[AuditEntry], names: dict[str, str]) -> Deed:
    """Return entries of one kind, newest first, as one deed: the first in full, and how many more."""
    first = entries[0]
    [deed] = deeds([first])
    said = deed.words
    if name := names.get(first.target_id):
        said = said.replace(A_SAMPLE, name)
    others = len({(entry.target_type, entry.target_id) for entry in entries}) - 1
    if others:
        said = f"{said} and {others} more"
    elif len(entries) > 1:
        said = f"{said}, {len(entries)} times"
    return replace(deed, words=said)


def task_names(entries: Iterable[AuditEntry]) -> dict[str, str]:
    """Return the names of the tasks of the samples that the entries are about, by the samples' ids."""
    ids = {entry.target_id for entry in entries if entry.target_type == Sample._meta.label}
    rows = Sample.objects.filter(pk__in=[pk for pk in ids if is_uuid(pk)]).order_by()
    return {str(pk): name for pk, name in rows.values_list("pk", "task__name")}


def words(entry: AuditEntry) -> str:
    form = WORDS.get(entry.action)
    if form is None:
        return entry.action.replace(".", " ").replace("_", " ")
    if entry.action == "verification.request" and entry.detail.get("count") == 1:
        form = ONE_VERIFICATION
    return form.format_map(_Details(entry.detail))


def page_of(entry: AuditEntry) -> str:
    """Return the URL of the object's page, or '' if it has none or was deleted."""
    if entry.action.endswith(".delete") or entry.target_type not in PAGES:
        return ""
    route, known_by = PAGES[entry.target_type]
    key = entry.target_id if known_by == "id" else entry.detail.get(known_by, "")
    try:
        return reverse(route, args=[key])
    except NoReverseMatch:
        return ""
