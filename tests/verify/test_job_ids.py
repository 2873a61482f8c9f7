"""Tests that a job's id follows it: to its queue, through the host's log, and back into the site's."""

import logging
import threading

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.log_context import context
from eval_app.host.assignment_runner import AssignmentRunner
from eval_app.host.heartbeat import RunningAssignments
from eval_app.queue.job import message
from eval_app.request.verify import request_verification
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines():
    """Return (logger, message, ids) of every record during the test."""
    found = []

    class Keep(logging.Handler):
        def emit(self, record):
            found.append((record.name, record.getMessage(), context.ids()))

    handler, root = Keep(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield found
    root.removeHandler(handler)
    root.setLevel(level)


class Bench:
    """Verifies at once."""

    kinds, lanes = ["cpu"], 1

    def verify(self, assignment):
        return {"id": assignment.sample, "outcome": "passed"}


class Always:
    """Locks and outbox that accept everything."""

    def take(self, *_):
        return True

    def finish(self, *_):
        pass

    def deliver(self, *_):
        return True


def test_the_site_names_request_and_job_when_it_sends(broker, lines, django_capture_on_commit_callbacks):
    with context.in_request("aaaa-0001"), django_capture_on_commit_callbacks(execute=True):
        [row] = request_verification([make_sample()], actor=COMMAND)
    assert (
        "eval_app.queue.dispatch",
        "Sent to verify.cpu",
        {"request": "aaaa-0001", "job": f"{row.pk}:1"},
    ) in lines


def test_the_host_names_the_job_in_every_line_of_it(broker, lines):
    [row] = request_verification([make_sample()], actor=COMMAND)
    del lines[:]
    runner = AssignmentRunner(Bench(), Always(), Always(), RunningAssignments(), threading.Event())
    runner.work(message(row))
    mine = [ids for name, _, ids in lines if name.startswith("eval_app.host")]
    assert len(mine) >= 2
    assert all(ids == {"job": f"{row.pk}:{row.attempt}"} for ids in mine)


def test_the_site_names_the_job_when_the_report_arrives(broker, host, lines):
    [row] = request_verification([make_sample()], actor=COMMAND)
    host.heartbeat(row)
    del lines[:]
    assert host.report(row, reports.passed(row.sample_id))
    booked = [ids for name, text, ids in lines if name == "eval_app.results.record" and " on " in text]
    assert booked == [{"job": f"{row.pk}:{row.attempt}"}]
    assert context.ids() == {}
