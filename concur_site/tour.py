"""The tour of a new site: five steps from a cheat to a release. A page shows step N where its URL has `?tour=N`."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import Outcome, Review, Sample

RECIPE = "concur"
# Of each step: the page, the part of it to begin with, and what is to be seen there.
STEPS = [
    (
        "sample",
        "",
        "A model claimed a speedup for this kernel, and the engine refused it: the line under its name says why. "
        "Below are the program, the reasoning trace and the kernel.",
    ),
    (
        "sample",
        "evidence",
        "The evidence: where the kernel ran, what was compared with the program's own output, what was found, and how "
        "the judge timed it.",
    ),
    (
        "review-sample",
        "",
        "A person has the last word: a verdict, scores and a comment, by keyboard if you like. Press ? for the keys.",
    ),
    (
        "recipe",
        "",
        "A recipe selects samples by evidence, verdict and trace. The funnel shows what each rule leaves.",
    ),
    (
        "releases",
        "",
        "Freezing a recipe makes a release. It never changes, names the evidence behind each row, and programs "
        "download it by REST.",
    ),
]
# What to do after the tour, by the scope that it needs: the words of a link, what comes of it, the page.
ONWARD = [
    (Scope.ANNOTATE, "Review samples", "the queue gives you one after another", "review", ()),
    (Scope.ANNOTATE, "Read the guidelines", "what each score and reason means", "guidelines", ()),
    (Scope.CURATE, "Ingest a file of yours", "its kernels are verified as these were", "ingest", ()),
    (Scope.CURATE, f"Freeze the recipe {RECIPE}", "or copy it and change its rules", "recipe", (RECIPE,)),
    (Scope.ADMIN, "Invite people", "each with a role", "people", ()),
    (Scope.ADMIN, "Add a host", "CUDA kernels need one with an NVIDIA GPU", "verify-hosts", ()),
]


@dataclass(frozen=True)
class Step:
    """One step, as its page shows it."""

    number: int
    of: int
    text: str
    back: str
    next: str
    onward: list[tuple[str, str, str]]  # of the last one: words, what comes of it, URL


def start() -> str:
    """Return the URL of the first step; empty where it has nothing to show, or once somebody has reviewed."""
    sample = None if Review.objects.exists() else refused_sample()
    return "" if sample is None else url_of(1, sample)


def step(number: str, actor: Actor) -> Step | None:
    """Return the step that a page's `tour` parameter names, if there is one and this person takes the tour."""
    if not actor.may(Scope.ANNOTATE):
        return None
    sample = refused_sample() if number in {str(n) for n in range(1, len(STEPS) + 1)} else None
    if sample is None:
        return None
    here = int(number)
    return Step(
        here,
        len(STEPS),
        STEPS[here - 1][2],
        url_of(here - 1, sample) if here > 1 else "",
        url_of(here + 1, sample) if here < len(STEPS) else "",
        onward(actor) if here == len(STEPS) else [],
    )


def onward(actor: Actor) -> list[tuple[str, str, str]]:
    return [
        (words, why, reverse(page, args=arguments))
        for scope, words, why, page, arguments in ONWARD
        if actor.may(scope)
    ]


def refused_sample() -> Any:
    """Return the id of a sample in use that cheated, the first that came. A honeypot's answer is not given away."""
    cheats = Sample.objects.in_use().filter(outcome=Outcome.CHEATED, honeypot__isnull=True)
    cheats = cheats.order_by("created_at", "pk")
    return cheats.values_list("pk", flat=True).first()


def url_of(number: int, sample: Any) -> str:
    """Return the URL of a step for the sample with this id."""
    page, part, _ = STEPS[number - 1]
    arguments = {"recipe": [RECIPE], "releases": []}.get(page, [sample])
    return f"{reverse(page, args=arguments)}?{urlencode({'tour': number})}{f'#{part}' if part else ''}"
