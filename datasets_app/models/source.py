from django.db import models


class Source(models.Model):
    """The origin of rows, with their licence."""

    name = models.CharField(max_length=120, unique=True)
    url = models.URLField(max_length=500, blank=True)
    licence = models.CharField(
        max_length=120, blank=True, help_text="SPDX identifier; empty when none is declared"
    )
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def link(self) -> str:
        """Return the URL for a link on a page; empty for one that a browser would run instead of open."""
        return self.url if self.url.startswith(("https://", "http://")) else ""
