import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.query import parse_query
from datasets_app.models import Verification
from eval_app.attempts import leases
from eval_app.queue import dispatch
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker import announcements
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db
CPU_WORKER = {
    "state": "ready",
    "healthy": True,
    "queues": ["cpu"],
    "devices": [{"kind": "cpu", "name": "Xeon"}],
}


def verified(report_of=reports.passed, **fields):
    (row,) = request_verification([make_sample(**fields)], actor=COMMAND)
    record_report(row.pk, 1, report_of(row.sample_id))
    row.refresh_from_db()
    return row


def text(client, url, **options):
    response = client.get(url, **options)
    assert response.status_code == 200
    return response.content.decode()


def queries_of(client, url):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return [query["sql"] for query in captured]


def test_without_a_worker_the_page_says_so_in_red(reader):
    page = text(reader, reverse("verify"))
    assert "No worker is running." in page
    assert 'role="alert"' in page


def test_a_worker_that_runs_its_self_test_is_a_doubt_and_no_fault(reader, broker):
    announcements.announce("box", {**CPU_WORKER, "state": "testing", "healthy": False})
    page = text(reader, reverse("verify"))
    assert "1 worker runs its self-test." in page
    assert 'class="notice is-doubt" role="status"' in page
    assert 'role="alert"' not in page


def test_a_worker_that_failed_its_self_test_says_why_in_red(reader):
    announcements.announce(
        "box", {**CPU_WORKER, "state": "unhealthy", "healthy": False, "health_detail": "A/A read 1.2"}
    )
    page = text(reader, reverse("verify"))
    assert "its self-test failed (A/A read 1.2)" in page
    assert 'role="alert"' in page


def test_a_machine_of_several_devices_names_each_kind_once(reader):
    devices = [{"kind": "cuda", "name": "NVIDIA H200"}] * 4 + [{"kind": "cpu", "name": "Xeon"}]
    announcements.announce(
        "box", {**CPU_WORKER, "devices": devices, "lanes": 6, "versions": {"engine": "0.1"}}
    )
    page = text(reader, reverse("verify"))
    assert "4 × NVIDIA H200" in page
    assert "engine 0.1, the site has" in page


def test_cuda_kernels_wait_for_a_cuda_worker_and_the_page_says_why(reader):
    announcements.announce("box", CPU_WORKER)
    (row,) = request_verification([make_sample(language="cuda")], actor=COMMAND)
    sentence = "waits for a CUDA worker; none has been seen"
    assert sentence in text(reader, reverse("verify"))
    assert sentence in text(reader, row.get_absolute_url())


def test_a_running_row_shows_its_stage(reader):
    (row,) = request_verification([make_sample()], actor=COMMAND)
    leases.renew(
        "box", [{"verification": str(row.pk), "attempt": 1, "stage": "build", "detail": "softmax_v2"}]
    )
    assert "build: softmax_v2" in text(reader, reverse("verify"))


def test_the_live_part_is_all_that_htmx_gets(reader):
    page = text(reader, reverse("verify"), headers={"HX-Request": "true", "HX-Target": "verify-live"})
    assert "<html" not in page
    assert "Workers" in page


def test_the_list_is_filtered_by_outcome(reader):
    wrong, right = verified(reports.wrong), verified()
    page = text(reader, reverse("verify") + "?outcome=passed")
    assert right.get_absolute_url() in page
    assert wrong.get_absolute_url() not in page


def test_a_filter_that_cannot_match_is_explained(reader):
    assert "outcome must be one of: passed" in text(reader, reverse("verify") + "?outcome=fine")


def test_pages_by_position_show_every_row_once(reader):
    rows = request_verification([make_sample() for _ in range(60)], actor=COMMAND)
    page = reader.get(reverse("verify")).context["page"]
    rest = reader.get(reverse("verify"), {"cursor": page.older}).context["page"]
    shown = [row.pk for row in [*page.rows, *rest.rows]]
    assert sorted(shown) == sorted(row.pk for row in rows)
    assert rest.older == ""


