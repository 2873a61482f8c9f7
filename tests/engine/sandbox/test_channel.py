"""Tests of the channel between processes: any bytes give a message or a named error, in bounded time."""

import json
import os
import socket
import struct
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_app.engine.contract.jobs import MAX_PROGRAM_CHARS
from eval_app.engine.sandbox.channel import (
    MAX_DEPTH,
    MAX_MESSAGE_BYTES,
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)

DEEP = b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1)


def receive_bytes(data: bytes, timeout_s: float = 1.0):
    left, right = socket.socketpair()
    left.sendall(data)
    left.close()
    channel = Channel(right)
    try:
        return channel.receive(timeout_s)
    finally:
        channel.close()


def framed(body: bytes) -> bytes:
    return struct.pack("!I", len(body)) + body


def test_a_message_arrives_as_it_was_sent():
    left, right = Channel.pair()
    left.send({"op": "item", "values": [1, 2.5, None, "ä"]})
    assert right.receive(1.0) == {"op": "item", "values": [1, 2.5, None, "ä"]}


def test_a_message_that_went_out_whole_is_no_error_however_soon_the_other_side_goes():
    left, right = Channel.pair()
    original = left._socket.sendmsg

    class GoneRightAfter:
        """A socket whose other side has read the message and closed before the call returns."""

        def sendmsg(self, *arguments):
            sent = original(*arguments)
            right.close()
            return sent

        def __getattr__(self, name):
            return getattr(socket_of_left, name)

    socket_of_left, left._socket = left._socket, GoneRightAfter()
    left.send({"op": "go"})


def test_a_descriptor_rides_along():
    left, right = Channel.pair()
    reading, writing = os.pipe()
    left.send({"op": "open"}, [writing])
    os.close(writing)
    _, descriptors = right.receive_with(1.0)
    os.write(descriptors[0], b"through")
    os.close(descriptors[0])
    assert os.read(reading, 10) == b"through"
    os.close(reading)


def test_descriptors_that_nobody_asked_for_stay_out_however_the_message_comes():
    """With part of a message they would be held until the rest comes: memory, or all that a process may open."""
    left, right = socket.socketpair()
    reading, writing = os.pipe()
    socket.send_fds(left, [framed(b'{"op":')[:6]], [writing] * 4)
    os.close(writing)
    channel = Channel(right)
    with pytest.raises(ChannelTimeoutError):
        channel.receive(0.05)
    assert os.read(reading, 1) == b"", "somebody still holds the other end"
    channel.close()
    left.close()
    os.close(reading)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "Infinity", "NaN"])
def test_a_number_that_no_message_can_pass_on_is_refused(number):
    with pytest.raises(MalformedMessageError):
        receive_bytes(framed(b'{"answers":{"x":%s}}' % number.encode()))


def test_the_longest_program_of_any_script_fits_into_a_message():
    left, right = Channel.pair()
    text = "\U0001f600" * MAX_PROGRAM_CHARS + "\ud800"
    sender = threading.Thread(target=left.send, args=[{"candidate": text}])
    sender.start()
    assert right.receive(30.0) == {"candidate": text}
    sender.join()


def test_a_side_that_does_not_read_is_a_timeout():
    left, _right = Channel.pair()
    with pytest.raises(ChannelTimeoutError):
        left.send({"text": "x" * 2**20}, timeout_s=0.05)


def test_silence_is_a_timeout():
    _left, right = Channel.pair()
    with pytest.raises(ChannelTimeoutError):
        right.receive(0.05)


def test_a_message_that_trickles_is_a_timeout():
    left, right = Channel.pair()
    left._socket.sendall(struct.pack("!I", 100) + b"{")
    with pytest.raises(ChannelTimeoutError):
        right.receive(0.05)


def test_a_side_that_hangs_up_is_told_apart_from_silence():
    left, right = Channel.pair()
    left.close()
    with pytest.raises(ChannelClosedError):
        right.receive(1.0)


def test_a_message_over_the_cap_is_refused_before_it_is_read():
    with pytest.raises(MalformedMessageError, match="announced"):
        receive_bytes(struct.pack("!I", MAX_MESSAGE_BYTES + 1))


@pytest.mark.parametrize(
    "body", [b"[]", b"1", b"nonsense", b'{"a": NaN}', b'{"a": Infinity}', b"[" * 100_000, b"\xff", DEEP]
)
def test_what_is_no_message_is_malformed(body):
    with pytest.raises(MalformedMessageError):
        receive_bytes(framed(body))


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_or_a_named_error(data):
    try:
        assert isinstance(receive_bytes(data), dict)
    except (ChannelClosedError, MalformedMessageError):
        return


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_body_gives_a_message_or_a_named_error(body):
    try:
        assert receive_bytes(framed(body)) == json.loads(body)
    except MalformedMessageError:
        return


def test_an_answer_to_a_side_that_leaves_as_soon_as_it_has_it_is_no_error():
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)

    class Leaving:
        """Our end of a pair whose other side closes as soon as the whole message is sent."""

        settimeout, sendall = mine.settimeout, mine.sendall

        def sendmsg(self, *arguments):
            sent = mine.sendmsg(*arguments)
            theirs.close()
            return sent

    Channel(Leaving()).send({"answer": 1})
    mine.close()
