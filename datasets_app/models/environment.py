"""The device and versions that a verdict is bound to."""

from __future__ import annotations

from django.db import models


class EnvironmentQuerySet(models.QuerySet["Environment"]):
    def stale(self) -> EnvironmentQuerySet:
        """Return the environments whose machines now run other versions."""
        return self.exclude(changed="")


class Environment(models.Model):
    """A device with the versions that a verdict is bound to; its id is a hash of both, one row per combination.

    `Sample.environment` repeats the key of the headline evidence's environment, so that lists can filter and
    count by it.
    """

    key = models.CharField(max_length=16, primary_key=True, help_text="hash of device and versions")
    kind = models.CharField(max_length=10, blank=True, help_text="cpu or cuda")
    device = models.CharField(max_length=120, blank=True, help_text="the device's own name")
    engine = models.CharField(max_length=20, blank=True)
    torch = models.CharField(max_length=40, blank=True)
    toolkit = models.CharField(max_length=40, blank=True, help_text="the CUDA compiler's, else torch's CUDA")
    driver = models.CharField(max_length=40, blank=True)
    changed = models.CharField(
        max_length=400,
        blank=True,
        help_text="versions that its machines run now; empty: its evidence is up to date",
    )

    objects = EnvironmentQuerySet.as_manager()

    class Meta:
        ordering = ["device", "engine", "key"]

    def __str__(self) -> str:
        return f"{self.device or self.kind}, engine {self.engine or '?'}"
