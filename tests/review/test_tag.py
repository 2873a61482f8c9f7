"""Tests of the reviews on the sample's page."""

import pytest
from django.template import Context, Template
from django.test import RequestFactory

from datasets_app import review
from datasets_app.accounts.roles import role_of
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def shown(sample, user, may_annotate=True):
    request = RequestFactory().get("/")
    request.user = user
    context = Context({"sample": sample, "user": user, "request": request, "may_annotate": may_annotate})
    return Template("{% load reviews %}{% reviews sample %}").render(context)


def test_the_newest_comes_first_with_its_scores_and_its_writer():
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator", "ada")), "reject", {"correctness": 1})
    review.submit_review(sample, acting(make_user("annotator", "ben")), "accept", {"faithfulness": 5})
    text = shown(sample, make_user("reader"))
    assert text.index("ben") < text.index("ada")
    assert "faithfulness <b>5</b>" in text


def test_a_comment_is_escaped_and_keeps_its_lines():
    sample = make_sample()
    review.submit_review(
        sample, acting(make_user("annotator")), "fix", comment="<script>x</script>\nsecond line"
    )
    text = shown(sample, make_user("reader"))
    assert "&lt;script&gt;x&lt;/script&gt;<br>second line" in text


def test_without_reviews_it_teaches_and_links():
    sample = make_sample()
    text = shown(sample, make_user("annotator"))
    assert "No reviews yet" in text
    assert f'href="/review/{sample.pk}/"' in text


def test_who_has_reviewed_changes_that_review_and_others_add_theirs():
    sample, ada = make_sample(), make_user("annotator", "ada")
    review.submit_review(sample, acting(ada), "fix")
    assert ">Change your review</a>" in shown(sample, ada)
    assert ">Review it as well</a>" in shown(sample, make_user("annotator", "ben"))


def test_a_reader_gets_no_link_to_review():
    sample = make_sample()
    assert "/review/" not in shown(sample, make_user("reader"), may_annotate=False)


def test_it_says_who_has_the_sample_open():
    sample = make_sample()
    review.claim(sample, acting(make_user("annotator", "ben")))
    assert "ben has this sample open" in " ".join(shown(sample, make_user("reader")).split())


def test_it_costs_four_queries_however_many_reviews_there_are(django_assert_num_queries):
    sample, user = make_sample(), make_user("reader")
    for _ in range(5):
        review.submit_review(sample, acting(make_user("annotator")), "fix")
    role_of(user)  # cached already by the page's permission check
    with django_assert_num_queries(4):
        shown(sample, user)


def test_a_blind_site_hides_others_reviews_from_those_who_have_not_judged(settings):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "fix", comment="hidden words")
    assert "hidden words" not in shown(sample, make_user("annotator"))
    assert "hidden words" in shown(sample, make_user("curator"))
