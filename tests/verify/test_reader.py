import json

import pytest

from datasets_app import ingest
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Ingest, RefusedRow, Verification
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db


def ingested(tmp_path, rows, name="REPORTS.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    (made,) = ingest.start_ingests([ingest.IncomingFile(path, name)], COMMAND, in_background=False)
    ingest.run_ingest(made.pk)
    return Ingest.objects.get(pk=made.pk)


def test_the_engines_reports_become_verifications(tmp_path):
    first, second = make_sample(), make_sample()
    done = ingested(tmp_path, [reports.passed(first.pk), reports.wrong(second.pk)])
    assert (done.format, done.state, done.rows) == ("reports", "done", 2)
    assert Verification.objects.finished().count() == 2
    first.refresh_from_db()
    assert (first.outcome, first.measured_speedup) == ("passed", 2.0)


def test_the_same_file_again_adds_nothing(tmp_path):
    rows = [reports.passed(make_sample().pk)]
    ingested(tmp_path, rows)
    again = ingested(tmp_path, rows, "again.jsonl")
    assert Verification.objects.count() == 1
    assert again.duplicates == 1


def test_a_report_without_a_sample_or_against_the_contract_is_refused_with_its_reason(tmp_path):
    unknown = reports.passed("00000000-0000-4000-8000-000000000000")
    bad = reports.report(make_sample().pk, "great")
    done = ingested(tmp_path, [unknown, reports.passed("task 7"), bad, reports.passed(make_sample().pk)])
    reasons = list(RefusedRow.objects.order_by("line").values_list("line", "reason"))
    assert done.refused == 3
    assert [line for line, _ in reasons] == [1, 2, 3]
    assert "ingest the triples first" in reasons[0][1]
    assert "not the id of a sample" in reasons[1][1]
    assert "report.outcome must be one of" in reasons[2][1]
    assert Verification.objects.count() == 1
