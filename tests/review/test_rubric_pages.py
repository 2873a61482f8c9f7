"""Tests of the guidelines and of the curators' pages of the rubric, without JavaScript."""

import html
import re

import pytest

from datasets_app import review
from datasets_app.models import RubricVersion
from datasets_app.review.guidelines import paragraphs
from datasets_app.review.rubric import current_rubric, publish
from tests.factories import acting, make_sample, make_user
from tests.review.test_rubric import definition

pytestmark = pytest.mark.django_db
NEW = "/review/rubric/new/"
INPUT = re.compile(r'<input type="(text|hidden|checkbox)" name="([^"]+)"([^>]*)>')


def fields_of(text):
    """Return what a browser would send of the form."""
    form = text[text.index('<form method="post" novalidate class="rubric-rows">') :]
    form = form[: form.index("</form>")]
    found = {}
    for kind, name, rest in INPUT.findall(form):
        value = re.search(r'value="([^"]*)"', rest)
        if kind != "checkbox":
            found[name] = html.unescape(value[1]) if value else ""
        elif " checked" in rest:
            found.setdefault(name, []).append(value[1] if value else "on")
    for name, value in re.findall(r'<textarea name="([^"]+)"[^>]*>\n?(.*?)</textarea>', form, re.S):
        found[name] = html.unescape(value)
    found.pop("csrfmiddlewaretoken", None)
    return found


def form(curator):
    return fields_of(curator.get(NEW).content.decode())


def test_the_form_starts_as_the_newest_version_and_an_unchanged_one_is_refused(curator):
    answer = curator.post(NEW, {**form(curator), "note": "nothing", "do": "publish"})
    assert answer.status_code == 400
    assert "This is the same as version 1" in answer.content.decode()


def test_a_preview_shows_the_review_form_and_stores_nothing(curator):
    added = {"reasons-6-title": "Numerics", "reasons-6-code": "numerics", "reasons-6-key": "z"}
    answer = curator.post(NEW, {**form(curator), **added, "note": "numerics", "do": "preview"})
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'name="reason-numerics"' in text
    assert "Preview of version 2" in text
    assert "reasons-7-title" in text  # an empty row for one more
    assert RubricVersion.objects.count() == 1


def test_a_published_version_is_in_use_and_in_the_list(curator):
    fields = {**form(curator), "criteria-2-DELETE": "on", "note": "<b>fewer</b> criteria", "do": "publish"}
    answer = curator.post(NEW, fields, follow=True)
    text = answer.content.decode()
    assert "Version 2 is published" in text
    assert "&lt;b&gt;fewer&lt;/b&gt;" in text
    names = [one.name for one in current_rubric().criterion_list]
    assert names == ["correctness", "kernel_quality", "faithfulness"]


def test_a_fault_is_beside_its_field_and_what_was_typed_is_kept(curator):
    fields = {**form(curator), "criteria-0-key": "s", "criteria-0-title": "Rightness", "do": "publish"}
    answer = curator.post(NEW, fields)
    text = answer.content.decode()
    assert answer.status_code == 400
    assert text.index("The review page uses s itself") < text.index("criteria-1-title")
    assert "Say what changed and why" in text
    assert 'value="Rightness"' in text


def test_a_version_published_meanwhile_is_shown_and_the_form_can_be_sent_again(curator):
    fields = {**form(curator), "guidelines": "Mine.", "note": "mine", "do": "publish"}
    publish(definition(guidelines="Theirs."), 1, actor=acting(make_user("curator", "cleo")))
    answer = curator.post(NEW, fields)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Version 2 was published by cleo" in text
    assert curator.post(NEW, {**fields_of(text), "do": "publish"}).status_code == 302
    assert current_rubric().guidelines == "Mine."


def test_a_form_without_its_hidden_fields_is_refused_with_a_sentence(curator):
    answer = curator.post(NEW, {"do": "publish", "note": "x"})
    assert answer.status_code == 400
    assert RubricVersion.objects.count() == 1


def test_the_guidelines_show_anchors_reasons_and_examples_of_any_version(annotator):
    publish(definition(guidelines="<script>x</script>"), 1, actor=acting(make_user("curator")))
    text = annotator.get("/review/guidelines/").content.decode()
    assert "is right for the tested shapes" in text
    assert "it passes the check or the clock" in text
    assert "&lt;script&gt;x" in text
    assert "Example of accept" in annotator.get("/review/guidelines/?version=1").content.decode()
    assert annotator.get("/review/guidelines/?version=" + "9" * 5000).status_code == 200


def test_an_id_of_a_sample_becomes_a_link_in_one_query(django_assert_num_queries):
    sample, text = make_sample(), "00000000-0000-4000-8000-000000000000"
    with django_assert_num_queries(1):
        first, second = paragraphs(f"See {sample.pk} and {sample.pk}.\r\n\r\nNot {text}.")
    assert [piece.sample for piece in first] == [None, sample, None, sample, None]
    assert [piece.text for piece in second] == [f"Not {text}."]


def test_the_review_form_has_the_guidelines_and_its_reasons_by_key(annotator):
    text = annotator.get(f"/review/{make_sample().pk}/").content.decode()
    assert "Guidelines, version 1" in text
    assert 'href="/review/guidelines/"' in text
    assert re.search(r'name="reason-cheat" value="1" data-key="i"', text)
    assert "Reason: cheat" in text


def test_reasons_are_on_the_samples_page_and_in_the_list_of_own_reviews(annotator):
    sample = make_sample()
    user = make_user("annotator", "ada")
    annotator.force_login(user)
    review.submit_review(sample, acting(user), "reject", reasons=["cheat"])
    assert "Cheat" in annotator.get(f"/samples/{sample.pk}/").content.decode()
    assert "Cheat" in annotator.get("/review/").content.decode()
