"""Tests of the preview of a sample over a list."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import make_sample

pytestmark = pytest.mark.django_db
KERNEL = "import torch\n\nSOURCE = '''\n  __global__ void scale(float *p) {\n}\n'''\n"


def test_it_shows_evidence_device_code_and_the_start_of_the_trace(reader):
    sample = make_sample(kernel=KERNEL, outcome="passed", verified_at=timezone.now(), claimed_speedup=2)
    page = reader.get(f"/samples/{sample.pk}/preview/").content.decode()
    assert "passed" in page
    assert "claimed 2.00×" in page
    assert "Kernel, from line 4" in page
    assert "Fuse the relu" in page


def test_hostile_text_is_escaped_and_long_lines_are_cut(reader):
    sample = make_sample(kernel="<script>alert(1)</script>" + "x" * 10_000, reasoning="<b>bold")
    page = reader.get(f"/samples/{sample.pk}/preview/").content.decode()
    assert "<script>" not in page
    assert "<b>" not in page
    assert len(page) < 4_000


def test_it_has_no_verdict_and_costs_a_fixed_number_of_queries(reader):
    sample = make_sample(verdict="accept", reviewed_at=timezone.now(), votes=1, agreement=1)
    with CaptureQueriesContext(connection) as captured:
        page = reader.get(f"/samples/{sample.pk}/preview/").content.decode()
    assert "accepted" not in page
    assert len(captured) <= 10


def test_the_list_names_the_key_and_has_a_place_for_it(reader):
    make_sample()
    page = reader.get("/browse/?view=all").content.decode()
    assert '<dialog id="preview"' in page
    assert "Preview the row" in page
