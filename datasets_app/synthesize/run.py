"""Runs a synthesis: requests in threads, what comes of them stored by this one, in the order in which it comes.

A candidate waits until what came of it is stored. A worker that dies loses the answers that were under way, which are
asked for again; nothing is stored twice, since a sample's id is that of its texts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from typing import Any

from django.db import transaction

from datasets_app.accounts.actor import SITE
from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.maintenance import runs as maintenance
from datasets_app.models import Candidate, MaintenanceKind, Synthesis
from datasets_app.synthesize.asking import Ask, Asked, Pace, Request, asked
from datasets_app.synthesize.errors import EndpointError, SynthesisError
from datasets_app.synthesize.prices import price_of, priced
from datasets_app.synthesize.store import open_ingest, store
from datasets_app.synthesize.told import requests_of
from datasets_app.synthesize.verifying import verify_samples
from datasets_app.synthesize.waking import wake_loop_of

TASK = "synthesize.run"
MOST_SILENT_S = 2.0  # so that a cancelled synthesis stops soon
READ_AHEAD = 200  # candidates read from the database at a time
# So many requests in a row that came to nothing: the endpoint is away, or takes none of them.
IN_A_ROW = 8
UNPRICED = (
    "A limit of cost was set, and what an answer costs is not known: its endpoint states nothing, and CONCUR_PRICES "
    "names no price or the endpoint counts no tokens. What was answered is stored; name a price, and go on."
)
UNCOUNTED = (
    "A limit of tokens was set, and the endpoint counts no tokens of an answer. What was answered is stored; choose an "
    "endpoint that counts them, or another limit."
)


def run_synthesis(pk: Any) -> None:
    """Run a queued synthesis to its end, its budget, or the fault that stops it."""
    run_claimed(job_row.claim(Synthesis, pk), go_through, (SynthesisError,))
    wake_loop_of(pk)


def go_through(synthesis: Synthesis) -> None:
    from datasets_app.synthesize import endpoint  # late: half a second of import that only this job needs

    with ExitStack() as open_clients:

        def asking(name: str, model: str, sampling: dict[str, Any]) -> Ask:
            client = open_clients.enter_context(endpoint.client_of(name))
            price = price_of(name, model)
            return lambda messages, seed: priced(endpoint.ask(client, model, messages, sampling, seed), price)

        ask = asking(synthesis.endpoint, synthesis.model, synthesis.sampling)
        judge = None
        if synthesis.judge_endpoint:
            judge = asking(synthesis.judge_endpoint, synthesis.judge_model, {})
        Run(synthesis, ask, judge).go()


class Run:
    """One attempt at a synthesis."""

    def __init__(self, synthesis: Synthesis, ask: Ask, ask_judge: Ask | None = None) -> None:
        """Store the claimed row and what asks its endpoint, and its judge's if it has one."""
        self.synthesis = synthesis
        self.ended = threading.Event()
        pace = Pace(synthesis.requests_a_minute)
        self.ask_for = partial(asked, ask=ask, pace=pace, ended=self.ended, ask_judge=ask_judge)
        candidates = Candidate.objects.filter(synthesis=synthesis)
        self.used_tokens, self.used_cost = candidates.tokens(), candidates.cost() or 0.0
        self.in_a_row = self.new_samples = 0
        self.fault: BaseException | None = None  # the first that ends it

    def go(self) -> None:
        """Ask for all candidates that wait, and have the samples verified. Raises EndpointError, then as well."""
        if self.synthesis.ingest_id is None:
            job_row.renew(self.synthesis, ingest=open_ingest(self.synthesis))
        pool = ThreadPoolExecutor(self.synthesis.at_once, thread_name_prefix="asking")
        try:
            self.work_through(pool)
        finally:
            self.ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if self.new_samples:  # also of one that ends early
                maintenance.request(MaintenanceKind.NEIGHBOURS, SITE)
                maintenance.request_search()
        verify_samples(self.synthesis)
        if self.fault:
            raise self.fault
        job_row.finish(self.synthesis, stopped=self.out_of_budget())

    def work_through(self, pool: ThreadPoolExecutor) -> None:
        """Ask and store until nothing is open; a fault ends it once what was under way then is stored."""
        requests, open_ones = self.requests(), set[Future[Asked]]()
        while True:
            while not self.fault and len(open_ones) < self.synthesis.at_once and not self.out_of_budget():
                request = next(requests, None)
                if request is None:
                    break
                open_ones.add(pool.submit(self.ask_for, request))
            if not open_ones:
                return
            done, open_ones = wait(open_ones, MOST_SILENT_S, FIRST_COMPLETED)
            faults = [fault for future in done if (fault := future.exception())]
            outcomes = [future.result() for future in done if not future.exception()]
            faults += [one.fault for one in outcomes if one.fault]
            self.fault = self.fault or next(iter(faults), None)
            self.take(outcomes)
            if self.fault:
                self.ended.set()  # so that none of them is sent again

    def requests(self) -> Iterator[Request]:
        """Yield a request for each candidate that waits, in order; texts are read a few hundred at a time."""
        last = 0
        while True:
            waiting = Candidate.objects.filter(synthesis=self.synthesis, pk__gt=last).waiting()
            with_texts = waiting.select_related("task__body", "parent__body").defer("parent__body__reasoning")
            rows = list(with_texts.order_by("pk")[:READ_AHEAD])
            yield from requests_of(self.synthesis, rows)
            if not rows:
                return
            last = rows[-1].pk

    def take(self, outcomes: list[Asked]) -> None:
        """Store what came of some requests; too many in a row that came to nothing are a fault."""
        with transaction.atomic():
            job_row.renew(self.synthesis)
            if outcomes:
                self.new_samples += store(outcomes, self.synthesis)
        for one in outcomes:
            self.in_a_row = 0 if one.answer else self.in_a_row + 1
            self.used_tokens += one.tokens
            self.used_cost += one.cost
            if self.synthesis.most_cost is not None and any(each.cost is None for each in one.answers):
                self.fault = self.fault or SynthesisError(UNPRICED)
            if self.synthesis.most_tokens is not None and not all(each.tokens for each in one.answers):
                self.fault = self.fault or SynthesisError(UNCOUNTED)
            if one.answer:
                continue
            if self.in_a_row == IN_A_ROW:
                self.fault = self.fault or EndpointError(
                    f"{IN_A_ROW} requests in a row came to nothing, the last one because {one.detail}. What was "
                    "answered is stored; mend the endpoint and go on."
                )

    def out_of_budget(self) -> str:
        """Return why no more may be asked; empty if more may."""
        tokens, cost = self.synthesis.most_tokens, self.synthesis.most_cost
        if tokens is not None and self.used_tokens >= tokens:
            used = f"{self.used_tokens:,} tokens were used, and {tokens:,} are allowed"
        elif cost is not None and self.used_cost >= cost:
            used = f"The answers cost {self.used_cost:.6g}, and {cost:.6g} is allowed"
        else:
            return ""
        waits = Candidate.objects.filter(synthesis=self.synthesis).waiting().exists()
        return f"{used}. Allow more, and it goes on." if waits else ""
