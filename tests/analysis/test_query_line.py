"""Tests that the analysis page accepts the same query line as the browse page, with the same errors."""

import pytest
from django.urls import reverse

from tests.factories import make_sample

pytestmark = pytest.mark.django_db
PAGES = ["browse", "analysis"]


def page_of(reader, name, **params):
    answer = reader.get(reverse(name), params)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_a_line_is_completed_and_explained_on_both_pages(reader, name):
    make_sample()
    _, page = page_of(reader, name)
    assert f'data-complete="{reverse("browse-complete")}"' in page
    assert "js/browse-query" in page
    assert "Search syntax" in page


@pytest.mark.parametrize("name", PAGES)
def test_a_fault_is_pointed_at_with_what_would_do_and_a_way_out(reader, name):
    make_sample()
    status, page = page_of(reader, name, query="language:cuda outcome:pased")
    assert status == 400
    assert "^^^^^" in page
    assert "At character 23: outcome has no value" in page
    assert "?query=language%3Acuda+outcome%3Apassed" in page
    assert f'href="{reverse(name)}?query=language%3Acuda"' in page
    assert 'value="language:cuda outcome:pased"' in page


def test_a_faulty_address_comes_back_as_a_line_to_mend_without_the_choice_of_bins(reader):
    status, page = page_of(reader, "analysis", outcome="pased", bins="paper")
    assert status == 400
    assert 'value="outcome:pased"' in page
    assert '<input type="hidden" name="bins" value="paper">' in page


def test_a_typed_line_keeps_the_bins(reader):
    answer = reader.get(reverse("analysis"), {"query": "language:cuda", "bins": "data"})
    assert answer.url == f"{reverse('analysis')}?language=cuda&bins=data"


def test_the_filter_goes_along_both_ways(reader):
    make_sample(language="cuda")
    _, browse = page_of(reader, "browse", language="cuda", code="relu(x)")
    assert f'href="{reverse("analysis")}?language=cuda&amp;code=relu%28x%29"' in browse
    _, analysis = page_of(reader, "analysis", language="cuda", code="relu(x)")
    assert f'href="{reverse("browse")}?language=cuda&amp;code=relu%28x%29"' in analysis
    _, everything = page_of(reader, "analysis")
    assert f'href="{reverse("browse")}?view=all"' in everything
