"""What the sample page says of edits: open ones, the revision that superseded it, and the reviews before an edit."""

from typing import Any

from django import template
from django.db.models import Q

from datasets_app.accounts.actor import actor_of
from datasets_app.db.some_rows import Some
from datasets_app.models import Edit, EditState, Sample
from datasets_app.review.edits import history_of

register = template.Library()


@register.inclusion_tag("edits/_of_sample.html", takes_context=True)
def edits(context: dict[str, Any], sample: Sample, some: Some = (Edit,)) -> dict[str, Any]:
    """Render the sample's edits; no query for a sample that has none. Few have one, so that an accepted edit's revision
    is read by a query of its own. `some`: the tables that have a row of the sample.
    """
    touching = Edit.objects.filter(Q(base=sample) | Q(revision=sample)).order_by("pk") if Edit in some else []
    rows = list(touching)
    accepted = [row for row in rows if row.base_id == sample.pk and row.state == EditState.ACCEPTED]
    is_revision = any(row.revision_id == sample.pk for row in rows)
    return {
        "sample": sample,
        "open": [row for row in rows if row.base_id == sample.pk and row.is_open],
        "revision": accepted[0].revision if accepted else None,
        "earlier": history_of(sample.pk, actor_of(context["request"])) if is_revision else [],
    }
