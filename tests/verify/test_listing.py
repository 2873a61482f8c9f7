"""Tests of the list of verifications: moments that its addresses may hold."""

import pytest
from django.urls import reverse

EARLIEST = "0001-01-01T00:00:00+14:00"  # before year 1 in UTC
NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "asked",
    [{"cursor": f"{EARLIEST}~{NOBODY}"}, {"cursor": f"2026-01-01T00:00:00~{NOBODY}"}, {"until": EARLIEST}],
)
def test_a_moment_that_no_page_gave_is_named_on_the_page(reader, asked):
    poll = {"HX-Request": "true", "HX-Target": "verify-live"} if "until" in asked else {}
    [sentence] = reader.get(reverse("verify"), asked, headers=poll).context["filter_errors"]
    assert sentence.startswith(*asked)
