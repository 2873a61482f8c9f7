"""Tests of the effect of each bulk verb on its samples, and of undoing it."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import bulk
from datasets_app.browse.list import tags
from datasets_app.browse.query.sets import Bounds
from datasets_app.bulk import BulkError, Target
from datasets_app.bulk.asking import AT_ONCE
from datasets_app.bulk.groups import groups, numbers_of
from datasets_app.bulk.run import one_group, run_bulk
from datasets_app.bulk.verb import verb_named
from datasets_app.bulk.verbs.exporting import file_of
from datasets_app.curate import recipes, store
from datasets_app.curate.definition import parse
from datasets_app.jobs import job_row
from datasets_app.models import (
    Assignment,
    AuditEntry,
    BulkChange,
    Recipe,
    SampleBody,
    SampleTag,
    Tag,
    Verification,
)
from datasets_app.review.queue import next_sample
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def annotator():
    return make_user("annotator")


@pytest.fixture
def curator():
    return make_user("curator")


def ticked(*samples):
    return Target.of_ids([str(sample.pk) for sample in samples])


def tagged(name):
    return set(SampleTag.objects.filter(tag__name=name).values_list("sample_id", flat=True))


def tag(actor, target, name="fast", **params):
    return bulk.start(acting(actor), "tag", target, {"tag": name, **params})


def test_tagging_a_selection_tags_it_and_nothing_else(annotator):
    one, two = make_sample(), make_sample()
    done = tag(annotator, ticked(one), colour="teal")
    assert tagged("fast") == {one.pk}
    assert two.pk not in tagged("fast")
    assert (done.state, done.total, done.changed) == ("done", 1, 1)
    assert Tag.objects.get().colour == "teal"
    assert AuditEntry.objects.filter(action="bulk.tag", actor=annotator).exists()


def test_tagging_the_whole_result_goes_through_all_of_it_in_groups(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.verb.Verb.group", 2)
    wanted = {make_sample(generator="a").pk for _ in range(5)}
    make_sample(generator="b")
    assert tag(annotator, Target.of_query("generator=a")).changed == 5
    assert tagged("fast") == wanted


def test_taking_off_the_tag_that_one_filters_by_meets_every_sample(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.verb.Verb.group", 2)
    for _ in range(5):
        tags.put_on(acting(annotator), make_sample(), tags.named_or_new(acting(annotator), "fast"))
    done = bulk.start(acting(annotator), "untag", Target.of_query("tag=fast"), {"tag": "fast"})
    assert done.changed == 5
    assert tagged("fast") == set()


def test_undoing_a_tag_leaves_the_samples_that_had_it_before(annotator):
    had, new = make_sample(), make_sample()
    tag(annotator, ticked(had))
    done = tag(annotator, ticked(had, new))
    assert done.changed == 1
    undone = bulk.undo(acting(annotator), done)
    assert tagged("fast") == {had.pk}
    assert undone.changed == 1
    with pytest.raises(BulkError, match="already"):
        bulk.undo(acting(annotator), done)


def test_undoing_the_removal_of_a_tag_puts_it_back(annotator):
    one = make_sample()
    tag(annotator, ticked(one))
    done = bulk.start(acting(annotator), "untag", ticked(one), {"tag": "FAST"})
    assert tagged("fast") == set()
    bulk.undo(acting(annotator), done)
    assert tagged("fast") == {one.pk}


def test_an_undo_is_kept_until_the_next_action_of_the_same_person(annotator):
    one = make_sample()
    first = tag(annotator, ticked(one))
    tag(make_user("annotator"), ticked(one), "other")
    assert BulkChange.objects.filter(bulk=first).exists()
    tag(annotator, ticked(one), "second")
    with pytest.raises(BulkError, match="no longer"):
        bulk.undo(acting(annotator), first)


def test_only_an_administrator_undoes_what_another_did(annotator):
    done = tag(annotator, ticked(make_sample()))
    with pytest.raises(PermissionDenied, match="Only whoever did it"):
        bulk.undo(acting(make_user("curator")), done)
    assert bulk.undo(acting(make_user("administrator")), done).changed == 1


def test_a_large_result_waits_for_a_worker_which_leaves_later_samples_alone(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.asking.AT_ONCE", 2)
    early = {make_sample().pk for _ in range(3)}
    waiting = tag(annotator, Target.of_query(""))
    assert waiting.state == "queued"
    assert tagged("fast") == set()
    make_sample()
    run_bulk(waiting.pk)
    assert tagged("fast") == early
    waiting.refresh_from_db()
    assert (waiting.state, waiting.seen, waiting.changed) == ("done", 3, 3)
    assert AT_ONCE == 1000


def test_a_worker_that_takes_over_goes_on_where_the_dead_one_stood(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.asking.AT_ONCE", 0)
    ids = [make_sample().pk for _ in range(4)]
    waiting = tag(annotator, Target.of_query(""))
    second = list(groups(waiting, numbers_of(waiting), 1))[1]
    type(waiting).objects.filter(pk=waiting.pk).update(last_number=second.last_number, seen=2)
    run_bulk(waiting.pk)
    assert tagged("fast") == set(ids[2:])


def test_a_worker_that_takes_over_an_export_writes_each_row_once_though_the_last_sample_is_gone(
    curator, monkeypatch, settings, tmp_path
):
    settings.EXPORT_DIR = tmp_path
    monkeypatch.setattr("datasets_app.bulk.verbs.exporting.ExportSamples.group", 1)
    samples = [make_sample() for _ in range(3)]
    waiting = bulk.start(acting(curator), "export", Target.of_query(""), {})
    claimed = job_row.claim(type(waiting), waiting.pk)
    one_group(claimed, verb_named("export").begin(claimed), next(groups(claimed, numbers_of(claimed), 1)))
    SampleBody.objects.filter(sample=samples[0]).delete()
    samples[0].delete()
    type(waiting).objects.filter(pk=waiting.pk).update(state="queued")
    run_bulk(waiting.pk)
    lines = file_of(waiting).read_text().splitlines()
    assert len(lines) == len(set(lines)) == 3


def test_what_a_search_finds_is_searched_once_and_gone_through_in_groups(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.verb.Verb.group", 1)
    # So that counting stops before it is complete.
    monkeypatch.setattr("datasets_app.browse.query.sets.HASTY", Bounds(2, 9))
    wanted = {make_sample(kernel=f"__global__ kernel_{number}").pk for number in range(4)}
    make_sample()
    waiting = tag(annotator, Target.of_query("code=__global__"))
    with CaptureQueriesContext(connection) as asked:
        run_bulk(waiting.pk)
    assert tagged("fast") == wanted
    assert len([one for one in asked if "__global__" in one["sql"] and "kernel_code" in one["sql"]]) <= 4


def test_a_tag_that_is_deleted_while_an_action_waits_fails_it_with_a_sentence(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.asking.AT_ONCE", 0)
    make_sample()
    waiting = tag(annotator, Target.of_query(""))
    Tag.objects.all().delete()
    run_bulk(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == "failed"
    assert "deleted meanwhile" in waiting.error


def test_what_is_assigned_is_handed_to_its_reviewer_first(annotator):
    oldest, asked = make_sample(), make_sample()
    reviewer = make_user("annotator")
    done = bulk.start(acting(annotator), "assign", ticked(asked), {"reviewer": reviewer.username})
    assert next_sample(acting(reviewer)) == asked
    assert next_sample(acting(make_user("annotator"))) == oldest
    bulk.undo(acting(annotator), done)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("name", ["", "nobody", "a-reader"])
def test_only_who_may_review_can_be_assigned(annotator, name):
    make_user("reader", "a-reader")
    with pytest.raises(BulkError, match=r"no account|reader"):
        bulk.start(acting(annotator), "assign", ticked(make_sample()), {"reviewer": name})


def recipe(curator):
    definition = {"version": 1, "seed": 1, "rules": [{"rule": "has_trace"}]}
    return recipes.save(acting(curator), definition, name="mine")


@pytest.mark.parametrize(("mode", "kept"), [("include", {"listed"}), ("exclude", {"other"})])
def test_a_recipe_keeps_or_leaves_out_what_is_listed_and_undo_restores_it(curator, mode, kept):
    samples = {"listed": make_sample(), "other": make_sample()}
    before = recipe(curator).definition
    done = bulk.start(acting(curator), "recipe", ticked(samples["listed"]), {"recipe": "mine", "mode": mode})
    chosen = store.select(parse(Recipe.objects.get(name="mine").definition)).chosen
    assert {entry.row.id for entry in chosen} == {str(samples[name].pk) for name in kept}
    bulk.undo(acting(curator), done)
    assert Recipe.objects.get(name="mine").definition == before


def test_listing_more_samples_adds_no_second_rule(curator):
    recipe(curator)
    for sample in (make_sample(), make_sample()):
        bulk.start(acting(curator), "recipe", ticked(sample), {"recipe": "mine"})
    rules = Recipe.objects.get(name="mine").definition["rules"]
    assert [rule["rule"] for rule in rules] == ["has_tag", "has_trace"]
    assert len(tagged("mine/include")) == 2


def test_a_recipe_of_the_project_stays_as_it_is_and_no_tag_is_left_behind(curator):
    with pytest.raises(BulkError, match="Copy it"):
        bulk.start(acting(curator), "recipe", ticked(make_sample()), {"recipe": "concur"})
    assert not Tag.objects.exists()


def test_an_annotator_may_not_change_recipes(annotator):
    with pytest.raises(PermissionDenied):
        bulk.start(acting(annotator), "recipe", ticked(make_sample()), {"recipe": "mine"})


def test_an_export_is_written_by_a_worker_with_a_line_a_sample_in_the_order_in_which_they_came(
    annotator, settings, tmp_path, monkeypatch
):
    settings.EXPORT_DIR = tmp_path
    monkeypatch.setattr("datasets_app.bulk.verbs.exporting.ExportSamples.group", 2)
    came = []
    for _ in range(5):
        came.append(make_sample(reasoning="one\u2028two \U0001f600").pk)
    waiting = bulk.start(acting(annotator), "export", Target.of_query(""), {})
    assert waiting.state == "queued"
    run_bulk(waiting.pk)
    lines = file_of(waiting).read_bytes().splitlines()
    ids = [json.loads(line)["id"] for line in lines]
    assert ids == [str(pk) for pk in came]


def test_verifying_asks_for_one_batch_and_doubles_nothing_that_waits(annotator, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.verb.Verb.group", 2)
    samples = [make_sample() for _ in range(5)]
    done = bulk.start(acting(annotator), "verify", ticked(*samples), {"profile": "quick"})
    assert Verification.objects.filter(batch=done.pk).count() == done.changed == 5
    assert bulk.start(acting(annotator), "verify", ticked(*samples), {"profile": "quick"}).changed == 0
    assert Verification.objects.count() == 5


@pytest.mark.parametrize(
    ("verb", "params", "sentence"),
    [
        ("paint", {}, "There is no bulk action"),
        ("undo", {}, "POST to its URL"),
        ("tag", {"tag": "two words"}, "cannot be a tag"),
        ("tag", {"tag": "none"}, "another name"),
        ("tag", {"tag": "x", "colour": "beige"}, "choose from"),
        ("untag", {"tag": "unknown"}, "There is no tag"),
        ("verify", {"profile": "slow"}, "There is no profile"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence_and_changes_nothing(
    annotator, verb, params, sentence
):
    with pytest.raises(BulkError, match=sentence):
        bulk.start(acting(annotator), verb, ticked(make_sample()), params)
    assert not SampleTag.objects.exists()


@pytest.mark.parametrize("ids", [[], ["nonsense"], ["1b4e28ba-2fa1-5d3e-883f-0016d3cca427"]])
def test_a_selection_of_nothing_or_of_what_is_not_here_is_refused(ids):
    with pytest.raises(BulkError):
        Target.of_ids(ids)


def test_a_reader_may_do_nothing_to_many():
    with pytest.raises(PermissionDenied):
        tag(make_user("reader"), ticked(make_sample()))
