"""Tags on samples, each in one of a few colours that work in both themes."""

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower

from datasets_app.models.sample import Sample

LONGEST_NAME = 100
NAME_PATTERN = rf"[A-Za-z0-9][A-Za-z0-9_./-]{{0,{LONGEST_NAME - 1}}}"


class TagColour(models.TextChoices):
    GREY = "grey"
    BLUE = "blue"
    TEAL = "teal"
    GREEN = "green"
    AMBER = "amber"
    RED = "red"
    VIOLET = "violet"
    PINK = "pink"


class Tag(models.Model):
    name = models.CharField(max_length=LONGEST_NAME, validators=[RegexValidator(rf"^{NAME_PATTERN}\Z")])
    colour = models.CharField(max_length=10, choices=TagColour, default=TagColour.GREY)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="tag_name_once")]

    def __str__(self) -> str:
        return self.name


class SampleTag(models.Model):
    """One tag on one sample, with who added it and when."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="sample_tags")
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="sample_tags")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "tag"], name="tag_once_a_sample")]
        indexes = [models.Index(fields=["tag", "sample"], name="samples_of_tag")]

    def __str__(self) -> str:
        return f"{self.tag_id} on {self.sample_id}"
