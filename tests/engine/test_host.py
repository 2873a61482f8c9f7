"""A zygote that somebody stopped meanwhile is a lost one: its lane hears so, and can be mended."""

import pytest

from eval_app.engine.host import HostLostError, ZygoteHost
from eval_app.engine.privileges import Limits
from eval_app.engine.sandbox import Sandbox

pytestmark = pytest.mark.engine


@pytest.fixture
def stopped():
    host = ZygoteHost("judge", "cpu", Sandbox(kind="none"), Limits())
    host.start()
    host.stop()
    return host


def test_asking_one_that_was_stopped_says_so(stopped):
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reap()
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reaped()
