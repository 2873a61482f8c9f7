"""Tests the whole path with the real engine in its sandbox: requested, killed midway, finished once."""

import json
import signal

import pytest

from tests.factories import KERNEL
from tests.verify.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.engine
SELFTEST_SECONDS = 420  # the self-test builds and times; a busy machine may need several tries

# Correct and slow, so that a test can kill its worker midway. The factory's programs add 2, then 4.
SLOW = KERNEL.replace("import torch\n", "import time\n\nimport torch\n", 1).replace(
    "        return", "        time.sleep(0.1)\n        return"
)


def ready(site):
    return lambda: [row for row in site.rows("eval_app_worker") if row["state"] == "ready"]


# Two self-tests of real workers; tests/verify/test_processes.py has the same with a stand-in for the engine.
@pytest.mark.long
def test_a_verification_whose_worker_is_killed_is_finished_by_the_next_worker_once(live_site):
    live_site.ask(SLOW.format(number=2))  # before there is a worker: it starts as soon as one accepts jobs
    live_site.start_site_worker()
    first = live_site.start_engine_worker()
    live_site.wait_for(
        lambda: [row for row in live_site.rows() if row["stage"] == "correctness"],
        "the middle of the verification",
        SELFTEST_SECONDS,
    )
    first.send_signal(signal.SIGKILL)
    first.wait()
    live_site.start_engine_worker()
    live_site.wait_for(lambda: live_site.rows()[0]["state"] == "done", "its end", SELFTEST_SECONDS)
    (row,) = live_site.rows()
    assert (row["outcome"], row["attempt"], row["lost"]) == ("passed", 2, 1), row["detail"]
    assert len(live_site.rows("datasets_app_verificationreport")) == 1


@pytest.mark.long
def test_a_stopped_worker_gives_its_verification_back_and_leaves_no_process(live_site):
    live_site.start_site_worker()
    worker = live_site.start_engine_worker()
    live_site.wait_for(ready(live_site), "the self-test", SELFTEST_SECONDS)
    live_site.ask(SLOW.format(number=2))
    live_site.wait_for(lambda: live_site.states() == ["running"], "its start")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    live_site.wait_for(lambda: live_site.states() == ["queued"], "its return")
    assert live_site.rows()[0]["lost"] == 0
    assert live_site.rows("eval_app_worker")[0]["state"] == "stopped"


@pytest.mark.long
def test_the_command_verifies_in_its_own_process_where_no_worker_runs(live_site):
    live_site.ask(KERNEL.format(number=2), KERNEL.format(number=4).replace("min=0", "min=1"))
    out = live_site.run("manage.py", "verify", "--all", "--device", "cpu", "--wait")
    assert json.loads(out.splitlines()[-1]) == {"passed": 1, "wrong_value": 1}
