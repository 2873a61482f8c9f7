"""Edits for the example of every state."""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from datasets_app.models import Edit, Sample, Verification
from datasets_app.review import edits
from eval_app.request.edits import propose_edit
from tests.browser.states import texts
from tests.factories import acting


def edit_all(samples: list[Sample], annotator: Any, curator: Any) -> dict[str, Edit]:
    """Propose edits that wait, passed, failed and were accepted, each of a sample of its own."""
    made = {}
    for state, sample in zip(("waiting", "passed", "failed", "accepted"), samples, strict=True):
        base = Sample.objects.with_body().get(pk=sample.pk)
        kernel = base.body.kernel_code + "\n# The last block is guarded.\n"
        reason = f"The last block reads past the end. {texts.SCRIPT if state == 'failed' else ''}"
        edit = propose_edit(base, acting(annotator), base.body.reasoning, kernel, reason)
        if state != "waiting":
            conclude(edit, "wrong_value" if state == "failed" else "passed")
        if state == "accepted":
            edits.accept_edit(edit, acting(curator), seen=1)
        made[state] = Edit.objects.get(pk=edit.pk)
    return made


def places(edited: dict[str, Edit]) -> dict[str, str]:
    """Return the addresses of these edits, of an editor and of the revision."""
    accepted, run = edited["accepted"], edits.standing_of(edited["failed"]).newest
    return {
        "edit's run": run.get_absolute_url() if run else "",
        **{f"edit {state}": edit.get_absolute_url() for state, edit in edited.items()},
        "editor": reverse("edit-propose", args=[edited["waiting"].base_id]),
        "revision": accepted.revision.get_absolute_url() if accepted.revision else "",
    }


def conclude(edit: Edit, outcome: str) -> None:
    run = edits.standing_of(edit).newest
    Verification.runs.filter(pk=run.pk if run else None).update(
        state="done",
        outcome=outcome,
        detail="2 of 4,096 elements differ; the first at [63, 63]" if outcome == "wrong_value" else "",
        device="AMD EPYC 9654",
        worker="bench-1",
        finished_at=timezone.now(),
    )
