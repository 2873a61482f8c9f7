"""Stores what came of requests: a sample of each answer that holds a kernel, the text of each that holds none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.utils import timezone

from datasets_app.ingest import writer
from datasets_app.ingest.readers.workbench import WorkbenchReader
from datasets_app.ingest.relatives import link_relatives
from datasets_app.ingest.row_batches import row_batch
from datasets_app.ingest.rows import Record, Refusal, Row
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.writer import Tally
from datasets_app.models import Candidate, CandidateState, Ingest, JobState, Synthesis
from datasets_app.models.identity import sample_id
from datasets_app.synthesize.answers import Answer, Written, advice_of, written
from datasets_app.synthesize.asking import Asked
from datasets_app.synthesize.errors import AnswerError
from datasets_app.synthesize.told import with_advice

UPDATED = (
    "state", "reason", "detail", "answer", "finish_reason", "prompt_tokens", "answer_tokens", "mean_logprob", "seconds",
    "tries", "sample_id", "advice", "judge_prompt_tokens", "judge_answer_tokens", "cost", "logprobs",
)  # fmt: skip


def open_ingest(synthesis: Synthesis) -> Ingest:
    """Return the ingest that the samples of a synthesis belong to."""
    return Ingest.objects.create(
        file_name=f"answers of {synthesis.name}"[:255],
        format=WorkbenchReader.name,
        source=synthesis.source,
        created_by=synthesis.created_by,
        state=JobState.DONE,
        finished_at=timezone.now(),
    )


def store(outcomes: Sequence[Asked], synthesis: Synthesis) -> int:
    """Store what came of some requests, in the caller's transaction. Return how many samples are new."""
    found = Candidate.objects.select_related("task__body", "parent").in_bulk([one.pk for one in outcomes])
    rows: list[Row] = []
    candidates = [found[one.pk] for one in outcomes]
    for candidate, one in zip(candidates, outcomes, strict=True):
        candidate.synthesis, candidate.tries = synthesis, candidate.tries + one.tries
        row = accepted(candidate, one)
        if row:
            rows.append(row)
    assert synthesis.ingest is not None
    tally = writer.write(row_batch(rows), synthesis.ingest)
    counted = asdict(Tally.of(synthesis.ingest) + tally)
    Ingest.objects.filter(pk=synthesis.ingest.pk).update(**counted)
    synthesis.ingest.refresh_from_db()
    Candidate.objects.bulk_update(candidates, UPDATED)
    if synthesis.refines_id:
        link_relatives(synthesis.ingest, [one.sample_id for one in candidates if one.sample_id])
    return tally.new_samples


def accepted(candidate: Candidate, one: Asked) -> Row | None:
    """Set what came of a candidate; return the row of the sample to store, if there is one."""
    candidate.cost = total_cost(candidate.cost, *(each.cost for each in one.answers))
    if one.judged is not None:
        candidate.advice = plain(advice_of(one.judged))
        candidate.judge_prompt_tokens += one.judged.prompt_tokens
        candidate.judge_answer_tokens += one.judged.answer_tokens
    if one.answer is None:
        if one.reason != "stopped":
            refuse(candidate, CandidateState.FAILED, one.reason, one.detail)
        return None
    candidate.finish_reason, candidate.seconds = one.answer.finish_reason, one.answer.seconds
    candidate.prompt_tokens, candidate.answer_tokens = one.answer.prompt_tokens, one.answer.answer_tokens
    candidate.mean_logprob = one.answer.mean_logprob
    candidate.logprobs = [[plain(token), value] for token, value in one.answer.logprobs] or None
    try:
        program = written(one.answer)
    except AnswerError as error:
        refuse(candidate, CandidateState.REFUSED, error.reason, error.detail, one.answer.whole)
        return None
    row = row_of(candidate, program, one.answer)
    if isinstance(row, Refusal):
        refuse(
            candidate, CandidateState.REFUSED, "not_storable", f"{row.field} {row.reason}", one.answer.whole
        )
        return None
    assert row.sample is not None
    candidate.state = CandidateState.STORED
    candidate.sample_id = sample_id(row.task.program, row.sample.reasoning, row.sample.kernel)
    return row


def total_cost(*costs: float | None) -> float | None:
    """Return the sum of what is known; None if nothing is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def refuse(candidate: Candidate, state: CandidateState, reason: str, detail: str, answer: str = "") -> None:
    candidate.state, candidate.reason, candidate.detail = state, reason, plain(detail)[:500]
    candidate.answer = plain(answer)


def plain(text: str) -> str:
    """Return the text in a form that a database can hold."""
    return text.replace("\x00", "\\u0000").encode(errors="backslashreplace").decode()


def row_of(candidate: Candidate, program: Written, answer: Answer) -> Row | Refusal:
    """Return a candidate as a row of the Workbench's own columns."""
    synthesis, task = candidate.synthesis, candidate.task
    values: dict[str, Any] = {
        "pytorch_code": task.body.pytorch_code,
        "task_name": task.name,
        "reasoning": program.reasoning,
        "kernel_code": program.kernel,
        "generator": synthesis.model,
        "sampling": {**synthesis.sampling, "seed": candidate.seed, "prompt": synthesis.template},
        "name": f"{short(task.pk)}/{candidate.number}",
        "synthesis": synthesis.name,
        "finish_reason": answer.finish_reason,
        "prompt_tokens": answer.prompt_tokens,
        "answer_tokens": answer.answer_tokens,
        **judged_by(candidate),
        "mean_logprob": answer.mean_logprob,
        "cost": candidate.cost,
    }
    if candidate.parent:
        values |= {
            "parent": str(candidate.parent_id),
            "turn": candidate.parent.turn + 1,
            "feedback": with_advice(candidate.feedback, candidate.advice),
        }
    file = SourceFile(Path(), "answers", source_name=synthesis.source.name)
    row = WorkbenchReader().row_or_refusal(Record(candidate.pk, values), file)
    assert isinstance(row, Row | Refusal)
    return row


def judged_by(candidate: Candidate) -> dict[str, Any]:
    """Return the sample's further columns about the judge that advised it, if there was one."""
    if not candidate.advice:
        return {}
    return {
        "judge": candidate.synthesis.judge_model,
        "judge_tokens": candidate.judge_prompt_tokens + candidate.judge_answer_tokens,
    }


def short(pk: UUID) -> str:
    return str(pk)[:8]
