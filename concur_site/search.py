"""Search of everything that has a page: /search/?q= finds it by name, by id, or by the words of its meaning.

Texts of programs, traces and kernels are the query line's business (browse); the page offers the same words there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.fields import quote
from datasets_app.browse.query.typed import as_filters
from datasets_app.models import Recipe, Release, ReviewQueue, Sample, Tag, Task
from datasets_app.text_input.storable import storable
from eval_app.pages import meanings
from eval_app.pages.labels import Meaning

MOST = 8  # results of a group
LONGEST = 200  # characters; the rest of a longer text is not searched
HEX_DIGITS = 32
ID_PREFIX = re.compile(r"[0-9a-f]{4,32}")


@dataclass(frozen=True)
class Result:
    name: str
    url: str
    detail: str = ""
    state: str = ""  # an outcome, shown as everywhere


@dataclass(frozen=True)
class ResultGroup:
    title: str
    results: list[Result] = field(default_factory=list)
    is_cut: bool = False  # there are more


@require(Scope.READ)
def page(request: HttpRequest) -> HttpResponse:
    """Show what the text in `q` finds, by kind; without a text, what can be searched."""
    given = storable(request.GET.get("q", "")).strip()
    text = given[:LONGEST]
    context = {
        "q": text,
        "is_cut": len(given) > LONGEST,
        "longest": LONGEST,
        "groups": found(text, actor_of(request)) if text else [],
        "as_filters": as_filters(text),
        "in_texts": f"{reverse('browse')}?{urlencode({'query': quote(text)})}" if text else "",
    }
    return render(request, "search.html", context)


def found(text: str, actor: Actor) -> list[ResultGroup]:
    """Return the groups that have results, each of at most MOST; a fixed number of queries."""
    first, last = id_range(text)
    in_range = Q(pk__range=(first, last)) if first else None
    releases = readable_releases(actor).filter(named(text, "title")).defer("definition", "funnel", "counts")
    groups = [
        group("Samples", map(of_sample, samples(in_range))),
        group("Tasks", map(of_task, tasks(text, in_range))),
        group("Releases", map(of_release, releases[: MOST + 1])),
        group("Recipes", map(of_recipe, Recipe.objects.filter(named(text, "title"))[: MOST + 1])),
        group("Queues", map(of_queue, readable_queues(actor).filter(named(text))[: MOST + 1])),
        group("Tags", map(of_tag, Tag.objects.filter(named(text))[: MOST + 1])),
        group("Outcomes and findings", of_meanings(text)),
    ]
    return [one for one in groups if one.results]


def group(title: str, results: Iterable[Result]) -> ResultGroup:
    rows = list(results)
    return ResultGroup(title, rows[:MOST], len(rows) > MOST)


def named(text: str, *fields: str) -> Q:
    """Return the condition that the name, or one of the fields, contains the text in any case."""
    condition = Q(name__icontains=text)
    for name in fields:
        condition |= Q(**{f"{name}__icontains": text})
    return condition


def id_range(text: str) -> tuple[UUID | None, UUID | None]:
    """Return the first and the last id that begin with the text; None if it is no beginning of an id.

    Four digits at least: fewer would find every sixteenth sample, and words such as "add".
    """
    digits = text.lower().replace("-", "")
    if not ID_PREFIX.fullmatch(digits):
        return None, None
    return UUID(digits.ljust(HEX_DIGITS, "0")), UUID(digits.ljust(HEX_DIGITS, "f"))


def samples(in_range: Q | None) -> QuerySet[Sample]:
    if in_range is None:
        return Sample.objects.none()
    return Sample.objects.for_list().filter(in_range).order_by("pk")[: MOST + 1]


def tasks(text: str, in_range: Q | None) -> QuerySet[Task]:
    by_name = named(text)
    rows = Task.objects.filter(by_name | in_range if in_range else by_name)
    return rows.defer("admission").order_by("name", "pk")[: MOST + 1]


def readable_queues(actor: Actor) -> QuerySet[ReviewQueue]:
    """Return the queues whose page the actor may read: readers none, annotators those that were opened."""
    if actor.may(Scope.CURATE):
        return ReviewQueue.objects.all()
    if actor.may(Scope.ANNOTATE):
        return ReviewQueue.objects.filter(opened_at__isnull=False)
    return ReviewQueue.objects.none()


# --- Results ------------------------------------------------------------------------------------------


def of_sample(sample: Sample) -> Result:
    detail = f"{sample.pk} · {sample.generator or 'unknown generator'}, {sample.get_language_display()}"
    return Result(sample.task.name, sample.get_absolute_url(), detail, sample.outcome)


def of_task(task: Task) -> Result:
    return Result(task.name, reverse("task", args=[task.pk]), " ".join(filter(None, [task.kind, task.suite])))


def of_release(release: Release) -> Result:
    rows = f"{release.row_count:,} rows" if release.state == "done" else release.state
    return Result(release.name, release.get_absolute_url(), f"{rows} {release.title}".strip())


def of_recipe(recipe: Recipe) -> Result:
    return Result(recipe.name, reverse("recipe", args=[recipe.name]), recipe.title)


def of_queue(queue: ReviewQueue) -> Result:
    return Result(queue.name, queue.get_absolute_url(), queue.state)


def of_tag(tag: Tag) -> Result:
    return Result(tag.name, f"{reverse('browse')}?{urlencode({'tag': tag.name})}", "samples with this tag")


def of_meanings(text: str) -> Iterator[Result]:
    """Yield the outcomes, findings and labels whose code or meaning contains all words, codes first."""
    words = text.lower().replace("_", " ").split()
    known = [*meanings_of(meanings.OUTCOMES), *meanings_of(meanings.FINDINGS), *meanings_of(meanings.LABELS)]
    in_codes = [one for one in known if all(word in one[0].replace("_", " ") for word in words)]
    in_words = [
        one for one in known if one not in in_codes and all(word in one[1].says.lower() for word in words)
    ]
    for code, meaning in [*in_codes, *in_words][: MOST + 1]:
        yield Result(code, f"{reverse('verify-findings')}#{code}", meaning.says)


def meanings_of(table: Mapping[Any, Meaning]) -> list[tuple[str, Meaning]]:
    return [(str(code), meaning) for code, meaning in table.items()]
