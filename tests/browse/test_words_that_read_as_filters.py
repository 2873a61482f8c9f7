"""Tests of words in a text search that read as a filter: the page offers the filter."""

import pytest

from datasets_app.browse.query.typed import as_filters
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "text", ["outcome:passed", '"outcome:passed"', 'softmax "-outcome:passed"', "speedup:>2"]
)
def test_words_with_a_colon_are_offered_as_a_filter(text):
    assert as_filters(text)


@pytest.mark.parametrize("text", ["softmax", "torch::relu", "nosuch:field", '"two words: three"', "outcome:"])
def test_other_words_are_not(text):
    assert as_filters(text) is None


def test_the_list_says_so_above_its_rows_and_keeps_the_rest(reader):
    make_sample()
    page = reader.get("/browse/", {"q": "outcome:passed", "language": "python"}).content.decode()
    assert "was searched for as words. Read as a filter it means" in page
    assert (
        'href="/browse/?outcome=passed&amp;language=python"' in page
        or "language=python&amp;outcome=passed" in page
    )
    assert "Read as a filter" not in reader.get("/browse/", {"q": "softmax"}).content.decode()


def test_the_search_of_everything_says_so_too(reader):
    page = reader.get("/search/", {"q": "outcome:passed"}).content.decode()
    assert 'This reads as a filter of samples: <a href="/browse/?outcome=passed">Passed samples</a>' in page
