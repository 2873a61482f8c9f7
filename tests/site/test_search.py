"""Tests of the search of everything: what it finds, for whom, and that no input breaks it."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from concur_site.search import LONGEST, MOST, found
from datasets_app.models import Publication, Recipe, Release, Tag
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_task, make_user

pytestmark = pytest.mark.django_db


def names(text, role="curator"):
    return {
        group.title: [one.name for one in group.results] for group in found(text, acting(make_user(role)))
    }


def page(client, text, **headers):
    return client.get("/search/", {"q": text}, **headers)


def test_tasks_are_found_by_a_part_of_their_name_in_any_case():
    make_task(name="softmax_4096")
    make_task(name="layer_norm")
    assert names("SoftMax") == {"Tasks": ["softmax_4096"]}


def test_a_sample_is_found_by_its_id_and_by_the_beginning_of_it():
    sample = make_sample()
    make_sample()
    for text in (
        str(sample.pk),
        str(sample.pk).upper(),
        sample.pk.hex,
        sample.pk.hex[:10],
        str(sample.pk)[:11],
    ):
        assert names(text)["Samples"] == [sample.task.name]


def test_a_task_is_found_by_its_id():
    task = make_task()
    assert names(str(task.pk)) == {"Tasks": [task.name]}


def test_fewer_than_four_digits_are_no_id():
    sample = make_sample()
    assert "Samples" not in names(sample.pk.hex[:3])


def test_releases_recipes_and_tags_are_found_by_name():
    Release.objects.create(name="may-first", recipe_name="x", definition={})
    Recipe.objects.create(name="may-plain", definition={})
    Tag.objects.create(name="may/look")
    results = names("may")
    assert [results[kind] for kind in ("Releases", "Recipes", "Tags")] == [
        ["may-first"],
        ["may-plain"],
        ["may/look"],
    ]


def test_findings_are_found_by_code_and_by_the_words_of_their_meaning():
    assert names("background thread")["Outcomes and findings"][0] == "background_thread"
    assert "illegal_memory" in names("outside its buffers")["Outcomes and findings"]


def test_a_queue_is_found_by_those_who_may_read_its_page_only():
    curator = acting(make_user("curator"))
    make_sample()
    queue = make_queue("night shift", curator)
    assert [names("night", role) for role in ("reader", "annotator")] == [{}, {}]
    assert names("night", "curator") == {"Queues": ["night shift"]}
    queues.open_queue(queue, curator)
    assert names("night", "annotator") == {"Queues": ["night shift"]}
    assert names("night", "reader") == {}


def test_no_result_says_what_a_review_decided(reader):
    sample = make_sample(verdict="reject", reviewed_at="2026-01-01T00:00Z")
    assert "reject" not in page(reader, sample.pk.hex).content.decode()


@pytest.mark.parametrize("role", ["reader", "annotator", "curator"])
def test_each_result_leads_to_a_page_that_its_reader_may_read(client, role):
    curator = acting(make_user("curator"))
    make_sample(make_task(name="first_task"))
    queues.open_queue(make_queue("first look", curator), curator)
    Recipe.objects.create(name="first", definition={"rules": []})
    Release.objects.create(name="first", recipe_name="first", definition={})
    Tag.objects.create(name="first")
    client.force_login(make_user(role))
    links = re.findall(r'data-row-link href="([^"]+)"', page(client, "first").content.decode())
    assert len(links) >= 5 - (role == "reader")
    assert {client.get(url).status_code for url in links} == {200}


def test_a_group_shows_a_few_and_says_that_there_are_more(reader):
    for number in range(MOST + 2):
        make_task(name=f"conv_{number}")
    answer = page(reader, "conv_").content.decode()
    assert answer.count('data-row-link href="/tasks/') == MOST
    assert "There are more" in answer


def test_the_texts_of_samples_are_one_link_away_as_a_phrase(reader):
    answer = page(reader, 'warp "shuffle" \\').content.decode()
    url = re.search(r'href="(/browse/\?query=[^"]+)"', answer)[1]
    assert parse_qs(urlsplit(url).query)["query"] == ['"warp \\"shuffle\\" \\\\"']
    assert reader.get(url, follow=True).status_code == 200


def test_an_empty_search_says_what_can_be_searched(reader):
    for answer in (reader.get("/search/"), page(reader, "   ")):
        assert "Type part of a name" in answer.content.decode()


def test_a_search_without_results_says_so_and_offers_the_texts(reader):
    answer = page(reader, "zzzqq").content.decode()
    assert "Nothing is named “zzzqq”" in answer
    assert "Search programs, traces and kernels" in answer


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "%",
        "_",
        "\\",
        "\ud800",
        "' OR 1=1 --",
        "\u202egnp",
        "ffff" * 9,
        "-" * 40,
        "é" * 4,
    ],
)
def test_hostile_text_is_a_name_that_nothing_has(reader, text):
    make_sample()
    answer = page(reader, text.encode("utf-8", "replace").decode())
    assert answer.status_code == 200
    assert "<script>alert" not in answer.content.decode()


def test_a_percent_sign_and_an_underscore_are_plain_characters():
    make_task(name="plain")
    make_task(name="l_ined")
    assert (names("%"), names("l_i")["Tasks"]) == ({}, ["l_ined"])


def test_a_very_long_text_is_cut_and_the_page_says_so(reader):
    answer = page(reader, "x" * 100_000).content.decode()
    assert f"Only the first {LONGEST} characters" in answer


def test_a_search_costs_the_same_number_of_queries_whatever_it_finds(reader, django_assert_max_num_queries):
    for number in range(MOST + 2):
        make_sample(make_task(name=f"abcd_{number}"))
        Tag.objects.create(name=f"abcd-{number}")
        Release.objects.create(name=f"abcd-{number}", recipe_name="x", definition={})
    page(reader, "abcd")
    with django_assert_max_num_queries(10):
        page(reader, "abcd")


def test_every_page_has_the_search_and_a_page_that_is_not_there_a_larger_one(reader):
    assert 'id="site-search"' in reader.get("/browse/").content.decode()
    lost = reader.get("/nowhere/")
    assert lost.status_code == 404
    assert '<input id="q" name="q"' in lost.content.decode()


def test_a_reader_is_not_led_to_pages_for_annotators(reader, annotator):
    for url in ("/review/", "/edits/"):
        assert f'href="{url}"' not in reader.get("/browse/").content.decode()
        assert f'href="{url}"' in annotator.get("/browse/").content.decode()


def test_a_release_for_named_readers_is_found_by_them_only(reader):
    release = Release.objects.create(name="for-the-lab", recipe_name="x", definition={})
    Publication.objects.create(release=release, visibility="private")
    assert "for-the-lab" not in page(reader, "the-lab").content.decode()
    assert names("the-lab", "administrator")["Releases"] == ["for-the-lab"]