def test_the_page_costs_the_same_queries_for_one_row_and_for_many_and_reads_no_body(reader):
    verified()
    request_verification([make_sample() for _ in range(2)], actor=COMMAND)
    few = queries_of(reader, reverse("verify"))
    for _ in range(8):
        verified(reports.wrong)
    for _ in range(3):
        request_verification([make_sample() for _ in range(9)], actor=COMMAND)
    many = queries_of(reader, reverse("verify"))
    assert len(few) == len(many) <= 19
    assert not [sql for sql in many if "datasets_app_samplebody" in sql or "verificationreport" in sql]


def test_a_pass_shows_its_interval_its_strips_and_the_claim(reader):
    page = text(reader, verified(claimed_speedup=4.0, claimed_device="H100").get_absolute_url())
    assert "2.00×" in page
    assert "1.96×" in page
    assert "claimed 4.00× on H100" in page
    assert "0.50 times the claim" in page
    assert '<svg class="plot strips"' in page


def test_a_wrong_value_shows_where(reader):
    page = text(reader, verified(reports.wrong).get_absolute_url())
    assert "[3, 17]" in page
    assert '<svg class="heat"' in page


def test_a_finding_links_to_what_it_means(reader):
    page = text(reader, verified(reports.cheated).get_absolute_url())
    link = reverse("verify-findings") + "#output_replayed"
    assert f'href="{link}"' in page
    assert 'id="output_replayed"' in text(reader, reverse("verify-findings"))


def test_a_broken_promise_is_stored_without_a_speedup_counted_apart_and_told_beside_kernelbenchs_verdict(
    reader,
):
    row = verified(reports.broken_promise)
    assert (row.outcome, row.speedup, row.median_ms) == ("broken_promise", None, None)
    assert (row.kernelbench_correct, row.kernelbench_speedup) == (True, 3.5)
    assert [sample.pk for sample in parse_query("outcome:broken_promise").queryset()] == [row.sample_id]
    assert not parse_query("outcome:cheated").queryset().exists()
    page = text(reader, row.get_absolute_url())
    assert "broken promise" in page
    assert "KernelBench's own protocol: correct, 3.50×" in page.replace("&#x27;", "'")


def test_hostile_text_in_a_report_is_shown_as_text(reader):
    hostile = "<script>alert(1)</script>"
    page = text(reader, verified(lambda pk: reports.report(pk, detail=hostile)).get_absolute_url())
    assert hostile not in page
    assert "&lt;script&gt;" in page


def test_no_page_has_inline_style_or_script(reader):
    for url in (verified().get_absolute_url(), verified(reports.wrong).get_absolute_url(), reverse("verify")):
        page = text(reader, url)
        assert " style=" not in page
        assert "<style" not in page
        assert "<script>" not in page


def test_the_raw_report_can_be_read(reader):
    row = verified()
    assert reader.get(reverse("verification-report", args=[row.pk])).json()["outcome"] == "passed"


def test_a_progress_part_that_is_finished_reloads_the_page(reader):
    response = reader.get(
        verified().get_absolute_url(), headers={"HX-Request": "true", "HX-Target": "progress"}
    )
    assert response["HX-Refresh"] == "true"


# --- Asking ------------------------------------------------------------------------------------------------------


def test_an_annotator_asks_for_ticked_samples(annotator):
    samples = [make_sample(), make_sample()]
    annotator.post(reverse("verify-ask"), {"sample": [s.pk for s in samples], "profile": "quick"})
    assert Verification.objects.count() == 2


def test_named_samples_come_before_a_typed_query(annotator):
    make_sample(language="cpp")
    other = make_sample()
    annotator.post(reverse("verify-ask"), {"query": "language:cpp", "sample": [other.pk]})
    assert [row.sample_id for row in Verification.objects.all()] == [other.pk]


def test_a_reader_may_not_ask(reader):
    assert reader.post(reverse("verify-ask"), {"query": ""}).status_code == 403


def test_nothing_chosen_is_said(annotator):
    page = annotator.post(reverse("verify-ask"), {}, follow=True).content.decode()
    assert "Choose samples first" in page


