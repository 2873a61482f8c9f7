import json

import pytest
from django.core.management import CommandError, call_command

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Verification
from eval_app.engine import Job
from eval_app.request import local_run
from eval_app.request.verify import request_verification
from eval_app.site_worker import announcements
from tests.factories import make_sample
from tests.verify.stand_in import StandInBench

pytestmark = pytest.mark.django_db


def test_jobs_are_the_engines_jobs_with_the_samples_ids(capsys):
    sample = make_sample()
    call_command("jobs")
    (line,) = capsys.readouterr().out.splitlines()
    job = Job.from_dict(json.loads(line))
    assert (job.id, job.candidate) == (str(sample.pk), sample.body.kernel_code)


def test_jobs_are_chosen_by_a_query(capsys):
    sample = make_sample(language="cpp")
    make_sample()
    call_command("jobs", query="language:cpp")
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == [str(sample.pk)]


def test_a_query_that_cannot_be_read_is_explained():
    with pytest.raises(CommandError, match="langage"):
        call_command("jobs", query="langage:cpp")


def test_a_sample_without_a_kernel_gives_no_job(capsys):
    make_sample(kernel=" ")
    call_command("jobs")
    out, err = capsys.readouterr()
    assert out == ""
    assert "candidate must not be empty" in err


def test_asking_without_waiting_says_how_many_wait_for_what(capsys):
    make_sample(language="cuda")
    call_command("verify", all=True)
    assert json.loads(capsys.readouterr().out) == {"asked": 1, "waiting": {"cuda": 1}}


@pytest.mark.parametrize("sample", ["x", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_sample_is_refused(sample):
    with pytest.raises(CommandError, match="sample"):
        call_command("verify", sample=[sample])


def test_a_selection_of_nothing_is_an_error():
    with pytest.raises(CommandError, match="No sample matches"):
        call_command("verify", query="language:cpp")


@pytest.fixture
def bench(tmp_path, monkeypatch):
    bench = StandInBench(tmp_path / "runs.txt")
    # test_with_the_engine.py tests the engine itself.
    monkeypatch.setattr(local_run, "machine_bench", lambda: bench)
    return bench


@pytest.mark.django_db(transaction=True)
def test_without_a_worker_the_command_does_the_work_itself(bench, capsys):
    for _ in range(5):
        make_sample(kernel=f"pass {_}")
    call_command("verify", all=True, wait=True)
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-1]) == {"wrong_value": 5}
    assert "No worker runs: verifying in this process." in err
    assert "[5/5]" in err


@pytest.mark.django_db(transaction=True)
def test_what_this_machine_cannot_run_goes_on_waiting_and_the_status_says_so(bench, capsys):
    make_sample(language="cuda")
    make_sample()
    with pytest.raises(SystemExit) as ended:
        call_command("verify", all=True, wait=True)
    out, err = capsys.readouterr()
    assert ended.value.code == 3
    assert json.loads(out.splitlines()[-1]) == {"queued": 1, "wrong_value": 1}
    assert "waits for a CUDA worker; none has been seen" in err


@pytest.mark.django_db(transaction=True)
def test_a_machine_that_fails_its_self_test_verifies_nothing(bench, capsys):
    bench.passes = False
    make_sample()
    with pytest.raises(SystemExit):
        call_command("verify", all=True, wait=True)
    assert not bench.log.exists()
    assert Verification.objects.get().state == "queued"


@pytest.mark.django_db(transaction=True)
def test_with_a_worker_the_command_only_follows(bench, capsys):
    announcements.announce("box", {"state": "ready", "healthy": True, "queues": ["cpu"]})
    sample = make_sample()
    (row,) = request_verification([sample], actor=COMMAND)
    from eval_app.results.record import record_report
    from tests.verify import reports

    inline_sleep = local_run.time.sleep
    finish = lambda _: record_report(row.pk, 1, reports.passed(sample.pk))  # noqa: E731
    local_run.time.sleep = finish
    try:
        call_command("verify", sample=[str(sample.pk)], wait=True)
    finally:
        local_run.time.sleep = inline_sleep
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-1]) == {"passed": 1}
    assert "2.00x" in err
    assert not bench.log.exists()
