import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.browse.task.admission import sentence
from datasets_app.browse.task.portability import by_device, claimed_by_device, verdicts_by_device
from datasets_app.browse.task.scatter import Point, scatter
from datasets_app.browse.task.task_page import ranked, speed_against_length, totals
from datasets_app.browse.task.trajectories import trajectories
from datasets_app.ingest.withdraw import withdraw_sample
from tests.factories import acting, make_sample, make_task, make_user
from tests.verifications import AT, H200, L40, timed, verified

pytestmark = pytest.mark.django_db


def passed(task, speedup, device=H200, **fields):
    sample = make_sample(task, **fields)
    timed(sample, speedup, device)
    return sample


def failed(task, outcome, **fields):
    sample = make_sample(task, **fields)
    verified(sample, outcome)
    return sample


def test_samples_are_ranked_by_measured_then_by_claimed_speedup(reader):
    task = make_task()
    order = [
        passed(task, 3.0),
        passed(task, 2.0),
        make_sample(task, claimed_speedup=9.0),
        make_sample(task, claimed_speedup=1.0),
        make_sample(task),
        failed(task, "cheated", claimed_speedup=99.0),
    ]
    page = reader.get(task.get_absolute_url()).content.decode()
    places = [page.index(f'href="/samples/{sample.pk}/" data-row-link') for sample in order]
    assert places == sorted(places)


def test_the_program_stands_line_by_line(reader):
    task = make_task()
    page = reader.get(task.get_absolute_url()).content.decode()
    lines = task.body.pytorch_code.rstrip("\n").count("\n") + 1
    assert [f'id="program-L{line}"' in page for line in range(1, lines + 2)] == [True] * lines + [False]


def test_a_task_without_samples_has_a_page_too(reader):
    page = reader.get(make_task().get_absolute_url()).content.decode()
    assert "No kernels for this task yet" in page
    assert "Needs at least 5 traces" in page


@pytest.mark.parametrize(
    ("tokens", "word"), [(3_999, "easy"), (4_000, "middling"), (8_500, "middling"), (8_501, "hard")]
)
def test_difficulty_is_the_class_of_the_average_reasoning_length(tokens, word):
    task = make_task()
    for _ in range(5):
        make_sample(task, trace_tokens=tokens)
    make_sample(task, reasoning="")
    assert totals(task, "").difficulty.word == word


def test_difficulty_is_not_told_from_few_traces():
    task = make_task()
    for _ in range(4):
        make_sample(task, trace_tokens=10_000)
    assert totals(task, "").difficulty.word == ""


def test_the_plot_joins_what_no_other_sample_beats_in_both():
    cast = [(100, 1.0, True, "a"), (200, 0.5, True, "b"), (300, 4.0, True, "c"), (50, 9.0, False, "d")]
    points = [Point(x, y, measured, "/", name) for x, y, measured, name in cast]
    plot = scatter(points)
    assert [mark.point.name for mark in plot.marks if mark.leads] == ["a", "c"]
    assert len(plot.front.split()) == 2
    assert all(
        plot.left <= mark.cx <= plot.right and plot.top <= mark.cy <= plot.bottom for mark in plot.marks
    )


def test_the_page_costs_the_same_queries_whatever_the_samples(reader):
    task = make_task()
    passed(task, 1.0)
    with CaptureQueriesContext(connection) as few:
        reader.get(task.get_absolute_url())
    for number in range(20):
        passed(task, 1.0 + number)
    with CaptureQueriesContext(connection) as many:
        page = reader.get(task.get_absolute_url())
    assert page.status_code == 200
    assert len(many) == len(few)
    texts = ('"kernel_code"', '"reasoning"', '"feedback"')
    assert not any(text in captured["sql"] for captured in many for text in texts)


# --- Across devices ---


def ran(sample, device, speedup, outcome="passed"):
    """Store a finished run, as the verify stage does."""
    verified(sample, outcome, device, speedup=speedup, days=sample.verifications.count())


def test_each_device_has_one_row_with_the_spread_of_its_speedups():
    task = make_task()
    cast = [make_sample(task) for _ in range(5)]
    for sample, speedup in zip(cast, (1.0, 2.0, 3.0, 4.0, 5.0), strict=True):
        ran(sample, "H200", speedup)
        ran(sample, "A100", speedup * speedup)
    ran(cast[0], "A100", None, "wrong_value")  # only the newest run per device counts
    anchor, other = by_device(verdicts_by_device(task))
    assert (anchor.device, anchor.verified, anchor.passed, anchor.is_anchor) == ("H200", 5, 5, True)
    assert (anchor.lower_quartile, anchor.median, anchor.upper_quartile, anchor.best) == (2.0, 3.0, 4.0, 5.0)
    assert (other.verified, other.passed, other.common) == (5, 4, 4)
    assert other.correlation == pytest.approx(1.0)


def test_a_correlation_is_not_told_from_two_samples():
    task = make_task()
    for speedup in (1.0, 2.0):
        sample = make_sample(task)
        ran(sample, "H200", speedup)
        ran(sample, "A100", speedup)
    assert [row.correlation for row in by_device(verdicts_by_device(task))] == [None, None]


