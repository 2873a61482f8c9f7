"""Tests of `manage.py up` without a terminal: it continues with its log files; SIGHUP stops it cleanly."""

import os
import signal

import pytest

from tests.live import PATIENCE_SECONDS, LiveSite, wait_until

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]


class WithoutTerminal(LiveSite):
    """A run whose output is no longer read once it is ready: from then on the pipe is closed."""

    def _read(self) -> None:
        for line in self.process.stdout:
            self.output.append(line.rstrip())
            if "ready in" in line:
                break
        self.process.stdout.close()


@pytest.fixture
def hang_up_is_not_ignored():
    """Restore SIGHUP's default action, which programs under nohup inherit as ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.long
@pytest.mark.usefixtures("hang_up_is_not_ignored")
def test_a_run_goes_on_when_its_terminal_is_closed_and_a_hang_up_stops_it_cleanly(tmp_path):
    with WithoutTerminal(tmp_path, CONCUR_DEMO="0") as live:
        before = live.children()
        os.kill(before["sweeper"], signal.SIGKILL)  # the supervisor's message about it has no reader
        wait_until(lambda: live.children().get("sweeper") not in (None, before["sweeper"]), "its successor")
        after = live.children()
        assert after["site-1"] == before["site-1"]
        assert live.get("/healthz")
        wait_until(lambda: "Taking work" in (tmp_path / "logs" / "sweeper.log").read_text(), "its start")
        doctor = live.manage("doctor")
        assert doctor.returncode == 0, doctor.stderr
        assert f"site      runs on port {live.port}" in doctor.stdout
        live.process.send_signal(signal.SIGHUP)
        assert live.process.wait(timeout=PATIENCE_SECONDS) == 0
    assert not [pid for pid in after.values() if os.path.exists(f"/proc/{pid}")]
