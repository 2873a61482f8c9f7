"""What a request would verify, before it is made: how many samples, on which devices, and about how long it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Count
from django.http import QueryDict

from datasets_app.accounts.actor import Actor
from datasets_app.models import Priority, WantedDevice
from eval_app.pages.pace import FEWEST_RUNS, Pace, duration_words
from eval_app.pages.place import work_before
from eval_app.request import selection
from eval_app.request.verify import (
    AUTO,
    DEFAULT_PROFILE,
    DEVICE_CHOICES,
    PROFILE_NAMES,
    VerifyError,
    check_request,
    device_for,
)
from eval_app.workers.fleet import Fleet
from eval_app.workers.requirement import FORM

CONFIRM_ABOVE = 100  # samples that one press may request


@dataclass(frozen=True)
class Part:
    """The samples that one kind of device would run, and why no worker takes them; empty if one does."""

    label: str
    count: int
    reason: str


@dataclass(frozen=True)
class Preview:
    """A request and what it matches. `error`: why it cannot be made; everything typed is kept."""

    query: str
    profile: str
    device: str
    inspect: bool
    requires: str = ""
    error: str = ""
    words: str = ""
    parts: tuple[Part, ...] = ()
    queued_before: int = 0
    time: timedelta | None = None
    typed_count: str = field(default="", compare=False)  # the number that the form was sent with

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def takes_everything(self) -> bool:
        """True if the query is empty, which matches every sample."""
        return not self.query.strip()

    @property
    def must_confirm(self) -> bool:
        return bool(self.count) and (self.takes_everything or self.count > CONFIRM_ABOVE)

    @property
    def count_changed(self) -> bool:
        """True if the form named another number, which was right when it was counted."""
        return bool(self.typed_count) and self.typed_count != str(self.count)

    @property
    def duration(self) -> str:
        """Return how long it takes, or why that cannot be told; empty if a part has no worker, which says so itself."""
        if any(part.reason for part in self.parts):
            return ""
        if self.time is None:
            return (
                f"The time cannot be estimated: fewer than {FEWEST_RUNS} such runs finished in the last week."
            )
        queue = f", with the {self.queued_before:,} queued before" if self.queued_before else ""
        return f"It takes {duration_words(self.time)}{queue}, at the pace of recent runs."

    @property
    def allows(self) -> bool:
        return not self.error and self.count > 0


def preview_of(params: QueryDict, actor: Actor) -> Preview:
    """Return the preview of a form; four queries. A fault of the form is its `error`."""
    query = params.get("query", "")
    profile = params.get("profile") or DEFAULT_PROFILE
    device = params.get("device") or AUTO
    asked: dict[str, Any] = {"query": query, "profile": profile, "device": device}
    asked |= {"inspect": bool(params.get("inspect")), "typed_count": params.get("count", "")}
    asked |= {"requires": params.get("requires", "").strip()}
    try:
        requirement = check_request(profile, device, asked["requires"], actor)
        chosen = selection.filter_of(query, actor)
    except VerifyError as error:
        return Preview(**asked, error=str(error))
    languages = chosen.queryset().order_by().values_list("language").annotate(n=Count("pk"))
    counts: dict[str, int] = {}
    for language, count in languages:
        kind = device_for(language, device)
        counts[kind] = counts.get(kind, 0) + count
    fleet = Fleet.read()
    parts = tuple(
        Part(kind.label, counts[kind.value], fleet.waits_for(kind.value, requirement))
        for kind in WantedDevice
        if kind.value in counts
    )
    requester = actor.user.pk if actor.user else None
    before = work_before(counts, requirement, Priority.of(sum(counts.values())), requester)
    own = [((kind, profile), count) for kind, count in counts.items()]
    taken = bool(parts) and not any(part.reason for part in parts)
    return Preview(
        **asked,
        words=chosen.words(),
        parts=parts,
        queued_before=sum(count for _, count in before),
        time=Pace.read().left([*before, *own]) if taken else None,
    )


def choices(preview: Preview | None = None) -> dict[str, Any]:
    """Return what the form of a request offers, with the choices of a preview kept."""
    return {
        "profiles": PROFILE_NAMES,
        "devices": DEVICE_CHOICES,
        "default_profile": preview.profile if preview else DEFAULT_PROFILE,
        "chosen_device": preview.device if preview else AUTO,
        "chosen_inspect": bool(preview and preview.inspect),
        "chosen_requires": preview.requires if preview else "",
        "requirement_words": FORM,
    }
