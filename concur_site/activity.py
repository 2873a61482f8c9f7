"""Describes entries of the audit log in words: who did what to which object, with a link if it has a page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import NoReverseMatch, reverse

from datasets_app.models import AuditEntry

# The phrase for each action; {names} come from the entry's detail.
WORDS = {
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
    "host.add": "added the host {name}",
    "host.revoke": "revoked the host {name}",
    "host.rotate": "gave the host {name} a new key",
    "ingest.start": "gave {file}",
    "ingest.rows": "ingested {rows} rows of {source}",
    "ingest.again": "read a file again as {format}",
    "password.change": "changed a password",
    "recipe.change": "changed the recipe {name}",
    "recipe.create": "created the recipe {name}",
    "recipe.delete": "deleted the recipe {name}",
    "release.create": "froze {name} by {recipe}",
    "release.export": "exported {name} as {format}",
    "release.retry": "retried {name}",
    "review.skip": "skipped a sample",
    "review.submit": "reviewed a sample",  # without the verdict: blind reviewers read this too
    "sample.tag": "tagged a sample with {tag}",
    "sample.untag": "removed the tag {tag} from a sample",
    "samples.export": "exported {samples} samples as {format}",
    "tag.change": "changed the tag {name}",
    "tag.create": "created the tag {name}",
    "tag.delete": "deleted the tag {name}",
    "token.make": "created an API token for {user}",
    "token.revoke": "revoked an API token of {user}",
    "maintenance.request": "requested maintenance: {kind}",
    "verification.cancel": "cancelled a verification",
    "verification.request": "requested {count} verifications, {profile}, on {device}",
    "view.change": "changed the view {name}",
    "view.delete": "deleted the view {name}",
    "view.restore": "restored the view {name}",
    "view.save": "saved the view {name}",
}
# The page of each type of object; a release is identified by its name.
PAGES = {
    "datasets_app.Ingest": ("ingest-detail", "id"),
    "datasets_app.Release": ("release", "name"),
    "datasets_app.Recipe": ("recipe", "name"),
    "datasets_app.Sample": ("sample", "id"),
    "datasets_app.Verification": ("verification", "id"),
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


def deeds(entries: Iterable[AuditEntry]) -> list[Deed]:
    """Return the entries in words; an action without a phrase is shown by its name."""
    return [Deed(entry.at, entry.actor_name, words(entry), page_of(entry)) for entry in entries]


def words(entry: AuditEntry) -> str:
    form = WORDS.get(entry.action)
    if form is None:
        return entry.action.replace(".", " ").replace("_", " ")
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
