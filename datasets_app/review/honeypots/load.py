"""Stores honeypots: their kernels as ordinary samples, and beside them what each is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest import ingest_rows
from datasets_app.models import Honeypot, Sample
from datasets_app.models.identity import sample_id
from datasets_app.review.honeypots.corpus import KnownKernel, read_corpus


@dataclass(frozen=True)
class Loaded:
    """What became of the kernels of a folder."""

    stored: int
    present: int  # honeypots already
    left_out: (
        int  # texts of ordinary samples of this site, which may be in releases, or texts that ingest refused
    )


@needs(Scope.CURATE)
def load_honeypots(actor: Actor, folder: Path, source: str) -> Loaded:
    """Store the kernels of a folder as samples of `source`, and mark them. All or nothing. Raises CorpusError.

    Reviewers read the source's name: choose one that says nothing, as of any other set.
    """
    known = {sample_id(kernel.program, "", kernel.kernel): kernel for kernel in read_corpus(folder)}
    with transaction.atomic():
        before = set(Sample.objects.filter(pk__in=known).values_list("pk", flat=True))
        present = Honeypot.objects.filter(pk__in=before).count()
        new = {pk: kernel for pk, kernel in known.items() if pk not in before}
        if not new:
            return Loaded(0, present, len(known) - present)
        ingest = ingest_rows([row_of(kernel) for kernel in new.values()], source, actor=actor)
        marked = mark(new)
        audit.record(actor, "honeypots.load", ingest, stored=marked)
    return Loaded(marked, present, len(known) - present - marked)


def row_of(kernel: KnownKernel) -> dict[str, str]:
    """Return a row of the Workbench's own columns; it names nothing that gives the answer away."""
    return {
        "task_name": kernel.task_name,
        "pytorch_code": kernel.program,
        "reasoning": "",
        "kernel_code": kernel.kernel,
    }


def mark(kernels: dict[UUID, KnownKernel]) -> int:
    stored = set(Sample.objects.filter(pk__in=kernels).values_list("pk", flat=True))
    rows = [
        Honeypot(sample_id=pk, answer=one.answer, family=one.family, explanation=one.explanation)
        for pk, one in kernels.items()
        if pk in stored
    ]
    return len(Honeypot.objects.bulk_create(rows))
