"""Options of the commands that work on a set of tasks."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from datasets_app.models.task import TaskQuerySet
from datasets_app.synthesize.verbs import tasks_of


def add_task_options(parser: CommandParser) -> None:
    parser.add_argument("--suite", default="", help="tasks of this suite; default: all tasks")
    parser.add_argument("--level", type=int, default=None)
    parser.add_argument("--words", default="", help="tasks whose name or program holds these words")


def chosen_tasks(options: Mapping[str, Any], limit: int | None = None) -> TaskQuerySet:
    """Return the tasks that the options choose, or the first of them by name."""
    return tasks_of(options["suite"], options["level"], options["words"], limit)
