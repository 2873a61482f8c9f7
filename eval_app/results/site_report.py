"""Reports that the site itself writes, and the key by which a report is recognised when it comes again."""

import hashlib
import json

from django.utils import timezone

from datasets_app.text_input.storable import storable
from eval_app.engine import Outcome, Report


def site_report(sample_id: object, outcome: Outcome, detail: str) -> Report:
    """Return the site's own report of a run that brought none."""
    now = timezone.now().isoformat()
    return Report(
        id=str(sample_id), outcome=outcome, detail=storable(detail)[:8000], started_at=now, sandbox=""
    )


def report_key(report: Report) -> str:
    """Return a hash of the whole report."""
    text = json.dumps(report.to_dict(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
