"""Tests of a comparison's head: both sides with outcome and timing, and choices that are links."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample, make_task
from tests.verify import reports

pytestmark = pytest.mark.django_db
A100 = {**reports.DEVICE, "name": "NVIDIA A100"}


def recorded(sample, report):
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, report)


@pytest.fixture
def pair():
    task = make_task()
    return [make_sample(task, language="cuda", generator=name) for name in ("mine", "theirs")]


def page_of(client, sample, **params):
    return client.get(sample.get_absolute_url(), params).content.decode()


def head_of(page):
    return page.split('class="diff-evidence"')[1].split('class="diff-frame')[0]


def test_both_sides_tell_outcome_interval_and_device(reader, pair):
    ours, theirs = pair
    recorded(ours, reports.passed(ours.pk))
    recorded(theirs, reports.wrong(theirs.pk))
    head = head_of(page_of(reader, ours, against=theirs.pk))
    left, right = head.split('class="diff-side"')[1:]
    assert "wrong value" in left
    assert theirs.get_absolute_url() in left
    assert "2.00×" in right
    assert "(1.96× to 2.04×)" in right
    assert "NVIDIA H200" in right


def test_the_other_side_is_told_on_the_same_device_if_it_ran_there(reader, pair):
    ours, theirs = pair
    recorded(ours, reports.passed(ours.pk, device=A100))
    assert "measured on different devices" not in page_of(reader, ours, against=theirs.pk)
    recorded(theirs, reports.passed(theirs.pk))
    assert "measured on different devices" in page_of(reader, ours, against=theirs.pk)
    recorded(theirs, reports.passed(theirs.pk, device=A100))
    page = page_of(reader, ours, against=theirs.pk)
    assert "measured on different devices" not in page
    assert head_of(page).count("NVIDIA A100") == 2


def test_the_reference_has_eagers_time(reader, pair):
    ours, _ = pair
    assert "no measurement of its own" in head_of(page_of(reader, ours, against="reference"))
    recorded(ours, reports.passed(ours.pk))
    assert "eager on NVIDIA H200" in head_of(page_of(reader, ours, against="reference"))


def test_every_choice_is_a_link_and_keeps_the_others(reader, pair):
    ours, theirs = pair
    page = page_of(reader, ours, against=theirs.pk, of="trace", space="ignore", **{"in": "outcome=passed"})
    assert ">Show</button>" not in page
    for changed in (
        "of=kernel&amp;view=split&amp;space=ignore",
        "of=trace&amp;view=unified&amp;space=ignore",
    ):
        assert f"against={theirs.pk}&amp;{changed}&amp;in=outcome%3Dpassed" in page
    assert page.count('aria-current="true">trace</a>') == 1
    assert "against=reference" in page


def test_a_pasted_text_keeps_its_choices_as_buttons(reader, pair):
    ours, _ = pair
    address = reverse("sample-against-pasted", args=[ours.pk])
    page = reader.post(address, {"pasted": "x = 1", "of": "kernel", "view": "split"}).content.decode()
    assert '<button name="view" value="unified">' in page
    answer = reader.post(address, {"pasted": "x = 1", "view": ["split", "unified"]})
    assert '<button name="view" value="unified" aria-current="true">' in answer.content.decode()


def test_a_generators_name_is_shown_as_text(reader, pair):
    ours, _ = pair
    make_sample(ours.task, generator="<script>x</script>")
    assert "<script>x" not in page_of(reader, ours, against="reference")


def test_more_samples_to_compare_with_cost_no_more_queries(reader, pair, django_assert_max_num_queries):
    sample, other = pair
    page_of(reader, sample, against=str(other.pk))
    with CaptureQueriesContext(connection) as of_one:
        page_of(reader, sample, against=str(other.pk))
    for number in range(3):
        make_sample(sample.task, generator=f"writer-{number}")
    with django_assert_max_num_queries(len(of_one)):
        page_of(reader, sample, against=str(other.pk))
