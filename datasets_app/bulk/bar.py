"""The bar of bulk actions under the list, and the bar that reports the latest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from datasets_app.accounts.actor import Actor
from datasets_app.bulk.asking import can_undo
from datasets_app.bulk.verb import VERBS, Verb, verb_named
from datasets_app.models import BulkAction, TagColour

# In the order of the buttons: each panel's title and the verbs of its form.
PANELS = (
    ("verify", "Verify", ("verify",)),
    ("tag", "Tag", ("tag", "untag")),
    ("assign", "Assign", ("assign", "unassign")),
    ("recipe", "Add to recipe", ("recipe",)),
    ("export", "Export", ("export",)),
)


@dataclass(frozen=True)
class Panel:
    """A form that opens from the bar; its fields are templates/browse/verbs/_<name>.html."""

    name: str
    title: str
    verbs: list[Verb]

    @property
    def template(self) -> str:
        return f"browse/verbs/_{self.name}.html"

    @property
    def choices(self) -> dict[str, Any]:
        return {"colours": TagColour.values} | {
            k: v for verb in self.verbs for k, v in verb.choices().items()
        }


def panels(actor: Actor) -> list[Panel]:
    """Return the panels that the actor may use."""
    usable = [
        Panel(name, title, [VERBS[verb] for verb in verbs if verb in VERBS]) for name, title, verbs in PANELS
    ]
    return [panel for panel in usable if panel.verbs and actor.may(panel.verbs[0].scope)]


def panel_of(actor: Actor, verb: str) -> Panel | None:
    return next((panel for panel in panels(actor) if verb in [shown.name for shown in panel.verbs]), None)


@dataclass(frozen=True)
class Bar:
    """The report of an action, and whether it can be undone."""

    bulk: BulkAction
    words: str
    can_undo: bool

    @property
    def is_running(self) -> bool:
        return not self.bulk.is_finished

    @property
    def seconds_left(self) -> int | None:
        """Return the remaining seconds at the pace so far; None if there is none yet."""
        if not self.bulk.started_at or not self.bulk.seen:
            return None
        spent = (timezone.now() - self.bulk.started_at).total_seconds()
        return round(spent / self.bulk.seen * (self.bulk.total - self.bulk.seen))


def bar_of(bulk: BulkAction | None) -> Bar | None:
    if bulk is None:
        return None
    verb = verb_named(bulk.action)
    return Bar(bulk, verb.did(bulk) if bulk.is_finished else f"{verb.title}: running", can_undo(bulk))
