"""How the site asks its broker: a second's patience, and none at all for a while after it stayed silent.

The rest of the site sends within `circuit.attempt()` and reads with `client()`; both raise BROKER_ERRORS. What could
not be sent waits as a row, and the sweeper sends it later. Imports settings only.
"""

from datasets_app.broker.circuit import BROKER_ERRORS, Circuit, circuit
from datasets_app.broker.client import client, is_answering

__all__ = ["BROKER_ERRORS", "Circuit", "circuit", "client", "is_answering"]
