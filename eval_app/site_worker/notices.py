"""The site's signed answer to an announcement: refused with the reason, or which queues the worker serves and whether
its host is held. Addressed to one process of the host."""

import logging
from collections.abc import Sequence
from typing import Any

from datasets_app.broker import BROKER_ERRORS, client
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import notice_key
from eval_app.engine import ENGINE_VERSION
from eval_app.workers import site_key

log = logging.getLogger(__name__)
KEPT_SECONDS = 60


def send_notice(
    host: str, head: dict[str, Any], refusal: str, queues: Sequence[str] = (), hold: str = ""
) -> None:
    """Store the answer where the worker reads it. If the broker is down, the host only logs a warning."""
    session, label = str(head.get("session", ""))[:64], str(head["worker"])
    notice = {"purpose": "notice", "host": host, "worker": label, "session": session}
    content = {"refusal": refusal, "queues": list(queues), "hold": hold, "engine": ENGINE_VERSION}
    raw = envelope.pack(site_key.signing_key(), notice, content)
    try:
        client().set(notice_key(host, label), raw, ex=KEPT_SECONDS)
    except BROKER_ERRORS as error:
        log.warning("Could not answer %s: %s", host, error)
