"""Reviews of the filled site: by one person, by two who mostly agree, a draft, a claim."""

from typing import Any

from datasets_app import review
from datasets_app.models import ReviewQueue, Sample
from datasets_app.review import queues
from tests.factories import acting, make_queue


def judge(samples: list[Sample], who: Any) -> None:
    for sample, verdict, comment in zip(
        samples, ("accept", "fix", "reject"), ("", "mask the tail", "fails for n = 0"), strict=False
    ):
        review.submit_review(
            sample, acting(who.annotator), verdict, {"correctness": 4, "kernel_quality": 3}, comment
        )
    review.submit_review(samples[1], acting(who.curator), "accept", {"correctness": 5})
    for number, sample in enumerate(samples[5:17]):
        for person, verdicts in ((who.curator, "aarf"), (who.administrator, "aar")):
            verdict = {"a": "accept", "f": "fix", "r": "reject"}[verdicts[number % len(verdicts)]]
            review.submit_review(sample, acting(person), verdict, {"correctness": 1 + number % 5})
    review.save_draft(samples[3], acting(who.annotator), {"comment": "half a thought"})
    review.claim(samples[4], acting(who.curator))


def fill_queue(sample: Sample, who: Any) -> ReviewQueue:
    """Open a queue with the samples of one task: one is being reviewed, one was skipped."""
    curator = acting(who.curator)
    words = "Read the trace first.\nA library call is no kernel."
    fields = {"words": words, "query": f"task:{sample.task_id}", "overlap": 2, "policy": "majority"}
    queue = make_queue("library calls", curator, deadline="2026-01-31", **fields)
    queues.open_queue(queue, curator)
    first, second = (item.sample for item in queue.items.order_by("position")[:2])
    review.claim(first, curator)
    review.skip(second, acting(who.annotator), "unsure", "I cannot read PTX")
    return queue
