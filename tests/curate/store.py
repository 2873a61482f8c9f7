"""A small store with evidence, for tests that need a database."""

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.models import Release, Sample
from tests.factories import PROGRAM, make_sample, make_task
from tests.verifications import AT, H200, timed, verified

__all__ = ["AT", "PASSED", "failed", "frozen", "passed", "small_store"]


FIRST_PROGRAM = 1_000_040  # far from the numbers that the factories count


def passed(
    task=None, speedup: float = 2.0, device: str = H200, profile: str = "standard", **fields
) -> Sample:
    """Return a sample that passed on the device under the profile, finished at AT."""
    sample = make_sample(task, **fields)
    timed(sample, speedup, device, profile=profile)
    return sample


def failed(outcome: str = "wrong_value", task=None, device: str = H200, **fields) -> Sample:
    sample = make_sample(task, **fields)
    verified(sample, outcome, device)
    return sample


def small_store() -> None:
    """Create ten tasks with two verified CUDA kernels each, and one sample that was never verified.

    The programs are fixed, and so are the splits that PASSED draws: 12 rows in train, 4 in each other one.
    """
    for number in range(10):
        task = make_task(PROGRAM.format(number=FIRST_PROGRAM + number))
        passed(task, speedup=1 + number, language="cuda")
        passed(task, speedup=0.5, language="cuda")
    make_sample()


# The kernels of the factories are all alike: kept together, they would be in one split.
BY_TASK = {"together": "tasks", "allow_leaks": True}
PASSED = {
    "version": 1,
    "seed": 3,
    "device": "",
    "rules": [{"rule": "outcome"}],
    "splits": {"train": 60, "validation": 20, "test": 20},
    **BY_TASK,
}


def frozen(name: str = "first", definition: dict | None = None) -> Release:
    release = freeze.create(COMMAND, name=name, definition=parse(definition or PASSED), recipe_name="test")
    freeze.run_freeze(release.pk)
    release.refresh_from_db()
    return release
