"""Tests with real workers, Redis and files: requested work is done once, whichever process dies meanwhile."""

import signal

import pytest

from tests.verify.processes import PATIENCE_SECONDS


def finished(site, count=1):
    return lambda: len([row for row in site.rows() if row["state"] == "done"]) == count


def running(site):
    return lambda: [row for row in site.rows() if row["state"] == "running"]


def ready(site):
    return lambda: [row for row in site.rows("eval_app_worker") if row["state"] == "ready"]


@pytest.mark.long  # test_redis_account.py sees the same through a host's own account
def test_a_worker_verifies_what_was_asked_for_and_the_site_records_it(live_site):
    live_site.environment["CONCUR_LEASE_SECONDS"] = "60"  # even if a busy machine delays a heartbeat
    live_site.start_site_worker()
    live_site.start_worker()
    asked = live_site.ask("sleep 0", "sleep 0.1", "sleep 0.2")
    live_site.wait_for(finished(live_site, 3), "three verifications")
    assert live_site.states() == ["wrong_value"] * 3
    assert len(live_site.runs()) == 3
    for row_id in asked:
        live_site.wait_for(
            lambda job=f"job={row_id}:1": live_site.programs_that_logged(job) == {"site", "worker"},
            "one id of the job in the log of the host, and in the site's when its report is stored",
        )


def test_a_killed_workers_verification_is_finished_by_the_next_worker_once(live_site):
    live_site.start_site_worker()
    first = live_site.start_worker()
    live_site.wait_for(ready(live_site), "the first worker's announcement")
    (row_id,) = live_site.ask("stall")
    live_site.wait_for(running(live_site), "the row's lease")
    first.kill()
    first.wait()
    live_site.start_worker()
    live_site.wait_for(finished(live_site), "the second worker's report")
    (row,) = live_site.rows()
    assert live_site.runs() == [(row_id, 1), (row_id, 2)]
    assert (row["attempt"], row["lost"]) == (2, 1)
    assert len(live_site.rows("datasets_app_verificationreport")) == 1


def test_a_stopped_worker_gives_its_verification_back_and_does_not_wait_for_its_end(live_site):
    live_site.start_site_worker()
    worker = live_site.start_worker()
    live_site.ask("sleep 600")
    live_site.wait_for(running(live_site), "the row's lease")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    (row,) = live_site.wait_for(
        lambda: [row for row in live_site.rows() if row["state"] == "queued"], "the row's return"
    )
    assert row["attempt"] >= 2, "a worker that still reads its queue gives back what is sent again"
    assert row["lost"] == 0


@pytest.mark.long
def test_a_flushed_broker_loses_nothing_that_waits(live_site):
    live_site.ask("sleep 0", "sleep 0.1")
    live_site.redis.flushall()
    live_site.start_site_worker()
    live_site.start_worker()
    live_site.wait_for(finished(live_site, 2), "both verifications")
    assert len(live_site.runs()) == 2


def test_a_broker_flushed_in_the_middle_of_a_verification_loses_nothing(live_site):
    live_site.start_site_worker()
    live_site.start_worker()
    live_site.ask("sleep 3")
    live_site.wait_for(running(live_site), "the row's lease")
    live_site.redis.flushall()
    live_site.wait_for(finished(live_site), "the verification")
    assert len(live_site.rows("datasets_app_verificationreport")) == 1


def test_a_broker_that_refuses_work_for_a_while_ends_no_process(live_site):
    """As a Redis does when its disk is full; the test uses another rule with the same kind of answer."""
    site_worker, worker = live_site.start_site_worker(), live_site.start_worker()
    live_site.wait_for(lambda: live_site.logs().count("Taking work") == 2, "their start")
    live_site.redis.config_set("min-replicas-to-write", 1)
    live_site.wait_for(lambda: live_site.logs().count("NOREPLICAS") > 2, "its refusals")
    live_site.ask("sleep 0")
    live_site.redis.config_set("min-replicas-to-write", 0)
    live_site.wait_for(finished(live_site), "the verification")
    assert (site_worker.poll(), worker.poll()) == (None, None)


def test_a_worker_that_fails_its_self_test_takes_no_job(live_site):
    live_site.start_site_worker()
    live_site.start_worker("--sick")
    live_site.ask("sleep 0")
    (worker,) = live_site.wait_for(
        lambda: [row for row in live_site.rows("eval_app_worker") if row["state"] == "unhealthy"],
        "its announcement",
    )
    assert "known-bad kernel passed" in worker["health_detail"]
    assert live_site.runs() == []
    assert live_site.states() == ["queued"]


def test_the_site_worker_stops_cleanly(live_site):
    site_worker = live_site.start_site_worker()
    live_site.wait_for(lambda: "Taking work" in live_site.logs(), "its start")
    site_worker.send_signal(signal.SIGTERM)
    assert site_worker.wait(timeout=PATIENCE_SECONDS) == 0


@pytest.mark.long
def test_more_than_the_window_are_all_recorded_once_though_worker_site_and_broker_die_meanwhile(live_site):
    """A verification that ran but was not recorded when the broker was flushed is run again."""
    live_site.ask(*["sleep 0"] * 20, *["sleep 0.01"] * 230)
    site_worker, worker = live_site.start_site_worker(), live_site.start_worker()
    live_site.wait_for(lambda: len(live_site.runs()) > 20, "the first of them")
    for process in (worker, site_worker):
        process.kill()
        process.wait()
    live_site.redis.flushall()
    live_site.start_site_worker()
    live_site.start_worker()
    live_site.wait_for(finished(live_site, 250), "all of them")
    assert len(live_site.rows("datasets_app_verificationreport")) == 250
