"""/review/honeypots/ for curators."""

import pytest

from datasets_app.models import Honeypot
from datasets_app.review import submit_review
from datasets_app.review.honeypots import miss_rates
from tests.conftest import signed_in
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def test_a_curator_sees_misses_by_family_and_what_is_stored(django_assert_max_num_queries):
    for name, family in (("ann", "attack on the judge"), ("bob", "no kernel of its own")):
        sample = make_sample()
        Honeypot.objects.create(sample=sample, answer="cheat", family=family, explanation="")
        submit_review(sample, acting(make_user("annotator", name)), "accept")
    curator = signed_in("curator")
    with django_assert_max_num_queries(12):
        text = curator.get("/review/honeypots/").content.decode()
    assert text.count("1 of 1") == 4
    assert "Attack on the judge" in text
    assert "known cheat" in text


def test_without_any_the_page_says_how_to_store_them():
    assert b"manage.py honeypots --source" in signed_in("curator").get("/review/honeypots/").content


def test_a_reviewer_sees_their_own_misses_by_family_and_only_once_they_judged(
    client, django_assert_num_queries
):
    ann = make_user("annotator", "ann")
    client.force_login(ann)
    honeypots = [
        Honeypot.objects.create(sample=make_sample(), answer="cheat", family=family, explanation="")
        for family in ("attack on the judge", "attack on the judge", "no kernel of its own")
    ]
    submit_review(honeypots[2].sample, acting(make_user("annotator", "bob")), "accept")
    assert "Honeypots that you judged" not in client.get("/review/").content.decode()
    for honeypot, verdict in zip(honeypots[:2], ("accept", "reject"), strict=True):
        submit_review(honeypot.sample, acting(ann), verdict)
    text = client.get("/review/").content.decode()
    assert "Honeypots that you judged" in text
    assert "<dt>missed, all</dt><dd>1 of 2</dd>" in text
    assert "<dt>attack on the judge</dt><dd>1 of 2</dd>" in text
    assert "no kernel of its own" not in text
    with django_assert_num_queries(1):
        assert miss_rates(ann)[0].overall.judged == 2


@pytest.mark.parametrize("role", ["reader", "annotator"])
def test_others_may_not_see_it(role):
    assert signed_in(role).get("/review/honeypots/").status_code == 403
