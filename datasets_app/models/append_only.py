from typing import Any

from django.db import models


class AppendOnlyError(Exception):
    """A stored row of an append-only log was about to be changed or deleted."""


class AppendOnly(models.Model):
    """Rows that are written once; a correction is a new row."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{self} is stored and cannot be changed; add a new row instead.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{self} is part of a log and cannot be deleted.")
