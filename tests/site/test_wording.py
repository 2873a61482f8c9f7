"""Tests that pages say one thing by one name, and no phrase that was replaced comes back."""

from pathlib import Path

import pytest
from django.conf import settings

from datasets_app.models import Verification
from tests.factories import make_sample

TEMPLATES = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))
REPLACED = {
    "How to ask": "Search syntax",
    "Give files": "Upload files",
    "Where it can be found": "Source URL",
    "needs a choice": "format unknown",
    "Say what the columns mean": "Map columns",
    "Value, its start": "Value (truncated)",
    "In any case": "Ignore case",
    "judged by nobody": "Unreviewed",
    "Set the queue": "Apply filter",
    "look inside": "Collect SASS and profiler counters",
    "looked inside": "collected",
    "machine code provides": "SASS and profiler counters",
    "Verified now and lately": "Recent verifications",
    "How near it comes": "Error distribution",
    "with the truth": "compared with the reference",
    "No check noticed": "No findings",
    "The compiler said nothing": "No compiler output",
    "held its clocks down": "Clocks were throttled",
    "No honest run": "Lower bound",
    "The detail holds its words": "See the exception message",
    "Others of this task": "Other samples for this task",
    "Rows by chosen by": "Rows by rule",
    "Recipes frozen": "Frozen recipes",
    "Nothing lies at": "No page at",
    "Everything that is stored": "Administration",
    "So many": "a number",
    "Review it<": "Review",
}


@pytest.mark.parametrize("phrase", REPLACED)
def test_no_page_has_a_phrase_that_was_replaced(phrase):
    found = [str(path) for path in TEMPLATES if phrase in path.read_text()]
    assert found == [], f"say: {REPLACED[phrase]}"


@pytest.mark.parametrize("path", ["analysis", "leaderboard", "review", "verify"])
def test_the_button_of_every_filter_has_one_name(annotator, path):
    # Without any verification there is nothing to filter.
    Verification.objects.create(sample=make_sample(), wanted_device="cpu")
    page = annotator.get(f"/{path}/").content.decode()
    assert "Apply filter</button>" in page
