"""Tests of saved views: private or shared, opened by address, preserved when the vocabulary changes."""

import pytest
from django.test import Client

from datasets_app.browse.list import saved_views
from datasets_app.models import AuditEntry, SavedView
from tests.api.clients import api, token_for
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
QUERY = "outcome=passed&sort=-measured&columns=task,outcome&density=compact"


@pytest.fixture
def owner():
    return make_user("annotator")


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_view_is_its_addresss_parameters_without_the_position(owner):
    view = saved_views.save(acting(owner), " fast  ones ", f"?{QUERY}&cursor=abc&view=7")
    assert view.name == "fast ones"
    answer = signed_in(owner).get(view.get_absolute_url())
    assert answer.status_code == 302
    for part in ("outcome=passed", "density=compact", f"view={view.pk}"):
        assert part in answer.url
    assert "cursor" not in answer.url
    assert AuditEntry.objects.filter(action="view.save").exists()


def test_a_private_view_is_its_owners_alone_and_a_shared_one_is_everybodys(owner):
    view = saved_views.save(acting(owner), "mine", QUERY)
    other = signed_in(make_user("reader"))
    assert other.get(view.get_absolute_url()).status_code == 404
    saved_views.change(acting(owner), view, shared=True)
    assert other.get(view.get_absolute_url()).status_code == 302
    assert other.post(f"/browse/views/{view.pk}/delete/").status_code == 403
    assert other.post(f"/browse/views/{view.pk}/change/", {"name": "theirs"}).status_code == 403


def test_what_a_view_asks_for_and_no_longer_exists_is_said_and_the_rest_is_shown(owner):
    make_sample()
    view = SavedView.objects.create(
        owner=owner, name="old", query="outcome=passed&colour=red&columns=task,smell"
    )
    client = signed_in(owner)
    page = client.get(view.get_absolute_url(), follow=True).content.decode()
    assert "Passed samples" in page
    assert "There is no filter &#x27;colour&#x27;" in page
    assert "there is no column &#x27;smell&#x27;" in page
    view.refresh_from_db()
    assert "colour=red" in view.query


def test_a_deleted_view_can_be_brought_back(owner):
    view = saved_views.save(acting(owner), "mine", QUERY)
    client = signed_in(owner)
    client.post(f"/browse/views/{view.pk}/delete/")
    assert client.get(view.get_absolute_url()).status_code == 404
    assert "Restore" in client.get("/browse/views/").content.decode()
    client.post(f"/browse/views/{view.pk}/restore/")
    assert client.get(view.get_absolute_url()).status_code == 302


def test_bringing_back_a_view_whose_name_is_taken_is_refused(owner):
    view = saved_views.save(acting(owner), "mine", QUERY)
    saved_views.delete(acting(owner), view)
    saved_views.save(acting(owner), "mine", "")
    page = signed_in(owner).post(f"/browse/views/{view.pk}/restore/", follow=True).content.decode()
    assert "You have a view" in page


def test_the_default_view_opens_without_parameters_and_only_then(owner):
    make_sample()
    view = saved_views.save(acting(owner), "mine", QUERY)
    client = signed_in(owner)
    client.post("/browse/views/default/", {"view": view.pk})
    assert client.get("/browse/").url == view.get_absolute_url()
    assert client.get("/browse/?view=all").status_code == 200
    saved_views.delete(acting(owner), view)
    assert client.get("/browse/").status_code == 200


def test_a_default_that_is_no_longer_shared_opens_no_more(owner):
    make_sample()
    other = make_user("reader")
    view = saved_views.save(acting(owner), "mine", QUERY, shared=True)
    saved_views.set_default(acting(other), view)
    saved_views.change(acting(owner), view, shared=False)
    assert signed_in(other).get("/browse/").status_code == 200


def test_a_list_that_was_changed_offers_to_save_the_changes(owner):
    make_sample()
    view = saved_views.save(acting(owner), "mine", "outcome=passed")
    client = signed_in(owner)
    assert "(changed)" not in client.get(f"/browse/?outcome=passed&view={view.pk}").content.decode()
    page = client.get(f"/browse/?outcome=cheated&view={view.pk}").content.decode()
    assert "View: mine (changed)" in page
    assert "Save the changes to mine" in page
    client.post(f"/browse/views/{view.pk}/change/", {"query": "outcome=cheated"})
    view.refresh_from_db()
    assert (view.query, view.name) == ("outcome=cheated", "mine")


@pytest.mark.parametrize(("name", "query"), [("", ""), ("x" * 81, ""), ("ok", "outcome=great")])
def test_a_view_without_a_name_or_with_a_faulty_list_is_refused(owner, name, query):
    with pytest.raises(saved_views.ViewError):
        saved_views.save(acting(owner), name, query)


def test_two_views_of_one_person_have_two_names_and_other_people_are_free(owner):
    saved_views.save(acting(owner), "mine", "")
    with pytest.raises(saved_views.ViewError, match="another name"):
        saved_views.save(acting(owner), "mine", QUERY)
    saved_views.save(acting(make_user("reader")), "mine", "")


def test_a_reader_keeps_views_and_does_not_share_them(reader):
    assert reader.post("/browse/views/save/", {"name": "a", "query": QUERY}).status_code == 302
    shared = reader.post("/browse/views/save/", {"name": "b", "query": QUERY, "shared": "on"})
    assert shared.status_code == 403


def test_a_program_saves_renames_and_deletes_a_view():
    client = api(token_for(make_user("reader"), "read"))
    made = client.post("/api/v1/views/", {"name": "a", "query": "outcome=passed"})
    assert made.status_code == 201
    assert made.json()["words"] == "Passed samples"
    address = f"/api/v1/views/{made.json()['id']}/"
    assert client.patch(address, {"name": "b"}).json()["name"] == "b"
    assert client.post("/api/v1/views/", {"name": "c", "query": "colour=red"}).status_code == 400
    assert client.delete(address).status_code == 204
    assert client.get("/api/v1/views/").json()["results"] == []


@pytest.mark.parametrize("number", ["0", "9" * 30, "9" * 5000, "one"], ids=len)
def test_a_number_of_no_view_is_not_found_and_the_default_stays(owner, number):
    view, client = saved_views.save(acting(owner), "mine", QUERY), signed_in(owner)
    saved_views.set_default(acting(owner), view)
    assert client.post("/browse/views/default/", {"view": number}).status_code == 404
    assert saved_views.default_of(owner) == view
    client.post("/browse/views/default/", {"view": ""})
    assert saved_views.default_of(owner) is None
