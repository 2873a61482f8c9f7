"""Raises and clears alerts: each change of state once, however many sweepers evaluate the rules."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count
from django.urls import reverse

from datasets_app.models import WebhookEvent
from datasets_app.webhooks import events
from eval_app.models import Alert
from eval_app.operations.alerts.rules import Fault

CLEARED_AFTER = timedelta(minutes=1)  # without the fault, so that one that comes and goes is one alert
KEPT = timedelta(days=90)
log = logging.getLogger(__name__)


def settle(faults_by_rule: Mapping[str, Sequence[Fault] | None], now: datetime) -> tuple[int, int]:
    """Raise what is new, renew what goes on, clear what is over; return how many were raised and cleared.

    A rule with None could not be evaluated: its alerts stay as they are.
    """
    raised = {(alert.rule, alert.subject): alert for alert in Alert.objects.raised()}
    count = 0
    for rule, faults in faults_by_rule.items():
        for fault in faults or ():
            if alert := raised.pop((rule, fault.subject), None):
                still_raised(alert).update(seen_at=now, sentence=fault.sentence[:500])
            else:
                count += raise_alert(rule, fault, now)
    over = [
        alert
        for alert in raised.values()
        if faults_by_rule.get(alert.rule) is not None and now - alert.seen_at >= CLEARED_AFTER
    ]
    return count, sum(clear(alert, now) for alert in over)


def raise_alert(rule: str, fault: Fault, now: datetime) -> bool:
    """Store an alert and tell the webhooks. Return False if another process has just raised it."""
    try:
        with transaction.atomic():
            alert = Alert.objects.create(
                rule=rule,
                subject=fault.subject[:120],
                sentence=fault.sentence[:500],
                raised_at=now,
                seen_at=now,
            )
            events.record(WebhookEvent.ALERT_RAISED, lambda: facts(alert))
    except IntegrityError:
        return False
    log.warning("Alert %s is raised: %s", alert, alert.sentence)
    return True


def clear(alert: Alert, now: datetime) -> bool:
    """End an alert and tell the webhooks. Return False if another process has just ended it."""
    with transaction.atomic():
        if not still_raised(alert).update(cleared_at=now):
            return False
        alert.cleared_at = now
        events.record(WebhookEvent.ALERT_CLEARED, lambda: facts(alert))
    log.info("Alert %s is cleared", alert)
    return True


def still_raised(alert: Alert) -> Any:
    return Alert.objects.raised().filter(pk=alert.pk)


def facts(alert: Alert) -> dict[str, Any]:
    """Return what webhooks are told."""
    cleared = alert.cleared_at.isoformat(timespec="seconds") if alert.cleared_at else None
    return {
        "alert": {
            "id": alert.pk,
            "rule": alert.rule,
            "subject": alert.subject,
            "sentence": alert.sentence,
            "raised_at": alert.raised_at.isoformat(timespec="seconds"),
            "cleared_at": cleared,
            "page": reverse("operations"),
        }
    }


def raised_counts() -> dict[str, int]:
    """Return the number of raised alerts by rule."""
    return dict(Alert.objects.raised().order_by().values_list("rule").annotate(n=Count("pk")))


def forget_old(now: datetime) -> int:
    """Delete alerts that were cleared long ago."""
    return Alert.objects.filter(cleared_at__lt=now - KEPT).delete()[0]
