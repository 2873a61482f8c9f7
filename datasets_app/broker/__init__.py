"""The site's connection to its broker: a timeout of one second, and no attempts for a while after a failure.

The rest of the site sends within `circuit.attempt()` and reads with `client()`; both raise BROKER_ERRORS. Work that
could not be sent stays queued as a row, and the sweeper sends it later. This package imports settings only.
"""

from datasets_app.broker.circuit import BROKER_ERRORS, Circuit, NotAskedError, circuit
from datasets_app.broker.client import client, is_answering

__all__ = ["BROKER_ERRORS", "Circuit", "NotAskedError", "circuit", "client", "is_answering"]
