"""Rules that suggest from stored evidence, each with a name and a version. Each yields suggestions, not stored yet.

A rule that would suggest something else for the same evidence gets a new version: what it suggested before stays
comparable with what people decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from datasets_app.accounts.actor import Actor
from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.sample.evidence import SampleEvidence
from datasets_app.models import (
    Evidence,
    Finding,
    KernelFingerprint,
    NotedText,
    NoteLabel,
    Outcome,
    Review,
    Sample,
    Suggestion,
    SuggestionKind,
    SuggestionSource,
    Verdict,
)
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.verdict_policy import WORDS
from datasets_app.review.blind import hidden_verdicts
from datasets_app.review.notes import digest_of
from datasets_app.similarity import minhash
from datasets_app.text_input.storable import storable
from datasets_app.traces.redundancy import repeats


class Rule(NamedTuple):
    name: str
    version: str


REFUSED = Rule("refused-by-engine", "1")
REDUNDANT = Rule("redundant-segment", "1")
NEAR_DUPLICATE = Rule("near-duplicate", "1")

# What an outcome suggests. Timeouts and a lack of memory are left out: they may be the device's or the deadline's.
SUGGESTED = {
    Outcome.CHEATED: Verdict.REJECT,
    Outcome.WRONG_VALUE: Verdict.REJECT,
    Outcome.WRONG_STRUCTURE: Verdict.REJECT,
    Outcome.NONDETERMINISTIC: Verdict.REJECT,
    Outcome.ILLEGAL_MEMORY: Verdict.REJECT,
    Outcome.RUNTIME_ERROR: Verdict.REJECT,
    Outcome.LOAD_ERROR: Verdict.REJECT,
    Outcome.BUILD_ERROR: Verdict.REJECT,
    Outcome.BROKEN_PROMISE: Verdict.FIX,  # its outputs are correct
}
LEAST_SIMILARITY = 0.95
COMPARED = 8  # reviewed samples of the same task and cluster
READ_SECONDS = 0.4  # the longest that a page waits for the trace


def proposed(sample: Sample, actor: Actor, evidence: SampleEvidence, blind: bool) -> Iterator[Suggestion]:
    """Yield what all rules suggest for a sample, which comes with its bodies; at most four queries."""
    yield from refused_by_engine(sample, evidence)
    yield from near_duplicate(sample, actor, blind)
    yield from redundant_segments(sample)


def suggestion(rule: Rule, sample: Sample, basis: str, words: str, **fields: Any) -> Suggestion:
    return Suggestion(
        sample=sample,
        source=SuggestionSource.EVIDENCE,
        maker=rule.name,
        version=rule.version,
        basis=basis,
        words=storable(words)[:LONGEST_REASON],
        **fields,
    )


def refused_by_engine(sample: Sample, evidence: SampleEvidence) -> Iterator[Suggestion]:
    """Suggest to reject what the engine refused, with its sentence. A pass on any device is no refusal."""
    headline = evidence.headline
    if headline is None or any(row.outcome == Outcome.PASSED for row in evidence.rows):
        return
    outcome = Outcome(headline.outcome)
    if verdict := SUGGESTED.get(outcome):
        words = f"the engine refused it as {outcome.label}: {reason_of(headline, evidence)}"
        basis = f"verification:{headline.verification_id}"
        yield suggestion(
            REFUSED, sample, basis, words.removesuffix(": "), kind=SuggestionKind.VERDICT, verdict=verdict
        )


def reason_of(headline: Evidence, evidence: SampleEvidence) -> str:
    """Return the gravest finding that refuses, otherwise the reason of the verification."""
    refusing = (one for one in evidence.findings if one.severity == Finding.Severity.REJECT)
    finding = next(refusing, None)
    if finding is None:
        return evidence.reason
    return finding.detail.partition("\n")[0] or finding.code.replace("_", " ")


def near_duplicate(sample: Sample, actor: Actor, blind: bool) -> Iterator[Suggestion]:
    """Suggest the verdict of the most similar reviewed sample of this task with the same outcome.

    Never of a honeypot, which reviewers may have judged wrongly, nor of a sample whose verdict is hidden from the
    reviewer; in blind review, for curators too, only of samples that they reviewed themselves: any other verdict would
    tell how others voted before the reader has judged that one.
    """
    own = KernelFingerprint.objects.select_related("shape").filter(sample=sample).first()
    if own is None or own.shape is None:
        return
    mine = frozenset(minhash.unpack(own.shape.shingles))
    alike = [
        (minhash.jaccard(mine, minhash.unpack(bytes(other.shape.shingles))), other.sample)
        for other in reviewed_in_cluster(own, sample, actor, blind)
        if other.shape is not None
    ]
    similarity, nearest = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    if nearest is None or similarity < LEAST_SIMILARITY:
        return
    percent = "100" if similarity == 1 else f"{min(99.9, 100 * similarity):.1f}"
    words = f"its kernel is {percent} % similar to one of this task that was {WORDS[nearest.verdict]}"
    basis = f"sample:{nearest.pk}:{nearest.verdict}"
    yield suggestion(
        NEAR_DUPLICATE, sample, basis, words, kind=SuggestionKind.VERDICT, verdict=nearest.verdict
    )


def reviewed_in_cluster(
    own: KernelFingerprint, sample: Sample, actor: Actor, blind: bool
) -> list[KernelFingerprint]:
    rows = KernelFingerprint.objects.filter(
        cluster=own.cluster,
        shape__isnull=False,
        sample__task=sample.task_id,
        sample__outcome=sample.outcome,
        sample__verdict__in=Verdict.values,
        sample__honeypot__isnull=True,
        sample__withdrawn=False,
    ).exclude(sample=sample)
    if blind:
        rows = rows.filter(sample__in=Review.objects.standing().filter(reviewer=actor.user).values("sample"))
    found = list(rows.select_related("shape", "sample").order_by("sample")[:COMPARED])
    hidden = hidden_verdicts(actor, [row.sample_id for row in found])
    return [row for row in found if row.sample_id not in hidden]


def redundant_segments(sample: Sample) -> Iterator[Suggestion]:
    """Suggest the label "redundant" for paragraphs of the trace that repeat earlier ones."""
    text = sample.body.reasoning if sample.has_trace else ""
    if not text:
        return
    try:
        found = analysed(repeats, text, seconds=READ_SECONDS)
    except AnalysisError:
        return  # a trace that cannot be read in time has no suggestion; the pane says so already
    digest = digest_of(text)
    for repeat in found:
        yield suggestion(
            REDUNDANT,
            sample,
            f"trace:{repeat.start}-{repeat.end}:{digest[:16]}",
            f"{100 * repeat.share:.0f} % of it was said before in this trace",
            kind=SuggestionKind.SPAN,
            text=NotedText.TRACE,
            start=repeat.start,
            end=repeat.end,
            digest=digest,
            label=NoteLabel.REDUNDANT,
        )
