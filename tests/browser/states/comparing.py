"""Preferences for the example of every state."""

from typing import Any

from django.urls import reverse

from datasets_app.models import Sample
from datasets_app.review.preferences import submit_preference
from datasets_app.review.preferences.pairs import sided
from tests.factories import acting


def compare_two(one: Sample, other: Sample, annotator: Any, curator: Any) -> str:
    """Let the curator prefer the first of two samples; return the address at which the annotator compares them."""
    submit_preference(one, other, acting(curator), "left", "One pass over each row.")
    return reverse("compare-pair", args=sided(annotator.pk, one.pk, other.pk))
