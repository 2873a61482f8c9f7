"""Whose verifications a worker takes first: those of a small request, which somebody waits for."""

from django.db import models

FEW = 20  # samples of one request: a person stands before the page
SOME = 1000


class Turn(models.IntegerChoices):
    """The priority of a message, as Celery's Redis transport has them: a worker empties the lower ones first."""

    FIRST = 0
    SOON = 3
    LATER = 6, "after the others"

    @classmethod
    def of(cls, count: int) -> "Turn":
        """For a request for so many verifications."""
        if count <= FEW:
            return cls.FIRST
        return cls.SOON if count <= SOME else cls.LATER
