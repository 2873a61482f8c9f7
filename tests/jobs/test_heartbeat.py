"""Tests of the thread that renews a lease while the work goes on."""

import threading

from django.db import OperationalError

from datasets_app.jobs import heartbeat, job_row
from datasets_app.models import Release


def test_a_fault_of_the_database_costs_one_renewal_and_a_lost_lease_ends_them(monkeypatch):
    answers = [OperationalError("database is locked"), None, job_row.LeaseLostError("of another worker")]

    def renew(row):
        if error := answers.pop(0):
            raise error

    monkeypatch.setattr(job_row, "renew", renew)
    monkeypatch.setattr(heartbeat, "interval_seconds", lambda: 0)
    heartbeat.renew_until(Release(name="r"), threading.Event())
    assert not answers
