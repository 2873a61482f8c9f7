"""Tests of the end of a server: whoever tells it to stop may come too late."""

import os
import select

from tests.site.server.running import page, serving, wait_until


def test_a_server_that_has_ended_writes_to_no_descriptor():
    with serving(page) as site:
        pass
    reader, writer = os.pipe()
    try:
        site.server.trigger.trigger = writer  # as when another file has been given the closed number
        site.server.stop()
        assert select.select([reader], [], [], 0)[0] == []
    finally:
        os.close(reader)
        os.close(writer)


def test_a_server_may_be_told_to_stop_when_it_has_just_ended():
    """The loop may see `stopping` and end before `stop` wakes it."""
    with serving(page) as site:
        site.server.stopping = True
        site.server.pull_trigger()
        wait_until(lambda: site.server.ended, "the end of the loop")
