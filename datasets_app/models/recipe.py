from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT, LONGEST_TITLE


class Recipe(models.Model):
    """Named, ordered, parametrised rules that select samples: data, not code (see datasets_app.curate)."""

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    description = models.TextField(blank=True, max_length=LONGEST_TEXT)
    definition = models.JSONField(help_text="version, seed, rules, splits")
    version = models.PositiveIntegerField(default=1, help_text="number of the newest version")
    save_count = models.PositiveIntegerField(
        default=1, help_text="how often it was saved; a form names the count that it began from"
    )
    builtin = models.BooleanField(default=False, help_text="comes with the project; copy it to change it")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-builtin", "name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("recipe", args=[self.name])


class RecipeVersion(AppendOnly):
    """One definition that a recipe had. Append-only; versions go when their recipe is deleted."""

    recipe = models.ForeignKey(Recipe, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    definition = models.JSONField(help_text="version, seed, rules, splits")
    message = models.CharField(max_length=LONGEST_REASON, blank=True, help_text="what changed, and why")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["recipe", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["recipe", "number"], name="recipe_version_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.recipe_id}"
