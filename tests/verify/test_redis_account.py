"""Tests of a host's account in a real Redis: it allows a whole job, and nothing else."""

import pytest
import redis

from eval_app.broker.messages import acl
from eval_app.broker.messages.keys import inbound_list, notice_key
from tests.redis_server import running_redis
from tests.verify.processes import LiveSite

PASSWORD = "a-long-password"


@pytest.fixture
def limited(live_site):
    """Return the address of the live site's Redis for an account of the host gpu-7 that may serve the CPU."""
    set_account, _ = acl.acl_lines("gpu-7", ["cpu"], PASSWORD)
    live_site.redis.execute_command(*set_account.split(" "))
    return set_account


def address(live_site):
    socket = live_site.environment["REDIS_URL"].removeprefix("unix://")
    return f"unix://{acl.account('gpu-7')}:{PASSWORD}@{socket}"


def test_a_whole_job_passes_through_the_account(live_site, limited):
    live_site.environment["CONCUR_LEASE_SECONDS"] = "60"  # even if a busy machine delays a heartbeat
    live_site.start_site_worker()
    live_site.start_worker(redis_url=address(live_site))
    asked = live_site.ask("sleep 0", "sleep 0.1")
    live_site.wait_for(lambda: live_site.states() == ["wrong_value"] * 2, "both reports")
    assert len(live_site.runs()) == 2
    for row_id in asked:
        live_site.wait_for(
            lambda job=f"job={row_id}:1": live_site.programs_that_logged(job) == {"site", "worker"},
            "one id of the job in the log of the host, and in the site's when its report is stored",
        )
    assert all(row["worker"].startswith("gpu-7") for row in live_site.rows())
    assert "NOPERM" not in live_site.logs().upper()
    assert "NO PERMISSIONS" not in live_site.logs().upper()


@pytest.fixture(scope="module")
def account():
    with running_redis() as url:
        server = redis.Redis.from_url(url)
        server.execute_command(*acl.acl_lines("gpu-7", ["cpu"], PASSWORD)[0].split(" "))
        socket = url.removeprefix("unix://")
        yield redis.Redis.from_url(f"unix://{acl.account('gpu-7')}:{PASSWORD}@{socket}")


@pytest.mark.parametrize(
    "command",
    [
        "FLUSHALL",
        "FLUSHDB",
        "CONFIG GET dir",
        "KEYS *",
        "SCAN 0",
        "EVAL x 0",
        "FUNCTION LIST",
        "SCRIPT FLUSH",
        "ACL LIST",
        "MONITOR",
        "SHUTDOWN",
        "DEBUG SLEEP 1",
        "CLIENT KILL TYPE normal",
        "SUBSCRIBE x",
        "PUBLISH x y",
        "BRPOP site 1",
        "LPUSH site x",
        "BRPOP verify.cuda 1",
        "LPUSH verify.cpu x",
        "LRANGE verify.cpu 0 -1",
        "DEL verify.cpu",
        "SET verify.cpu x",
        f"BRPOP {inbound_list('gpu-7')} 1",
        f"LPUSH {inbound_list('gpu-8')} x",
        f"BRPOP {inbound_list('gpu-8')} 1",
        f"SET {notice_key('gpu-7', 'gpu-7')} x",
        f"GET {notice_key('gpu-8', 'gpu-8')}",
        "DEL concur:claim:a:1",
        "SADD _kombu.binding.site x",
        "HGETALL unacked",
    ],
)
def test_the_account_may_do_nothing_else(account, command):
    with pytest.raises(redis.ResponseError, match=r"(?i)permission|unknown command"):
        account.execute_command(*command.split(" "))


def test_a_site_and_a_worker_run_on_a_redis_without_the_dangerous_commands(tmp_path, migrated):
    """As `make run` starts its own: no Lua, no CONFIG, no command that flushes."""
    import shutil

    shutil.copytree(migrated, tmp_path / "data")
    with running_redis(kept=frozenset()) as url:
        for command in ("EVAL x 0", "CONFIG GET dir", "FLUSHALL", "KEYS *", "DEBUG SLEEP 0"):
            with pytest.raises(redis.ResponseError, match="unknown command"):
                redis.Redis.from_url(url).execute_command(*command.split(" "))
        site = LiveSite(tmp_path / "data", url)
        try:
            site.start_site_worker()
            site.start_worker()
            site.ask("sleep 0")
            site.wait_for(lambda: site.states() == ["wrong_value"], "the report")
        finally:
            site.stop()
