"""Words that the store knows, for rules that take a list of them."""

from collections.abc import Callable, Iterable

from datasets_app.curate.rules.provenance import NO_LICENCE
from datasets_app.models import Finding, Sample, Source, Tag, Task
from datasets_app.models.admission_codes import MEANINGS
from datasets_app.models.licence import parts

MOST = 200


def licences() -> Iterable[str]:
    of_sources = Source.objects.order_by("licence").values_list("licence", flat=True).distinct()[:MOST]
    of_programs = Task.objects.exclude(own_licence="").values_list("own_licence", flat=True)
    declared = [*of_sources, *of_programs.order_by("own_licence").distinct()[:MOST]]
    return (part for licence in declared for part in parts(licence) or [NO_LICENCE])


def suites() -> Iterable[str]:
    rows = Task.objects.exclude(suite="").order_by("suite", "level").values_list("suite", "level").distinct()
    for suite, level in rows[:MOST]:
        yield suite
        if level is not None:
            yield f"{suite}/{level}"


def words(column: str) -> Callable[[], Iterable[str]]:
    """Return a query for the distinct words in a column of samples."""
    values = Sample.objects.exclude(**{column: ""}).order_by(column).values_list(column, flat=True)
    return lambda: values.distinct()[:MOST]


LISTS: dict[str, Callable[[], Iterable[str]]] = {
    "sources": lambda: Source.objects.order_by("name").values_list("name", flat=True)[:MOST],
    "licences": licences,
    "generators": words("generator"),
    "tokenizers": words("tokenizer"),
    "findings": lambda: Finding.objects.order_by("code").values_list("code", flat=True).distinct()[:MOST],
    "suites": suites,
    "task_findings": lambda: MEANINGS,
    "tags": lambda: Tag.objects.values_list("name", flat=True)[:MOST],
}


def names(which: str) -> list[str]:
    """Return the list called `which`, each word once."""
    return list(dict.fromkeys(LISTS[which]()))
