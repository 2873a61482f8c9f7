"""Priorities of verifications: small requests first, because somebody is usually waiting for them."""

from django.db import models

FEW = 20  # samples per request that a person waits for on the page
SOME = 1000


class Priority(models.IntegerChoices):
    """The priority of a message in Celery's Redis transport: workers empty the lists of lower values first."""

    FIRST = 0
    SOON = 3
    LATER = 6, "after the others"

    @classmethod
    def of(cls, count: int) -> "Priority":
        """Return the priority of a request for this many verifications."""
        if count <= FEW:
            return cls.FIRST
        return cls.SOON if count <= SOME else cls.LATER
