import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import facets, tags
from datasets_app.browse.query import parse_query
from datasets_app.models import Assignment, AuditEntry, Tag
from tests.api.clients import api, token_for
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db


def test_samples_are_found_by_their_tags_by_any_of_several_and_by_having_none():
    one, two, bare = make_sample(), make_sample(), make_sample()
    tags.put_on(COMMAND, one, tags.make(COMMAND, "fast"))
    tags.put_on(COMMAND, two, tags.make(COMMAND, "odd"))
    assert set(parse_query("tag:fast").queryset()) == {one}
    assert set(parse_query("tag:fast tag:odd").queryset()) == {one, two}
    assert set(parse_query("tag:none").queryset()) == {bare}
    assert set(parse_query("tag:none tag:odd").queryset()) == {two, bare}
    assert parse_query("tag:none tag:odd").words() == "All samples tagged odd or without a tag"


def test_a_tag_keeps_one_spelling_and_one_colour(annotator):
    sample = make_sample()
    for name in ("Fast", "fast", "FAST"):
        annotator.post(f"/samples/{sample.pk}/tags/", {"add": name})
    assert [tag.name for tag in Tag.objects.all()] == ["Fast"]
    assert AuditEntry.objects.filter(action="sample.tag").count() == 1


def test_the_sample_page_adds_and_takes_off(annotator):
    sample = make_sample()
    annotator.post(f"/samples/{sample.pk}/tags/", {"add": "fast"})
    assert 'aria-label="Remove fast"' in annotator.get(sample.get_absolute_url()).content.decode()
    annotator.post(f"/samples/{sample.pk}/tags/", {"remove": "fast"})
    assert not sample.sample_tags.exists()


def test_a_name_that_cannot_be_a_tag_is_said_on_the_page(annotator):
    sample = make_sample()
    page = annotator.post(f"/samples/{sample.pk}/tags/", {"add": "<b>"}, headers={"HX-Request": "true"})
    assert "cannot be a tag" in page.content.decode()
    assert "<b>" not in page.content.decode()


def test_a_reader_sees_tags_and_changes_none(reader):
    sample = make_sample()
    tags.put_on(COMMAND, sample, tags.make(COMMAND, "fast"))
    page = reader.get(sample.get_absolute_url()).content.decode()
    assert ">fast</a>" in page
    assert "Remove fast" not in page
    assert reader.post(f"/samples/{sample.pk}/tags/", {"add": "x"}).status_code == 403
    assert ">fast</a>" in reader.get("/browse/?view=all").content.decode()


def test_renaming_to_a_name_that_is_taken_is_refused(curator):
    one, _ = tags.make(COMMAND, "one"), tags.make(COMMAND, "two")
    page = curator.post("/browse/tags/save/", {"tag": one.pk, "name": "TWO", "colour": "red"}, follow=True)
    assert "There is already a tag TWO" in page.content.decode()


def test_only_a_curator_deletes_a_tag_and_it_leaves_every_sample(annotator, curator):
    sample, tag = make_sample(), tags.make(COMMAND, "fast")
    tags.put_on(COMMAND, sample, tag)
    assert annotator.post(f"/browse/tags/{tag.pk}/delete/").status_code == 403
    curator.post(f"/browse/tags/{tag.pk}/delete/")
    assert not sample.sample_tags.exists()


def test_a_program_makes_and_changes_tags_and_reads_them_with_a_sample():
    client = api(token_for(make_user("annotator"), "read", "annotate"))
    sample = make_sample()
    assert client.post("/api/v1/tags/", {"name": "hack/replay", "colour": "red"}).status_code == 201
    assert client.post("/api/v1/tags/", {"name": "Hack/Replay"}).status_code == 400
    assert client.patch("/api/v1/tags/hack/replay/", {"colour": "amber"}).json()["colour"] == "amber"
    tags.put_on(COMMAND, sample, tags.named("hack/replay"))
    assert client.get("/api/v1/tags/hack/replay/").json()["samples"] == 1
    assert client.get(f"/api/v1/samples/{sample.pk}/").json()["tags"] == ["hack/replay"]
    assert client.delete("/api/v1/tags/hack/replay/").status_code == 403


def counts(query, facet):
    found = facets.count(parse_query(query))
    shown = next(one for one in found.facets if one.name == facet)
    return {value.value: value.count for value in shown.values}


def test_tags_are_counted_beside_the_list_and_follow_every_change():
    one, two = make_sample(generator="a"), make_sample(generator="b")
    fast = tags.make(COMMAND, "fast")
    tags.put_on(COMMAND, one, fast)
    tags.put_on(COMMAND, two, fast)
    assert counts("", "tag") == {"fast": 2}
    assert counts("generator:a", "tag") == {"fast": 1}
    tags.change(COMMAND, fast, name="quick")
    tags.take_off(COMMAND, one, fast)
    assert counts("", "tag") == {"quick": 1}
    assert counts("tag:none", "generator") == {"a": 1}
    assert counts("tag:quick", "generator") == {"b": 1}


def test_assignments_are_counted_by_reviewer():
    reviewer = make_user("annotator")
    Assignment.objects.create(sample=make_sample(), reviewer=reviewer)
    make_sample()
    assert counts("", "assigned") == {reviewer.username: 1}
    assert parse_query("assigned:none").queryset().count() == facets.total(parse_query("assigned:none")) == 1


@pytest.mark.parametrize("number", ["0", "9" * 30, "9" * 5000, "one"], ids=len)
def test_a_number_of_no_tag_is_not_found(annotator, number):
    assert annotator.post("/browse/tags/save/", {"tag": number, "name": "x"}).status_code == 404
