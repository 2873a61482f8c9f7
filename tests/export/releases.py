"""Releases for the tests of files."""

from datasets_app.models import Release
from datasets_app.review import notes
from tests.curate.store import failed, frozen, passed
from tests.factories import acting, make_task, make_user

ALL_TRAIN = {"version": 1, "rules": []}


def release_for_every_format() -> Release:
    """Return a release in which every format has something: tasks, a slow kernel, a cheat, a note on a fault, two
    turns."""
    task = make_task()
    fast = passed(task, speedup=3.0)
    passed(task, speedup=1.0)
    failed("cheated", task=task)
    first = failed("wrong_value")
    passed(first.task, parent=first, turn=1)
    notes.create_note(fast, acting(make_user("annotator")), [notes.Place("trace", 0, 4)], "redundant")
    return frozen(definition=ALL_TRAIN)
