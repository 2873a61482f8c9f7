"""Tests of the frames between a process and its child."""

import socket

from datasets_app.bounded.messages import receive, send


def test_a_frame_arrives_whole():
    here, there = socket.socketpair()
    with here, there:
        send(here, b"a request")
        assert receive(there) == b"a request"


def test_the_other_side_may_end_before_it_has_read_everything():
    """A site process that ends on an error leaves its child's answer unread; the child ends without a traceback."""
    here, there = socket.socketpair()
    with there:
        send(there, b"an answer")
        here.close()
        assert receive(there) == b""
