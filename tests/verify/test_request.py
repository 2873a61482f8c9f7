import base64
import json
import time

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry, Sample, SampleBody, Verification
from eval_app.request.verify import VerifyError, cancel, request_verification, retry
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def messages(broker, device):
    """Return the job messages in a device's queue, oldest first."""
    envelopes = [json.loads(text) for text in broker.lrange(f"verify.{device}", 0, -1)]
    return [json.loads(base64.b64decode(envelope["body"]))[0][0] for envelope in reversed(envelopes)]


def ask(samples, actor=COMMAND, **options):
    return request_verification(samples, actor=actor, **options)


def test_asking_twice_returns_the_one_that_waits():
    sample = make_sample()
    (first,), (second,) = ask([sample]), ask([sample])
    assert first.pk == second.pk
    assert Verification.objects.count() == 1


def test_another_profile_or_device_is_another_verification():
    sample = make_sample()
    ask([sample])
    ask([sample], profile="thorough")
    ask([sample], device="cuda")
    assert Verification.objects.count() == 3


@pytest.mark.parametrize(
    ("language", "device"), [("cuda", "cuda"), ("triton", "cuda"), ("cpp", "cpu"), ("python", "cpu")]
)
def test_a_kernels_language_says_what_it_waits_for(language, device):
    (row,) = ask([make_sample(language=language)])
    assert row.wanted_device == device


def test_the_message_carries_the_sources_and_the_profile(broker, django_capture_on_commit_callbacks):
    sample = make_sample()
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = ask([sample])
    (message,) = messages(broker, "cpu")
    assert (message["verification"], message["attempt"]) == (str(row.pk), 1)
    assert message["job"]["id"] == str(sample.pk)
    assert message["job"]["reference"] == sample.task.body.pytorch_code
    assert message["job"]["candidate"] == sample.body.kernel_code
    assert message["job"]["profile"]["name"] == "quick"


def test_a_broker_that_is_down_costs_nothing(settings, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = ask([make_sample()])
    row.refresh_from_db()
    assert (row.state, row.sent_at) == ("queued", None)


def test_a_kernel_that_the_engine_cannot_take_is_unsupported_at_once(
    broker, django_capture_on_commit_callbacks
):
    sample = make_sample(kernel=" " * 5)
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = ask([sample])
    row.refresh_from_db()
    assert row.outcome == "unsupported"
    assert "candidate must not be empty" in row.detail


def test_a_kernel_that_is_no_program_is_unsupported_and_decides_nothing(
    broker, django_capture_on_commit_callbacks
):
    sample = make_sample(language="hip")
    SampleBody.objects.filter(pk=sample.pk).update(is_program=False)
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = ask([sample])
    row.refresh_from_db()
    assert row.outcome == "unsupported"
    assert not Verification.runs.deciding().exists()
    assert "no program with a class ModelNew" in row.detail


def test_a_thousand_are_asked_for_in_seconds_and_with_few_queries(django_assert_max_num_queries):
    task = make_sample().task
    Sample.objects.bulk_create(
        Sample(
            id=f"00000000-0000-4000-8000-{number:012d}",
            task=task,
            source=task.source,
            language="cpp",
            has_trace=False,
        )
        for number in range(2000)
    )
    started = time.process_time()
    with django_assert_max_num_queries(100):  # SQLite inserts about 30 rows per statement
        rows = ask(Sample.objects.filter(language="cpp"))
    assert len(rows) == 2000
    assert time.process_time() - started < 4


def test_asking_is_written_down_once_for_all_of_a_batch():
    user = make_user("annotator")
    rows = ask([make_sample(), make_sample()], actor=acting(user))
    entry = AuditEntry.objects.get(action="verification.request")
    assert (entry.actor, entry.detail["count"]) == (user, 2)
    assert len({row.batch for row in rows}) == 1


def test_a_reader_may_not_ask():
    with pytest.raises(PermissionDenied):
        ask([make_sample()], actor=acting(make_user("reader")))


@pytest.mark.parametrize("wish", [{"profile": "sloppy"}, {"device": "tpu"}])
def test_an_unknown_profile_or_device_is_refused_with_the_choices(wish):
    with pytest.raises(VerifyError, match="choose one of: "):
        ask([make_sample()], **wish)


def test_what_waits_can_be_cancelled_and_asked_for_again():
    sample = make_sample()
    ada = acting(make_user("annotator", "ada"))
    (row,) = ask([sample], ada)
    assert cancel(row, ada)
    row.refresh_from_db()
    assert (row.status, row.error) == ("cancelled", "Cancelled by ada while it was queued.")
    (again,) = ask([sample])
    assert again.pk != row.pk


def test_what_runs_cannot_be_cancelled():
    (row,) = ask([make_sample()])
    from eval_app.attempts import leases

    leases.renew("host", [{"verification": str(row.pk), "attempt": 1}])
    assert not cancel(row, COMMAND)


def test_a_retry_asks_for_the_same_profile_and_device():
    (row,) = ask([make_sample()], profile="standard", device="cuda")
    cancel(row, COMMAND)
    (again,) = retry([row], COMMAND)
    assert (again.profile, again.wanted_device, again.state) == ("standard", "cuda", "queued")


def test_if_one_cannot_be_asked_for_again_none_is_and_the_page_says_why(annotator):
    one, other = (request_verification([make_sample()], actor=COMMAND)[0] for _ in range(2))
    Verification.objects.update(state="done", finished_at=timezone.now(), outcome="passed")
    Verification.objects.filter(pk=one.pk).update(profile="of-its-own")  # as a report from a file may have
    page = annotator.post("/verify/again/", {"verification": [other.pk, one.pk]}, follow=True)
    assert page.status_code == 200
    assert "There is no profile" in page.content.decode()
    assert not Verification.objects.waiting().exists()
