"""The audit log in words: who did what to which thing, with a link if the thing has a page."""

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
    "bulk.export": "asked for a file of {total} samples",
    "bulk.recipe": "put {total} samples into the recipe {recipe}",
    "bulk.tag": "tagged {total} samples with {tag}",
    "bulk.unassign": "took {total} samples off {reviewer}",
    "bulk.undo": "undid an action over {total} samples",
    "bulk.untag": "took the tag {tag} off {total} samples",
    "bulk.verify": "asked for verifications of {total} samples",
    "host.add": "let the host {name} verify",
    "host.revoke": "revoked the host {name}",
    "host.rotate": "gave the host {name} a new key",
    "ingest.start": "gave {file}",
    "ingest.rows": "ingested {rows} rows of {source}",
    "ingest.again": "read a file again as {format}",
    "password.change": "changed a password",
    "recipe.change": "changed the recipe {name}",
    "recipe.create": "made the recipe {name}",
    "recipe.delete": "deleted the recipe {name}",
    "release.create": "froze {name} by {recipe}",
    "release.export": "exported {name} as {format}",
    "release.retry": "tried {name} again",
    "review.skip": "skipped a sample",
    "review.submit": "judged a sample",  # without the verdict: blind reviewers read this too
    "sample.tag": "tagged a sample with {tag}",
    "sample.untag": "took the tag {tag} off a sample",
    "samples.export": "exported {samples} samples as {format}",
    "tag.change": "changed the tag {name}",
    "tag.create": "made the tag {name}",
    "tag.delete": "deleted the tag {name}",
    "token.make": "made an API token for {user}",
    "token.revoke": "revoked an API token of {user}",
    "maintenance.request": "requested maintenance: {kind}",
    "verification.cancel": "cancelled a verification",
    "verification.request": "asked for {count} verifications, {profile}, on {device}",
    "view.change": "changed the view {name}",
    "view.delete": "deleted the view {name}",
    "view.restore": "brought back the view {name}",
    "view.save": "saved the view {name}",
}
# The page of each kind of thing; a release is identified by its name.
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
    """Return the address of the thing's page, or '' if it has none or is deleted."""
    if entry.action.endswith(".delete") or entry.target_type not in PAGES:
        return ""
    route, known_by = PAGES[entry.target_type]
    key = entry.target_id if known_by == "id" else entry.detail.get(known_by, "")
    try:
        return reverse(route, args=[key])
    except NoReverseMatch:
        return ""
