"""A small store with evidence, for the tests that need a database."""

from datetime import UTC, datetime

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.models import Release, Sample
from tests.factories import make_sample, make_task

AT = datetime(2026, 5, 4, tzinfo=UTC)


def passed(task=None, speedup: float = 2.0, **fields) -> Sample:
    return make_sample(
        task, outcome="passed", measured_speedup=speedup, device="H200", verified_at=AT, **fields
    )


def small_store() -> None:
    """Ten tasks of two verified samples each, and one sample never verified."""
    for number in range(10):
        task = make_task()
        passed(task, speedup=1 + number)
        passed(task, speedup=0.5)
    make_sample()


PASSED = {
    "version": 1,
    "seed": 3,
    "rules": [{"rule": "outcome"}],
    "splits": {"train": 60, "validation": 20, "test": 20},
}


def frozen(name: str = "first", definition: dict | None = None) -> Release:
    release = freeze.create(COMMAND, name=name, definition=parse(definition or PASSED), recipe_name="test")
    freeze.run_freeze(release.pk)
    release.refresh_from_db()
    return release
