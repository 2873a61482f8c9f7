"""Tests that the engine's words are explained where a reader meets them."""

import re

import pytest
from django.urls import reverse

from eval_app.engine.judge.checks import emptied, one_sided
from eval_app.engine.judge.values import families, unvaried
from eval_app.pages.terms import FAMILIES, all_terms, terms_in
from tests.factories import make_sample
from tests.verifications import verified


def names(*texts):
    return [term.name for term in terms_in(*texts)]


def test_every_family_of_the_engine_is_explained():
    assert {"natural", *families.FAMILIES, emptied.FAMILY, one_sided.FAMILY, unvaried.FAMILY} == set(FAMILIES)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "2016 of 2016 elements differ in trial natural; work on an unjoined stream",
            ["unjoined stream", "natural"],
        ),
        ("3 of 9 elements differ in trial scaled_up; at output[0] nan, not 0", ["scaled_up"]),
        ("a call on values of the family spikes was wrong", ["spikes"]),
        ("the judge's own times of 4 orders vary too much to confirm any", ["judge", "order"]),
        ("an order takes no longer than what the lane varies by", ["order", "lane"]),
        ("line 5: constant integers in a border of a sorted list", []),
    ],
)
def test_a_reason_is_explained_by_the_words_that_it_uses(reason, words):
    assert names(reason) == words
    assert names(reason, reason) == words


@pytest.mark.django_db
def test_a_sample_and_its_verification_explain_the_words_of_their_reasons_with_a_link_to_all(reader):
    sample = make_sample()
    detail = "9 of 9 elements differ in trial spikes; work on an unjoined stream"
    verification = verified(sample, "cheated", detail=detail)
    verification.findings.create(code="work_after_return", severity="reject", detail=detail)
    all_words = reverse("verify-findings")
    for url in (sample.get_absolute_url(), verification.get_absolute_url()):
        page = reader.get(url).content.decode()
        assert page.count(f'<a href="{all_words}#term-spikes">spikes</a>') == 1
        assert "in each row one value that weighs as much as the rest of it, or half as much" in page
    assert (
        f'<a href="{all_words}#work_after_return">work after return</a>'
        in reader.get(sample.get_absolute_url()).content.decode()
    )


@pytest.mark.django_db
def test_a_word_that_only_a_finding_uses_is_explained_beside_the_finding(reader):
    verification = verified(make_sample(), "passed", detail="Every compared output matches the reference.")
    verification.findings.create(
        code="time_unconfirmed", severity="audit", detail="the judge's own times vary"
    )
    page = reader.get(verification.get_absolute_url()).content.decode()
    assert page.count(">judge</a>") == 1
    assert page.index(">Findings</h3>") < page.index(">judge</a>")


@pytest.mark.django_db
def test_the_page_of_findings_has_every_word_once(reader):
    page = reader.get(reverse("verify-findings")).content.decode()
    assert re.findall(r'id="(term-[^"]*)"', page) == [term.slug for term in all_terms()]


@pytest.mark.django_db
def test_a_reason_without_such_words_has_no_list_of_them(reader):
    verification = verified(make_sample(), "load_error", detail="ModelNew is not defined")
    assert "#term-" not in reader.get(verification.get_absolute_url()).content.decode()
