"""`manage.py up` whose terminal goes away: it goes on with its log files alone, and SIGHUP stops it cleanly."""

import os
import signal
import time

import pytest

from tests.live import LiveSite

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]


class WithoutTerminal(LiveSite):
    """Nobody reads its output once it is ready: from then on the pipe is closed."""

    def _read(self) -> None:
        for line in self.process.stdout:
            self.output.append(line.rstrip())
            if "ready in" in line:
                break
        self.process.stdout.close()


def test_a_run_goes_on_when_its_terminal_is_closed_and_a_hang_up_stops_it_cleanly(tmp_path):
    with WithoutTerminal(tmp_path, CONCUR_DEMO="0") as live:
        before = live.children()
        os.kill(before["sweeper"], signal.SIGKILL)  # the supervisor says so, to nobody
        deadline = time.monotonic() + 20
        while live.children().get("sweeper") in (None, before["sweeper"]) and time.monotonic() < deadline:
            time.sleep(0.2)
        after = live.children()
        assert after["sweeper"] != before["sweeper"]
        assert after["site-1"] == before["site-1"]
        assert live.get("/healthz")
        while "Taking work" not in (tmp_path / "logs" / "sweeper.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        doctor = live.manage("doctor")
        assert doctor.returncode == 0, doctor.stderr
        assert f"site      runs on port {live.port}" in doctor.stdout
        live.process.send_signal(signal.SIGHUP)
        assert live.process.wait(timeout=30) == 0
    assert not [pid for pid in after.values() if os.path.exists(f"/proc/{pid}")]
