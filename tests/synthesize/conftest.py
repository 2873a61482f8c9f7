"""Tasks, a model's endpoint, and the shortest way to a synthesis."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Task
from datasets_app.synthesize import asking
from datasets_app.synthesize.loops import LoopPlan, start_loop
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.verbs import Plan, start
from tests.factories import make_task
from tests.synthesize.model_server import model_server

KEY = "sk-a-key-that-nobody-may-see"


@pytest.fixture
def server(settings, monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT_S", 0.01)
    with model_server() as running:
        settings.ENDPOINTS = {"local": running.url}
        settings.ENDPOINT_KEYS = {"local": KEY}
        yield running


@pytest.fixture
def begun(server, db):
    """Return a function that starts a synthesis of so many tasks."""

    def begin(tasks=2, **plan):
        made = [make_task() for _ in range(tasks)]
        given = {
            "name": "first",
            "endpoint": "local",
            "model": "maker/model-7b",
            "seed": 100,
            "at_once": 4,
        } | plan
        wanted = Task.objects.filter(pk__in=[task.pk for task in made])
        return start(Plan(**given), wanted, COMMAND, in_background=False)

    return begin


@pytest.fixture
def ended(begun):
    """Return a function that starts a synthesis and runs it to its end."""

    def run(tasks=2, **plan):
        synthesis = begun(tasks, **plan)
        run_synthesis(synthesis.pk)
        synthesis.refresh_from_db()
        return synthesis

    return run


@pytest.fixture
def looped(ended):
    """Return a function that runs a first turn and starts its loop."""

    def start(tasks=2, first=None, **plan):
        synthesis = ended(tasks, **(first or {}))
        return start_loop(LoopPlan(**plan), synthesis, COMMAND, in_background=False)

    return start
