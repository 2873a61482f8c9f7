"""What a revision's page says of the reviews before it: they are shown, with what still applies, and never counted."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.models import Edit, EditVersion, Review, Verdict
from datasets_app.models.review import ReviewKind
from datasets_app.review.blind import readable_reviews

MOST_ANCESTORS = 20
# A score still applies where the texts that it judges are unchanged. By the criterion's name; of any other criterion it
# is not known which text it judges, so its scores do not apply any more.
OF_KERNEL, OF_TRACE = ("correctness", "kernel_quality"), ("trace_quality",)


@dataclass(frozen=True)
class EarlierReview:
    """A review of an earlier text, and those of its scores whose subject is unchanged in the revision."""

    review: Review
    still: list[tuple[str, int]]


@dataclass(frozen=True)
class Earlier:
    """One earlier text of a revision: the edit that replaced it, its reviews, and the adjudication that decided."""

    edit: Edit
    kernel_changed: bool  # from this text to the revision
    trace_changed: bool
    accepted: int
    votes: int
    reviews: list[EarlierReview]
    adjudication: Review | None

    @property
    def changed(self) -> str:
        names = [
            name
            for name, is_new in (("kernel", self.kernel_changed), ("trace", self.trace_changed))
            if is_new
        ]
        return " and ".join(names)

    @property
    def compared(self) -> str:
        """Return the text whose difference is shown first."""
        return "kernel" if self.kernel_changed else "trace"


def history_of(sample_id: UUID, actor: Actor) -> list[Earlier]:
    """Return the earlier texts of a revision, the newest first; empty for a sample that is none.

    Three queries per ancestor; most samples have none, and cost one. A reader sees the reviews that they may read.
    """
    earlier: list[Earlier] = []
    kernel_changed = trace_changed = False
    current = sample_id
    while len(earlier) < MOST_ANCESTORS and (edit := edit_of(current)):
        version = newest_flags(edit)
        kernel_changed, trace_changed = (
            kernel_changed or version.kernel_changed,
            trace_changed or version.trace_changed,
        )
        earlier.append(summary(edit, kernel_changed, trace_changed, actor))
        current = edit.base_id
    return earlier


def edit_of(sample_id: UUID) -> Edit | None:
    return Edit.objects.filter(revision=sample_id).select_related("author", "closed_by").first()


def newest_flags(edit: Edit) -> EditVersion:
    return edit.versions.defer("reasoning", "kernel_code").order_by("-number")[0]


def summary(edit: Edit, kernel_changed: bool, trace_changed: bool, actor: Actor) -> Earlier:
    rows = readable_reviews(actor).standing().filter(sample=edit.base_id).with_reviewer()
    latest: dict[int, Review] = {}
    adjudication = None
    for review in rows.order_by("-created_at", "-id"):
        if review.kind == ReviewKind.VOTE:
            latest.setdefault(review.reviewer_id, review)  # each reviewer's newest is the vote
        else:
            adjudication = adjudication or review  # the newest decides
    kept = (*(() if kernel_changed else OF_KERNEL), *(() if trace_changed else OF_TRACE))
    reviews = [EarlierReview(review, review.score_list(kept)) for review in latest.values()]
    accepted = sum(review.verdict == Verdict.ACCEPT for review in latest.values())
    return Earlier(edit, kernel_changed, trace_changed, accepted, len(latest), reviews, adjudication)
