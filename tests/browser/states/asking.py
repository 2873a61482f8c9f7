"""Syntheses of the filled site: one under way, and one that ran out of its budget with answers that hold no kernel."""

from django.db.models import F

from datasets_app.models import Candidate, Source, Synthesis, Task
from datasets_app.synthesize.templates import template_named
from tests.factories import make_sample
from tests.verifications import H200, timed

REFUSED = [
    ("no_code_block", "it has no code block", "I would fuse both loops and keep the row in registers."),
    (
        "two_model_new",
        "2 of its code blocks define a class ModelNew",
        "```python\nclass ModelNew: ...\n```\n" * 2,
    ),
    ("truncated", "the answer ended at 16,384 tokens, before the model did", "Let me think. " * 800),
]


def ask_all() -> dict[str, str]:
    """Return the addresses of the syntheses' pages by name."""
    tasks = list(Task.objects.order_by("name", "pk")[:12])
    at_work = add("kevin-32b at 0.6", tasks, state="running")
    Candidate.objects.filter(synthesis=at_work, number=0).update(
        state="stored", prompt_tokens=812, answer_tokens=6_204, tries=F("tries") + 1
    )
    ended = add(
        "a-model-with-a-long-name-as-hubs-have-them at 1.0", tasks, state="done", most_tokens=50_000,
        stopped="50,412 tokens were used, and 50,000 are allowed. Allow more, and it goes on.",
    )  # fmt: skip
    waiting = Candidate.objects.filter(synthesis=ended).order_by("pk")
    for candidate, (reason, detail, answer) in zip(waiting, REFUSED, strict=False):
        Candidate.objects.filter(pk=candidate.pk).update(
            state="refused", reason=reason, detail=detail, answer=answer, tries=1
        )
    kernel = make_sample(tasks[5], source=ended.source, generator=ended.model)
    timed(kernel, 1.7, H200)
    Candidate.objects.filter(synthesis=ended, task=tasks[5], number=0).update(
        state="stored", sample=kernel, tries=1
    )
    return {"synthesis": at_work.get_absolute_url(), "synthesis ended": ended.get_absolute_url()}


def add(name: str, tasks: list[Task], **fields: object) -> Synthesis:
    template = template_named("zero-shot")
    source, _ = Source.objects.get_or_create(name=name)
    synthesis = Synthesis.objects.create(
        name=name, endpoint="local", model="cognition-ai/Kevin-32B", template=template.label,
        messages=template.messages,
        sampling={"temperature": 0.6, "max_tokens": 16_384}, per_task=2, seed=7, at_once=8, source=source, **fields,
    )  # fmt: skip
    Candidate.objects.bulk_create(
        Candidate(synthesis=synthesis, task=task, number=number, trajectory=number)
        for number in range(2)
        for task in tasks
    )
    return synthesis
