import re
from pathlib import Path

import pytest

from concur_site import activity
from concur_site.activity import WORDS
from datasets_app.accounts import audit
from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.tables import TABLES
from datasets_app.ingest.undo import restore_ingest, undo_ingest
from datasets_app.models import AuditEntry, Ingest, JobState
from eval_app.workers.registry import VERBS
from tests.curate.store import frozen, small_store
from tests.factories import acting, make_sample, make_user

ROOT = Path(__file__).resolve().parents[2]
RECORDED = re.compile(r'audit\.record\(\s*[\w.]+,\s*"([a-z.-]+)"')
pytestmark = pytest.mark.django_db


def test_a_deed_is_told_in_words_and_leads_to_its_thing():
    sample = make_sample()
    audit.record(acting(make_user("annotator")), "review.skip", sample)
    [deed] = activity.deeds(AuditEntry.objects.all())
    assert deed.words == "skipped a sample"
    assert deed.url == f"/samples/{sample.pk}/"


def test_how_a_sample_was_judged_is_not_told():
    audit.record(acting(make_user("annotator")), "review.submit", make_sample(), verdict="reject")
    assert "reject" not in activity.deeds(AuditEntry.objects.all())[0].words


def test_an_action_without_words_is_shown_by_its_name():
    entry = AuditEntry(action="moon.fly_to", target_type="x.Y", target_id="1")
    assert (activity.words(entry), activity.page_of(entry)) == ("moon fly to", "")


def test_a_missing_detail_and_a_gone_name_break_nothing():
    entry = AuditEntry(action="release.create", target_type="datasets_app.Release", target_id="1")
    assert (activity.words(entry), activity.page_of(entry)) == ("froze – by –", "")


def test_what_was_deleted_has_no_page():
    entry = AuditEntry(
        action="recipe.delete", target_type="datasets_app.Recipe", target_id="1", detail={"name": "mine"}
    )
    assert (activity.words(entry), activity.page_of(entry)) == ("deleted the recipe mine", "")


@pytest.mark.parametrize(
    ("count", "told"), [(1, "requested a verification, quick"), (3, "requested 3 verifications, quick")]
)
def test_one_verification_is_told_as_one(count, told):
    detail = {"count": count, "profile": "quick", "device": "auto"}
    assert activity.words(AuditEntry(action="verification.request", detail=detail)) == told


def newest(most=8):
    return [deed.words for deed in activity.newest_deeds(COMMAND, most)]


def test_alike_deeds_in_a_row_are_one_line_that_names_the_newest():
    ann = acting(make_user("annotator", "ann"))
    samples = [make_sample() for _ in range(5)]
    for sample in samples:
        audit.record(ann, "review.submit", sample, verdict="accept")
    assert newest() == [f"reviewed {samples[-1].task.name} and 4 more"]


def test_another_person_or_another_tag_begins_a_new_line():
    ann, ben = (acting(make_user("annotator", name)) for name in ("ann", "ben"))
    sample = make_sample()
    for person, tag in ((ann, "slow"), (ann, "fast"), (ben, "fast")):
        audit.record(person, "sample.tag", sample, tag=tag)
    name = sample.task.name
    assert newest() == [f"tagged {name} with fast", f"tagged {name} with fast", f"tagged {name} with slow"]


def test_the_same_deed_on_one_sample_is_counted():
    ann, sample = acting(make_user("annotator")), make_sample()
    for _ in range(3):
        audit.record(ann, "review.skip", sample, reason="")
    assert newest() == [f"skipped {sample.task.name}, 3 times"]


def test_deeds_on_samples_that_are_gone_are_still_grouped():
    AuditEntry.objects.create(
        actor_name="x", action="review.skip", target_type="datasets_app.Sample", target_id="?"
    )
    assert newest() == ["skipped a sample"]


def test_the_feed_costs_two_queries_whatever_it_holds(django_assert_num_queries):
    ann = acting(make_user("annotator"))
    for _ in range(6):
        audit.record(ann, "review.submit", make_sample(), verdict="accept")
        audit.record(ann, "review.skip", make_sample(), reason="")
    with django_assert_num_queries(2):
        assert len(newest()) == 8


def test_only_administrators_read_on_the_home_page_what_happens_to_accounts(reader, administrator):
    audit.record(acting(make_user("administrator")), "account.deactivate", make_user(), user="mallory")
    assert "mallory" not in reader.get("/").content.decode()
    assert "deactivated the account mallory" in administrator.get("/").content.decode()


def test_an_ingest_that_is_undone_and_restored_is_named():
    ingest = Ingest.objects.create(file_name="rows.jsonl", state=JobState.DONE)
    make_sample(ingest=ingest)
    undo_ingest(ingest, COMMAND, "The wrong file.")
    restore_ingest(ingest, COMMAND)
    assert newest()[:2] == ["brought back the samples of rows.jsonl", "withdrew the samples of rows.jsonl"]


def test_a_reader_is_not_told_the_name_of_a_private_release(reader, administrator):
    small_store()
    publication.set_visibility(frozen("secret"), "private", actor=COMMAND)
    assert "secret" not in reader.get("/").content.decode()
    assert "froze secret" in administrator.get("/").content.decode()


def test_every_action_that_the_code_records_has_words():
    recorded = {
        action
        for app in ("concur_site", "datasets_app", "eval_app")
        for path in (ROOT / app).rglob("*.py")
        for action in RECORDED.findall(path.read_text(encoding="utf-8"))
    }
    recorded |= {f"{table}.export" for table in TABLES} | {f"host.{verb}" for verb in VERBS.values()}
    assert len(recorded) > 40
    assert recorded - set(WORDS) == set()
