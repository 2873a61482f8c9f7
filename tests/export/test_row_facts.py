"""Tests that a row says everything that is known of its sample: lists, the trajectory, both sides' times, versions."""

import json
from datetime import UTC, datetime

import pytest

from datasets_app.curate import rebuild
from datasets_app.export.columns import COLUMNS, file_row
from datasets_app.export.finish import finish_files
from datasets_app.models import Baseline, Finding, Operator, Sample, SampleBody
from datasets_app.review import notes
from datasets_app.review.preferences import submit_preference
from tests.curate.store import frozen, passed
from tests.factories import acting, make_sample, make_task, make_user
from tests.verifications import H200, environment, timed

pytestmark = pytest.mark.django_db
ALL_TRAIN = {"version": 1, "rules": []}


def rows(export_folder) -> dict[str, dict]:
    lines = (export_folder / "first/jsonl/train.jsonl").read_text().splitlines()
    return {row["uuid"]: row for row in map(json.loads, lines)}


def released(export_folder) -> dict[str, dict]:
    finish_files(frozen(definition=ALL_TRAIN))
    return rows(export_folder)


def test_both_sides_times_the_intervals_and_the_versions_are_there(export_folder):
    sample = make_sample()
    with_versions = environment(toolkit="12.8", driver="570.1")
    timed(sample, 2.0, median_ms=0.5, eager_median_ms=1.0, environment=with_versions, torch_version="2.8")
    row = released(export_folder)[str(sample.pk)]
    assert (row["kernel_ms"], row["eager_ms"], row["cuda"], row["driver"]) == (0.5, 1.0, "12.8", "570.1")
    assert (row["speedup_low"], row["speedup_high"], row["between_low"]) == (1.96, 2.04, None)


def test_the_sources_claims_and_the_twin_are_there(export_folder):
    original, translated = make_sample(), make_sample(language="hip")
    Sample.objects.filter(pk=translated.pk).update(twin=original)
    claims = [{"quantity": "speedup", "value": 1.5, "over": "CUDA graph", "device": "H100"}]
    SampleBody.objects.filter(pk=original.pk).update(claims=claims)
    other = claims[0] | {"device": "A100", "on": ""}
    kept = {"also_claimed": [{"source": "b", "speedup": 2.0, "claims": [other]}]}
    SampleBody.objects.filter(pk=translated.pk).update(extra=kept)
    table = released(export_folder)
    assert table[str(original.pk)]["claims"] == [claims[0] | {"on": ""}]
    assert table[str(translated.pk)]["claims"] == [other]
    assert (table[str(translated.pk)]["twin"], table[str(original.pk)]["twin"]) == (str(original.pk), None)


def test_the_findings_of_the_task_are_packed_with_each_of_its_rows(export_folder):
    weak, good = passed(), passed()
    weak.task.record_admission(
        {"output_std": True, "output_range": True}, "1", datetime(2026, 1, 1, tzinfo=UTC)
    )
    table = released(export_folder)
    assert table[str(weak.pk)]["task_findings"] == ["output_range", "output_std"]
    assert table[str(good.pk)]["task_findings"] == []


def test_the_findings_of_the_run_come_gravest_first(export_folder):
    sample = make_sample()
    run = timed(sample, 2.0)
    for code, severity in [("uses_cublas", "label"), ("reads_clock", "audit")]:
        Finding.objects.create(verification=run, code=code, severity=severity, detail=f"it {code}")
    other = passed()
    table = released(export_folder)
    assert table[str(sample.pk)]["findings"] == [
        {"code": "reads_clock", "severity": "audit", "detail": "it reads_clock"},
        {"code": "uses_cublas", "severity": "label", "detail": "it uses_cublas"},
    ]
    assert table[str(other.pk)]["findings"] == []


def test_the_newest_baselines_of_the_device_are_there_by_mode(export_folder):
    sample = passed()
    for day, device, mode, median in [
        (1, H200, "compile", 9.0),
        (2, H200, "compile", 3.0),
        (1, H200, "cuda-graph", 4.0),
        (3, "another device", "compile", 1.0),
    ]:
        at = datetime(2026, 5, day, tzinfo=UTC)
        key = f"{day} {device}"
        Baseline.objects.create(
            task=sample.task, device=device, mode=mode, versions_key=key, median_ms=median, measured_at=at
        )
    assert released(export_folder)[str(sample.pk)]["baselines"] == [
        {"mode": "compile", "median_ms": 3.0},
        {"mode": "cuda-graph", "median_ms": 4.0},
    ]


def test_a_trajectory_can_be_put_together_again(export_folder):
    first = make_sample(sampling={"temperature": 0.7, "top_p": 1})
    second = make_sample(first.task, parent=first, turn=1)
    SampleBody.objects.filter(sample=second).update(feedback="It is slower than eager.")
    table = released(export_folder)
    later = table[str(second.pk)]
    assert (later["parent"], later["turn"], later["feedback"]) == (
        str(first.pk),
        1,
        "It is slower than eager.",
    )
    assert (table[str(first.pk)]["parent"], table[str(first.pk)]["turn"]) == (None, 0)
    assert json.loads(table[str(first.pk)]["sampling"]) == {"temperature": 0.7, "top_p": 1}
    assert later["sampling"] == ""


