"""Evaluates the rules every half minute, for the sweeper."""

import logging
import time
from collections.abc import Sequence

from django.utils import timezone

from eval_app.operations.alerts import store
from eval_app.operations.alerts.page_errors import PageErrors
from eval_app.operations.alerts.rules import RULES, Fault

EVERY_SECONDS = 30.0
log = logging.getLogger(__name__)


class Watch:
    """Holds what the rules remember between two evaluations. `tick` is called after every sweep."""

    def __init__(self) -> None:
        self.pages = PageErrors()
        self.evaluated_at = float("-inf")

    def tick(self) -> None:
        """Evaluate if it is time to. Never raises: a sweeper without alerts is better than none."""
        if time.monotonic() - self.evaluated_at < EVERY_SECONDS:
            return
        self.evaluated_at = time.monotonic()
        try:
            self.evaluate()
        except Exception:
            log.exception("The alerts could not be stored")

    def evaluate(self) -> tuple[int, int]:
        """Evaluate all rules now; return how many alerts were raised and cleared."""
        now = timezone.now()
        faults = {name: self.faults_of(name) for name in RULES}
        store.forget_old(now)
        return store.settle(faults, now)

    def faults_of(self, name: str) -> Sequence[Fault] | None:
        """Return what a rule finds; None if it could not be evaluated."""
        try:
            if name == "page_errors":
                self.pages.note()
            return list(RULES[name](self.pages))
        except Exception:
            log.exception("The alert rule %s could not be evaluated", name)
            return None
