from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from datasets_app.models.bounds import LONGEST_QUERY

LONGEST_NAME = 80


class SavedView(models.Model):
    """A named list: the parameters of its URL and nothing else.

    A deleted view is kept for a while, so that the deletion can be undone.
    """

    name = models.CharField(max_length=LONGEST_NAME)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    query = models.TextField(
        blank=True,
        max_length=LONGEST_QUERY,
        help_text="the parameters of the address: filter, sort, columns, density",
    )
    shared = models.BooleanField(
        default=False, help_text="everybody may open it; only its owner may change it"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(deleted_at__isnull=True), name="view_name_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("saved-view", args=[self.pk])


class DefaultView(models.Model):
    """The view that the list opens with if its URL has no parameters."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="default_view"
    )
    view = models.ForeignKey(SavedView, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.view_id} for {self.user_id}"
