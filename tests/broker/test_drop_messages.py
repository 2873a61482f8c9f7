"""Tests of marking messages as finished while the broker is away."""

import logging

from datasets_app.broker import circuit
from eval_app.attempts.drop_messages import drop_messages


def test_a_run_of_many_rows_without_a_broker_is_warned_once(settings, tmp_path, caplog):
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"
    circuit.reset()
    with caplog.at_level(logging.WARNING):
        for number in range(5):
            drop_messages(number, 1)
    circuit.reset()
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "Could not mark messages as finished"
    ]