def test_a_form_cannot_send_the_person_to_another_site(annotator):
    fields = {"sample": make_sample().pk, "next": "https://elsewhere.example/"}
    response = annotator.post(reverse("verify-ask"), fields)
    assert response.url.startswith("/verify/")


def test_the_key_v_asks_and_the_page_gets_the_live_log_in_place(annotator):
    row = verified()
    fields = {"sample": row.sample_id, "profile": "quick", "device": "cpu", "inspect": "1"}
    response = annotator.post(
        reverse("verify-ask"), fields, headers={"HX-Request": "true", "HX-Target": "evidence"}
    )
    page = response.content.decode()
    assert 'hx-trigger="every 1s"' in page
    assert "waits for a CPU worker" in page
    assert Verification.objects.waiting().get().inspect


def test_the_log_grows_with_the_stages_and_says_how_long_each_took(annotator):
    (row,) = request_verification([make_sample()], actor=COMMAND)
    for stage in ("build", "build", "trials"):
        leases.renew("box", [{"verification": str(row.pk), "attempt": 1, "stage": stage, "detail": "v2"}])
    page = text(annotator, reverse("sample-evidence", args=[row.sample_id]))
    assert page.count("<time") == 2
    assert re.search(r"\d\.\d s<", page)
    record_report(row.pk, 1, reports.passed(row.sample_id))
    assert "Stages" in text(annotator, row.get_absolute_url())


def test_a_deeper_look_is_another_wish_than_a_plain_one():
    sample = make_sample()
    (plain,) = request_verification([sample], actor=COMMAND)
    (deep,) = request_verification([sample], inspect=True, actor=COMMAND)
    assert plain.pk != deep.pk
    assert request_verification([sample], inspect=True, actor=COMMAND) == [deep]
    assert [dispatch.message(row)["job"]["inspect"] for row in (plain, deep)] == [False, True]


def test_selected_verifications_are_asked_for_again(annotator):
    row = verified()
    annotator.post(reverse("verify-again"), {"verification": [row.pk]})
    assert Verification.objects.waiting().get().sample_id == row.sample_id


def test_what_waits_is_cancelled_from_its_page_by_whoever_asked_or_a_curator(annotator, curator):
    annotator.post(reverse("verify-ask"), {"sample": [make_sample().pk]})
    row = Verification.objects.get()
    annotator.post(reverse("verification-cancel", args=[row.pk]))
    assert "cancelled" in text(annotator, row.get_absolute_url())
    (row,) = request_verification([make_sample()], actor=COMMAND)
    assert "Cancel verification" not in text(annotator, row.get_absolute_url())
    assert annotator.post(reverse("verification-cancel", args=[row.pk])).status_code == 403
    curator.post(reverse("verification-cancel", args=[row.pk]))
    assert "cancelled" in text(annotator, row.get_absolute_url())


def test_a_sample_says_running_while_a_verification_runs_whatever_is_queued_later(reader):
    sample = make_sample()
    first, _ = (request_verification([sample], device=one, actor=COMMAND)[0] for one in ("cpu", "cuda"))
    leases.renew("box", [{"verification": str(first.pk), "attempt": 1, "stage": "trials", "detail": ""}])
    state = text(reader, sample.get_absolute_url()).partition("sample-state")[2].partition("</p>")[0]
    assert "running" in state
    assert "waiting" not in state
    assert "running" in text(reader, "/browse/?view=all").partition("<tbody")[2]


def test_a_pass_without_times_is_not_said_to_have_failed(reader):
    row = verified(lambda pk: {**reports.passed(pk), "timing": None})
    assert "No times were reported." in text(reader, row.get_absolute_url())
    wrong = verified(reports.wrong)
    assert "Not timed: only passing kernels are." in text(reader, wrong.get_absolute_url())


def test_the_filter_names_outcomes_as_the_rest_of_the_site_does(reader):
    verified()
    page = text(reader, reverse("verify"))
    assert '<option value="infra_error">our error</option>' in page
