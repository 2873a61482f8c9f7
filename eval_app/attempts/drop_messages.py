"""Messages that no longer count: workers drop those whose lock is marked as finished."""

import logging
from collections.abc import Iterable

from datasets_app.broker import BROKER_ERRORS, NotAskedError, circuit, client
from eval_app.broker.message_locks import finish_all

log = logging.getLogger(__name__)


def drop_messages(verification_id: object, attempts: int) -> None:
    """Have workers drop the messages of a row's first `attempts` attempts; a message may be in a queue for weeks."""
    drop_messages_of([(verification_id, attempts)])


def drop_messages_of(rows: Iterable[tuple[object, int]]) -> None:
    """Do the same for many rows, each with its number of attempts. If the broker is down, only log one warning."""
    try:
        with circuit.attempt():
            numbered = [(pk, attempt) for pk, attempts in rows for attempt in range(1, attempts + 1)]
            finish_all(client(), numbered)
    except NotAskedError:  # a run without a broker would repeat the warning for every row
        log.debug("Messages were not marked as finished: the broker did not answer some seconds ago")
    except BROKER_ERRORS as error:
        log.warning("Could not mark messages as finished: %s", error)
