"""Tests against real processes that forged messages in the broker's lists are dropped, and work continues."""

import json

import pytest

from eval_app.broker.celery_app import make_app
from eval_app.broker.messages.keys import inbound_list
from tests.verify import reports


def test_forged_messages_are_dropped_and_the_job_is_done_all_the_same(live_site):
    """One of the site's own tasks, an earlier version's report, a job for the hosts, and garbage."""
    (row_id,) = live_site.ask("sleep 0")
    (row,) = live_site.rows()
    forger = make_app(live_site.environment["REDIS_URL"], fixups=[])
    forger.conf.task_protocol = 2
    report = reports.passed(row["sample_id"])
    forged = [  # signed by somebody other than this site
        ("eval_app.record", [row_id, 1, report], "site"),
        ("eval_app.fill_queues", [], "site"),
        ("verify", [{"verification": row_id, "attempt": 1, "job": {"candidate": "raise"}}], "verify.cpu"),
    ]
    for task, arguments, queue in forged:
        forger.send_task(task, arguments, queue=queue)
    for place in ("site", "verify.cpu", inbound_list("gpu-7")):
        live_site.redis.rpush(place, b"garbage", json.dumps({"verification": row_id, "report": report}))
    live_site.start_site_worker()
    live_site.start_worker()
    live_site.wait_for(lambda: live_site.states() == ["wrong_value"], "the real report")
    assert live_site.runs() == [(row_id, 1)]
    (stored,) = live_site.rows()
    assert stored["worker"].startswith("gpu-7")
    live_site.wait_for(
        lambda: "Dropped the message 'eval_app.record'" in live_site.logs(),
        "the line of the forged report",
    )


@pytest.mark.long
def test_a_revoked_host_stops_and_says_why(live_site):
    live_site.run("manage.py", "host", "revoke", "gpu-7")
    live_site.start_site_worker()
    worker = live_site.start_worker()
    assert worker.wait(timeout=60) == 3
    assert "The site refuses this host: its key is revoked" in live_site.logs()


def test_a_worker_without_a_key_says_how_to_get_one(live_site):
    (live_site.folder / "host-key").unlink()
    worker = live_site.start_worker()
    assert worker.wait(timeout=60) == 2
    assert "manage.py host add NAME" in live_site.logs()


@pytest.mark.long
def test_a_worker_with_a_rotated_key_runs_nothing(live_site):
    live_site.run("manage.py", "host", "rotate", "gpu-7")
    live_site.start_site_worker()
    live_site.start_worker()
    live_site.ask("sleep 0")
    live_site.wait_for(lambda: "Its signature does not match" in live_site.logs(), "the refusal")
    assert live_site.states() == ["queued"]
    assert live_site.runs() == [], "without the site's answer it takes no job"
