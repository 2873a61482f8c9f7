"""The filters of a list of tasks: those of the list of samples that concern the task."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.db.models import Q

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.fields import NONE
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.negated import Negated, positive
from datasets_app.models import Operator, Task, TaskFinding, TaskSetMember
from datasets_app.models.task import TaskQuerySet


def named(text: str) -> Q:
    try:
        return Q(pk=UUID(text))
    except ValueError:
        return Q(name__icontains=text)


TASK_FILTERS: dict[str, Callable[[str], Q]] = {
    "kind": lambda text: Q(kind=text),
    "task": named,
    "suite": lambda text: Q(suite="" if text == NONE else text),
    "level": lambda text: Q(level__isnull=True) if text == NONE else Q(level=int(text)),
    "task_set": lambda text: Q(pk__in=TaskSetMember.objects.of_set(text)),
    "operator": lambda text: Q(
        pk__in=Operator.tasks.through.objects.filter(operator__name=text).values("task")
    ),
    "task_finding": lambda text: Q(pk__in=TaskFinding.objects.filter(code=text).order_by().values("task")),
    "source": lambda text: Q(source__name=text),
    "q": lambda text: Q(),
}


def filtered_tasks(params: Mapping[str, object]) -> TaskQuerySet:
    """Return the matching tasks, unordered. Raises BrowseError, also for filters that apply to samples only."""
    chosen = BrowseFilter.from_params(params)
    errors = {
        field.name: [
            f"{field.name} filters samples, not tasks; filters of tasks are {', '.join(TASK_FILTERS)}."
        ]
        for field, _ in chosen
        if positive(field.name) not in TASK_FILTERS
    }
    if errors:
        raise BrowseError(errors)
    tasks = Task.objects.order_by()
    for field, values in chosen:
        asked = Q(pk__in=[])
        for value in values:
            asked |= condition(positive(field.name), value)
        tasks = tasks.filter(~asked if isinstance(field, Negated) else asked)
    return tasks


def condition(name: str, value: str) -> Q:
    if name == "q":
        return Q(pk__in=Task.objects.search(value).order_by().values("pk"))
    return TASK_FILTERS[name](value)