@pytest.mark.parametrize("outcome", ["infra_error", "unsupported", "invalid_reference"])
def test_what_decides_nothing_is_no_failure_on_a_device(outcome):
    task = make_task()
    failed(task, outcome)
    assert verdicts_by_device(task) == {}
    assert (totals(task, "").failed, totals(task, "").unverified) == (0, 1)


def test_samples_are_ranked_on_one_device_which_the_address_may_name(reader):
    task = make_task()
    first, second = passed(task, 3.0), passed(task, 2.0)
    timed(first, 1.0, L40)
    timed(second, 5.0, L40)
    elsewhere = make_sample(task)
    timed(elsewhere, 90.0, L40)
    order = {"": [first, second, elsewhere], f"?device={L40}": [elsewhere, second, first]}
    for query, expected in order.items():
        page = reader.get(task.get_absolute_url() + query).content.decode()
        places = [page.index(f'href="/samples/{sample.pk}/" data-row-link') for sample in expected]
        assert places == sorted(places)
    assert f"fastest on {L40} first" in page


def test_operators_are_counted_as_executed_where_the_program_was_traced(reader):
    task = make_task()
    assert "calls were not traced" in reader.get(task.get_absolute_url()).content.decode()
    task.record_admission({"operator_calls": 3, "operator_calls_on": "meta"}, "9", AT)
    page = reader.get(task.get_absolute_url()).content.decode()
    assert "one run executes 3 calls of operators" in page
    assert "traced on the meta device" in page


def test_the_claim_of_a_kernel_that_failed_is_no_point():
    task = make_task()
    passed(task, 2.0, claimed_speedup=9.0)
    failed(task, "wrong_value", claimed_speedup=9.0)
    make_sample(task, claimed_speedup=9.0)
    marks = speed_against_length(ranked(task, H200)).marks
    assert sorted((mark.point.y, mark.point.measured) for mark in marks) == [(2.0, True), (9.0, False)]


# --- Claims by device ---


def test_claims_of_one_kernel_on_several_devices_are_a_row_each(reader, django_assert_num_queries):
    task = make_task()
    first = make_sample(task, claimed_speedup=1.5, claimed_device="A100")
    first.body.extra = {"also_claimed": [{"source": "b", "speedup": 1.1, "device": "H100", "correct": True}]}
    first.body.save()
    make_sample(task, claimed_speedup=2.5, claimed_device="A100")
    make_sample(task, claimed_device="L40")
    with django_assert_num_queries(2):
        rows = claimed_by_device(task)
    assert [(row.device, row.claims, row.median, row.best) for row in rows] == [
        ("A100", 2, 2.0, 2.5),
        ("H100", 1, 1.1, 1.1),
    ]
    assert "measured by them and not here" in reader.get(task.get_absolute_url()).content.decode()
    facts = reader.get(first.get_absolute_url()).content.decode()
    assert "Also claimed</dt><dd>1.10× over eager, correct, on H100, by b" in facts
    assert "Other columns of the source" not in facts


@pytest.mark.parametrize("kept", ["text", [1], [{"device": "H100"}], None])
def test_a_column_that_only_has_the_name_of_kept_claims_does_no_harm(reader, kept):
    sample = make_sample(claimed_speedup=1.5)
    sample.body.extra = {"also_claimed": kept}
    sample.body.save()
    assert [row.claims for row in claimed_by_device(sample.task)] == [1]
    assert reader.get(sample.get_absolute_url()).status_code == 200


# --- Admission ---


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"constant_passes": True}, "A pass of this task proves little: a constant passes."),
        (
            {"output_moves": False, "zeros_pass": True},
            "A pass of this task proves little: its output does not depend on its inputs, zeros pass.",
        ),
        (
            {"weights_asked": 3, "weights_that_move": 1},
            "A pass of this task proves little: 2 of 3 weights do not change its output.",
        ),
        (
            {"lower_precision_passes": True},
            "Weak test: bfloat16 passes.",
        ),
        ({"constant_passes": False, "output_moves": True, "inputs_asked": 1, "inputs_that_move": 1}, ""),
        (None, ""),
    ],
)
def test_what_a_pass_is_worth_is_said_in_one_sentence(answers, said):
    assert sentence(answers) == said


def test_the_front_is_marked_in_the_table(reader):
    task = make_task()
    passed(task, 3.0, trace_tokens=100)
    passed(task, 2.0, trace_tokens=200)
    page = reader.get(task.get_absolute_url()).content.decode()
    assert page.count("is-front") == 1


def test_a_withdrawn_sample_is_on_no_part_of_the_page(reader):
    task = make_task()
    first = passed(task, 2.0)
    gone = passed(task, 3.0, claimed_speedup=4.0, claimed_device=H200, parent=first, turn=1)
    withdraw_sample(gone, acting(make_user("curator")), "licence unclear")
    page = reader.get(task.get_absolute_url()).content.decode()
    assert str(first.pk) in page
    assert str(gone.pk) not in page
    assert (totals(task, H200).samples, totals(task, H200).passed) == (1, 1)
    assert list(verdicts_by_device(task)[H200]) == [first.pk]
    assert claimed_by_device(task) == []
    assert trajectories(task, H200) == []
