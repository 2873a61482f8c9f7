"""Publishes a version of the rubric."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import RubricVersion
from datasets_app.review.rubric.definition import RubricError, checked_definition
from datasets_app.review.rubric.versions import current_rubric


class RubricOutdatedError(Exception):
    """Another version was published since `based_on`. Nothing was stored."""

    def __init__(self, current: RubricVersion) -> None:
        by = f" by {current.created_by}" if current.created_by else ""
        super().__init__(
            f"Version {current.number} was published{by} since you began: “{current.note}” Nothing was stored. "
            "Compare with it, then publish again."
        )
        self.current = current


@needs(Scope.CURATE)
def publish(definition: Mapping[str, Any], based_on: int, actor: Actor) -> RubricVersion:
    """Store the next version, which every form follows from now on.

    Raises PermissionDenied, RubricError (invalid, or the same as the newest version) and RubricOutdatedError
    (`based_on` is not the newest version).
    """
    fields = checked_definition(definition)
    current = current_rubric()
    if current.number != based_on:
        raise RubricOutdatedError(current)
    if all(getattr(current, name) == value for name, value in fields.items() if name != "note"):
        raise RubricError({"criteria": f"This is the same as version {current.number}: change something."})
    try:
        with transaction.atomic():
            version = RubricVersion.objects.create(number=based_on + 1, created_by=actor.user, **fields)
            audit.record(actor, "rubric.publish", version, number=version.number, note=version.note)
    except IntegrityError as error:  # two at once
        raise RubricOutdatedError(current_rubric()) from error
    return version
