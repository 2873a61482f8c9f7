"""Tests of the tour: it leads from a cheat to a release, by links alone, and is offered until somebody has reviewed."""

import re
import uuid
from html import unescape

import pytest

from datasets_app.ingest import withdraw_sample
from datasets_app.models import Honeypot, Review
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

NEXT = re.compile(r'href="([^"]+)">Next</a>')


@pytest.fixture
def cheat(db):
    sample = make_sample()
    verified(sample, outcome="cheated")
    return sample


def test_it_leads_over_five_pages_to_the_releases(annotator, cheat):
    url = re.search(r'href="([^"]+)">Take the tour', annotator.get("/").content.decode())[1]
    seen = []
    while url:
        response = annotator.get(unescape(url))
        assert response.status_code == 200
        page = response.content.decode()
        assert f"Tour, {len(seen) + 1} of 5." in page
        assert f'href="{url.partition("?")[0]}">End the tour</a>' in page
        seen.append(url.partition("?")[0])
        found = NEXT.search(page)
        url = found and found[1]
    assert seen == [
        f"/samples/{cheat.pk}/",
        f"/samples/{cheat.pk}/",
        f"/review/{cheat.pk}/",
        "/curate/concur/",
        "/releases/",
    ]


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        ("annotator", ["/review/", "/review/guidelines/"]),
        ("curator", ["/review/", "/review/guidelines/", "/ingest/", "/curate/concur/"]),
        (
            "administrator",
            ["/review/", "/review/guidelines/", "/ingest/", "/curate/concur/", "/people/", "/verify/hosts/"],
        ),
    ],
)
def test_its_last_step_names_what_a_person_of_the_role_can_do_next(client, cheat, role, pages):
    client.force_login(make_user(role))
    for number in range(1, 5):
        assert 'aria-label="What to do next"' not in client.get(f"/releases/?tour={number}").content.decode()
    last = client.get("/releases/?tour=5").content.decode()
    onward = last.partition('aria-label="What to do next"')[2].partition("</ul>")[0]
    assert re.findall(r'href="([^"]+)"', onward) == pages
    for page in pages:
        assert client.get(page).status_code == 200


def test_it_is_not_offered_without_a_cheat_to_reviewed_sites_or_to_readers(annotator, reader, cheat):
    assert "Take the tour" not in reader.get("/").content.decode()
    given = {"verdict": "reject", "key": uuid.uuid4(), "rubric_id": 1}
    Review.objects.create(sample=cheat, reviewer=make_user("annotator"), **given)
    assert "Take the tour" not in annotator.get("/").content.decode()


def test_a_withdrawn_cheat_or_a_honeypot_is_no_step(annotator, cheat):
    later = make_sample()
    verified(later, outcome="cheated")
    Honeypot.objects.create(sample=cheat, answer="cheat", family="clock", explanation="")
    assert f"/samples/{later.pk}/?tour=1" in annotator.get("/").content.decode()
    withdraw_sample(later, acting(make_user("curator")), "licence unclear")
    assert "Take the tour" not in annotator.get("/").content.decode()


@pytest.mark.parametrize("number", ["0", "6", "x", "²", "1" * 400, ""])
def test_a_step_that_does_not_exist_shows_nothing(annotator, cheat, number):
    response = annotator.get("/releases/", {"tour": number})
    assert response.status_code == 200
    assert "Tour," not in response.content.decode()