def test_operators_tags_and_claims_are_there(export_folder):
    from datasets_app.browse.list import tags

    task = make_task()
    task.operators.set([Operator.objects.create(name=name) for name in ("softmax", "add")])
    sample = make_sample(task, claimed_device="A100", claimed_speedup=3.0)
    person = acting(make_user("curator"))
    for name in ("slow", "fast"):
        tags.put_on(person, sample, tags.make(person, name))
    row = released(export_folder)[str(sample.pk)]
    assert (row["operators"], row["tags"]) == (["add", "softmax"], ["fast", "slow"])
    assert (row["claimed_device"], row["claimed_speedup"]) == ("A100", 3.0)


def test_notes_are_spans_and_withdrawn_ones_are_left_out(export_folder):
    sample = make_sample()
    person = acting(make_user("annotator"))
    kept = notes.create_note(sample, person, [notes.Place("trace", 0, 4)], "redundant")
    gone = notes.create_note(sample, person, [notes.Place("trace", 2, 6)], "wrong_claim")
    notes.withdraw_note(gone, person, "I was mistaken.")
    notes.resolve_note(kept, person)
    (span,) = released(export_folder)[str(sample.pk)]["notes"]
    place = {"text": "trace", "start": 0, "end": 4}
    assert span == {**place, "label": "redundant", "resolved": True, "comment": ""}


def test_a_note_s_comment_is_its_first_as_last_edited_and_not_an_answer(export_folder):
    sample, person = make_sample(), acting(make_user("annotator"))
    place = notes.Place("trace", 0, 4)
    plain = notes.create_note(sample, person, [place], "race", "no barrier")
    edited = notes.create_note(sample, person, [place], "", "says it twise")
    answer = notes.answer_note(plain, person, "which one?")
    notes.edit_note(plain, person, "which of the two?", answer.pk)
    notes.edit_note(edited, person, "says it twice?")
    notes.edit_note(edited, person, "says it twice")
    spans = released(export_folder)[str(sample.pk)]["notes"]
    assert {(span["label"], span["comment"]) for span in spans} == {
        ("race", "no barrier"),
        ("", "says it twice"),
    }


def test_a_task_s_reasoning_length_is_the_mean_over_all_its_traces_in_use(export_folder):
    task = make_task()
    one, other = make_sample(task), make_sample(task)
    short, bare = make_sample(), make_sample(reasoning="")
    for sample, tokens in ((one, 8_000), (other, 10_000), (short, 3_999)):
        Sample.objects.filter(pk=sample.pk).update(trace_tokens=tokens)
    table = released(export_folder)
    assert [(table[str(s.pk)]["arl"], table[str(s.pk)]["difficulty"]) for s in (one, other, short, bare)] == [
        (9_000.0, "hard"),
        (9_000.0, "hard"),
        (3_999.0, "easy"),
        (None, ""),
    ]


def test_preferences_are_counted_from_the_rows_own_side(export_folder):
    task = make_task()
    one, other = make_sample(task), make_sample(task)
    for left, right, choice in [(one, other, "left"), (other, one, "right"), (one, other, "tie")]:
        submit_preference(left, right, acting(make_user("annotator")), choice)
    table = released(export_folder)
    assert table[str(one.pk)]["preferences"] == [
        {"other": str(other.pk), "votes_for": 2, "votes_against": 0, "ties": 1}
    ]
    assert table[str(other.pk)]["preferences"] == [
        {"other": str(one.pk), "votes_for": 0, "votes_against": 2, "ties": 1}
    ]


def test_a_check_of_a_release_with_lists_finds_no_difference(export_folder):
    sample = passed(sampling={"temperature": 1.0})
    at = datetime(2026, 5, 1, tzinfo=UTC)
    Baseline.objects.create(
        task=sample.task, device=H200, mode="compile", versions_key="x", median_ms=2.0, measured_at=at
    )
    assert rebuild.check(frozen()).same


def test_a_row_of_a_release_that_was_frozen_before_a_column_existed_has_no_value_there():
    row = file_row({"uuid": "x"})
    assert set(row) == {column.name for column in COLUMNS}
    assert (row["findings"], row["votes"], row["tags"]) == (None, None, None)


def test_freezing_asks_once_for_each_list_however_many_samples_there_are(django_assert_max_num_queries):
    from datasets_app.curate.snapshot import snapshots
    from datasets_app.export.columns import GATHERED

    ids = [str(passed().pk) for _ in range(20)]
    with django_assert_max_num_queries(2 + 3 * len(GATHERED)):
        assert len(snapshots(ids, H200)) == 20
