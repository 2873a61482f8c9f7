from django.conf import settings
from django.db import models

from datasets_app.models.bounds import LONGEST_TEXT, LONGEST_TITLE


class Recipe(models.Model):
    """Named, ordered, parametrised rules that select samples: data, not code (see datasets_app.curate)."""

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    description = models.TextField(blank=True, max_length=LONGEST_TEXT)
    definition = models.JSONField(help_text="version, seed, rules, splits")
    builtin = models.BooleanField(default=False, help_text="comes with the project; copy it to change it")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-builtin", "name"]

    def __str__(self) -> str:
        return self.name
