"""Objects of the access matrix that take a few lines to make."""

from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis.runs.record import run_of_synthesis
from datasets_app.models import Candidate, Edit, Ingest, Loop, Source, Synthesis, Verification
from datasets_app.webhooks import verbs as webhooks
from tests.factories import make_source, make_task

WEBHOOK = {"url": "https://hooks.example.org/concur", "event": ["release.frozen"]}


def make_others() -> dict[str, object]:
    return {**make_webhook(), **make_synthesis()}


def make_webhook() -> dict[str, object]:
    webhook, _ = webhooks.create(WEBHOOK["url"], WEBHOOK["event"], actor=COMMAND)
    return {"webhook": webhook.pk, "delivery": webhooks.send_test(webhook, actor=COMMAND).pk}


def make_synthesis(name: str = "matrix") -> dict[str, object]:
    """Make a synthesis with one refused candidate, whose text can be read."""
    source, _ = Source.objects.get_or_create(name=name)
    synthesis = Synthesis.objects.create(
        name=name, endpoint="local", model="m", template="zero-shot 1", messages=[], per_task=1, seed=0, at_once=1,
        source=source, state="failed",
    )  # fmt: skip
    candidate = Candidate.objects.create(
        synthesis=synthesis, task=make_task(), number=0, state="refused", reason="no_code_block", answer="No."
    )
    return {"synthesis": synthesis.pk, "candidate": candidate.pk, **make_run(synthesis)}


def make_run(synthesis: Synthesis) -> dict[str, object]:
    """Make the run of a synthesis, and turns of another one that have ended."""
    run = run_of_synthesis(synthesis)
    first = Synthesis.objects.create(
        name=f"{synthesis.name} in turns", endpoint="local", model="m", template="zero-shot 1", messages=[],
        per_task=1, seed=0, at_once=1, source=synthesis.source, state="done", run=run,
    )  # fmt: skip
    loop = Loop.objects.create(
        first=first, current=first, policy="serial", most_turns=2, until=1.0, verify_profile="quick", state="done",
        ended_by="turns",
    )  # fmt: skip
    return {"run": run.pk, "loop": loop.pk}


def make_ingest() -> dict[str, object]:
    """Make an ingest with one refused row."""
    ingest = Ingest.objects.create(file_name="rows.jsonl", format="concur", source=make_source())
    row = ingest.refused_rows.create(line=1, field="task_name", reason="It is empty.", raw="{}")
    return {"ingest": ingest.pk, "row": row.pk}


def ids_of(edit: Edit) -> dict[str, object]:
    """Return the ids of an edit and of its one run, made a finished one, whose evidence can be read."""
    run = Verification.runs.get(edit_version__edit=edit)
    Verification.runs.filter(pk=run.pk).update(
        state="done", outcome="wrong_value", worker="matrix", device="CPU", finished_at=timezone.now()
    )
    return {"edit": edit.pk, "edit run": run.pk}
