"""The engine versions of hosts that the site accepts, and the messages for others."""

import re

from eval_app.broker.messages.envelope import PROTOCOL
from eval_app.engine import ENGINE_VERSION

OLDEST_ENGINE = "1.1.0"  # older ones have no key, and their verdicts lack checks that this site relies on
FORM = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


def engine_refusal(version: str) -> str:
    """Return why a host with this engine is refused; empty if it is accepted."""
    match = FORM.fullmatch(version)
    if match is None:
        return (
            f"its engine's version {version[:40]!r} is invalid: install the site's version, {ENGINE_VERSION}"
        )
    if numbers(version) < numbers(OLDEST_ENGINE):
        return f"its engine is {version} and this site needs {OLDEST_ENGINE} or later: upgrade the host"
    if numbers(version) > numbers(ENGINE_VERSION):
        return (
            f"its engine is {version} and this site supports at most {ENGINE_VERSION}: upgrade the site first"
        )
    return ""


def is_other_engine(version: str) -> bool:
    """Return whether a host's engine is not of the site's version, accepted or not."""
    return version != ENGINE_VERSION


def protocol_refusal(version: int) -> str:
    """Return why messages in another version of the protocol are refused."""
    which = "the host" if version < PROTOCOL else "the site first"
    return f"its messages are in protocol {version} and this site uses {PROTOCOL}: upgrade {which}"


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as a tuple of integers."""
    return tuple(int(part) for part in version.split("."))
