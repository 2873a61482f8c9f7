import pytest

from concur_site import activity
from datasets_app.accounts import audit
from datasets_app.models import AuditEntry
from tests.factories import acting, make_sample, make_user

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
