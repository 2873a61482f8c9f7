"""The audit log in words: who did what to which thing, each thing a link where it has a page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import NoReverseMatch, reverse

from datasets_app.models import AuditEntry

# What an action is called; {names} come from the entry's detail.
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
    "review.submit": "judged a sample",  # not how: a blind reviewer reads this too
    "sample.tag": "tagged a sample with {tag}",
    "sample.untag": "took the tag {tag} off a sample",
    "samples.export": "exported {samples} samples as {format}",
    "tag.change": "changed the tag {name}",
    "tag.create": "made the tag {name}",
    "tag.delete": "deleted the tag {name}",
    "token.make": "made an API token for {user}",
    "token.revoke": "revoked an API token of {user}",
    "upkeep.request": "asked for the upkeep of {kind}",
    "verification.cancel": "cancelled a verification",
    "verification.request": "asked for {count} verifications, {profile}, on {device}",
    "view.change": "changed the view {name}",
    "view.delete": "deleted the view {name}",
    "view.restore": "brought back the view {name}",
    "view.save": "saved the view {name}",
}
# The page of a thing, by its model; a release is known by its name.
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
    """An older entry may lack a detail that today's words name."""

    def __missing__(self, key: str) -> str:
        return "–"


def deeds(entries: Iterable[AuditEntry]) -> list[Deed]:
    """The entries in words; an action without words of its own is shown by its name."""
    return [Deed(entry.at, entry.actor_name, words(entry), page_of(entry)) for entry in entries]


def words(entry: AuditEntry) -> str:
    form = WORDS.get(entry.action)
    if form is None:
        return entry.action.replace(".", " ").replace("_", " ")
    return form.format_map(_Details(entry.detail))


def page_of(entry: AuditEntry) -> str:
    """Where the thing can be seen; empty where it has no page, or has none any more."""
    if entry.action.endswith(".delete") or entry.target_type not in PAGES:
        return ""
    route, known_by = PAGES[entry.target_type]
    key = entry.target_id if known_by == "id" else entry.detail.get(known_by, "")
    try:
        return reverse(route, args=[key])
    except NoReverseMatch:
        return ""
