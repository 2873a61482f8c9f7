"""Tests that signed envelopes open, and all others are rejected."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_app.broker.messages import envelope

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HEAD = {"purpose": "report", "host": "gpu-7", "worker": "gpu-7", "attempt": 1}
RAW = envelope.pack(KEY, HEAD, {"outcome": "passed", "detail": "größer"})


def test_what_was_packed_opens():
    head, content = envelope.unpack(RAW, KEY.public_key())
    assert content == {"outcome": "passed", "detail": "größer"}
    assert HEAD.items() <= head.items()


@settings(max_examples=400)
@given(st.integers(0, len(RAW) - 1), st.integers(1, 255))
def test_a_byte_that_was_changed_anywhere_is_refused(place, change):
    raw = bytearray(RAW)
    raw[place] ^= change
    with pytest.raises(envelope.EnvelopeError):
        envelope.unpack(bytes(raw), KEY.public_key())


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.builds(lambda cut, more: RAW[:cut] + more, st.integers(0, 200), st.binary(max_size=50)),
    )
)
def test_bytes_of_any_kind_are_refused(raw):
    if raw == RAW:
        return
    with pytest.raises(envelope.EnvelopeError):
        envelope.unpack(raw, KEY.public_key())


def test_upper_case_digits_are_no_second_form_of_a_signature():
    first, rest = RAW.split(b"\n", 1)
    shouted = b"CW1 " + first[4:].upper() + b"\n" + rest
    with pytest.raises(envelope.EnvelopeError):
        envelope.unpack(shouted, KEY.public_key())


def test_the_body_of_one_message_under_the_head_of_another_is_refused():
    head = RAW.rsplit(b"\n", 1)[0]
    with pytest.raises(envelope.EnvelopeError, match="body"):
        envelope.unpack(head + b"\n{}", KEY.public_key())


def test_a_message_that_is_too_long_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(envelope, "MAX_BODY_BYTES", 10)
    with pytest.raises(envelope.EnvelopeError, match="bytes"):
        envelope.unpack(b"x" * 5000, KEY.public_key())
    with pytest.raises(envelope.EnvelopeError, match="bytes"):
        envelope.pack(KEY, HEAD, "x" * 100)


@pytest.mark.parametrize("levels", [50, 5_000, 200_000])
def test_a_message_that_is_nested_too_deep_is_refused_though_it_is_signed(levels):
    body = b"[" * levels + b"]" * levels
    raw = envelope.seal(KEY, HEAD, body) + b"\n" + body
    with pytest.raises(envelope.EnvelopeError):
        envelope.unpack(raw, KEY.public_key())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"1" * 9000])
def test_a_signed_body_that_is_no_json_is_refused(body):
    raw = envelope.seal(KEY, HEAD, body) + b"\n" + body
    with pytest.raises(envelope.EnvelopeError):
        envelope.unpack(raw, KEY.public_key())
