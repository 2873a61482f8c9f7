"""Tests of what trainers learn from beside single answers: pairs, labels, tasks and loss masks."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.export.formats.masked import FAULTS, train_detail
from datasets_app.export.turns import answer
from eval_app.engine.contract.jobs import Job
from tests.export.reading import TASK, lines, row, texts_of, written

OTHER_TASK = "1c2d3e4f-5061-5283-9485-96a7b8c9dae0"
H200 = "NVIDIA H200"


def timed(name: str, speedup: float, **values):
    """Return a row that passed, with an interval of 2 % around its speedup."""
    ends = {"speedup_low": 0.98 * speedup, "speedup_high": 1.02 * speedup}
    given = {"outcome": "passed", "device": H200, "speedup_over_eager": speedup, **ends, **values}
    return row(uuid=name, id=name, generated_code=f"class {name}: ...", **given)


def pairs(rows, **chosen) -> set[tuple[str, str, str]]:
    records = lines(written("preference", rows, **chosen))
    return {(record["kind"], record["chosen_id"], record["rejected_id"]) for record in records}


def test_the_fastest_kernel_is_preferred_to_those_whose_interval_ends_below():
    assert pairs([timed("a", 2.0), timed("b", 1.0), timed("c", 1.99)]) == {("fast", "a", "b")}


def test_the_interval_over_all_like_runs_counts_where_there_is_one():
    wide = timed("a", 2.0, between_low=0.9, between_high=3.0)
    assert pairs([wide, timed("b", 1.0)]) == set()


@pytest.mark.parametrize(
    "doubt",
    [
        {"runs_disagree": True},
        {"findings": [{"code": "time_unconfirmed", "severity": "audit", "detail": ""}]},
        {"device": "another"},
        {"verdict": "reject"},
        {"speedup_low": None},
    ],
)
def test_a_speedup_that_is_in_doubt_is_ranked_nowhere(doubt):
    assert pairs([timed("a", 2.0, **doubt), timed("b", 1.0)]) == set()


def test_the_best_honest_kernel_is_preferred_to_each_cheat():
    cheat = row(uuid="c", id="c", outcome="cheated")
    broken = row(uuid="d", id="d", outcome="broken_promise")
    found = pairs([timed("a", 1.0), timed("b", 1.01), cheat, broken])
    assert found == {("honest", "b", "c")}


def test_a_concise_trace_is_preferred_to_one_of_twice_its_length_or_more():
    short = timed("a", 1.0, trace_tokens=100, tokenizer="words")
    long = timed("b", 1.01, trace_tokens=200, tokenizer="words")
    little_longer = timed("c", 1.0, trace_tokens=199, tokenizer="words")
    otherwise_counted = timed("d", 1.0, trace_tokens=900, tokenizer="bytes")
    assert pairs([short, long, little_longer, otherwise_counted]) == {("concise", "a", "b")}


def test_a_long_trace_that_made_a_faster_kernel_is_not_rejected():
    short = timed("a", 1.0, trace_tokens=100, tokenizer="words")
    long = timed("b", 3.0, trace_tokens=900, tokenizer="words")
    assert pairs([short, long]) == {("fast", "b", "a")}


def test_reviewers_choices_are_pairs_where_a_majority_chose():
    votes = [{"other": "b", "votes_for": 2, "votes_against": 1, "ties": 0}]
    even = [{"other": "a", "votes_for": 1, "votes_against": 1, "ties": 3}]
    gone = [{"other": "not in the release", "votes_for": 2, "votes_against": 0, "ties": 0}]
    rows = [row(uuid="a", id="a", preferences=votes + gone), row(uuid="b", id="b", preferences=even)]
    assert pairs(rows) == {("reviewers", "a", "b")}


def test_two_rows_make_one_pair_whatever_else_would_say_the_opposite():
    votes = [{"other": "a", "votes_for": 2, "votes_against": 0, "ties": 0}]
    slow = timed("b", 1.0, preferences=votes)
    assert pairs([timed("a", 2.0), slow]) == {("reviewers", "b", "a")}
    assert pairs([timed("a", 2.0), slow], pairs=["fast"]) == {("fast", "a", "b")}


def test_rows_of_two_tasks_make_no_pair():
    assert pairs([timed("a", 2.0), timed("b", 1.0, task_id=OTHER_TASK)]) == set()


def test_a_pair_has_trls_explicit_prompt():
    (record,) = lines(written("preference", [timed("a", 2.0), timed("b", 1.0)]))
    assert [message["role"] for message in record["prompt"]] == ["user"]
    assert [message["role"] for message in record["chosen"] + record["rejected"]] == ["assistant"] * 2
    assert texts_of(record["chosen"][0]["content"]) == ("I think.", "class a: ...")
    assert record["task_id"] == TASK


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        ({"outcome": "passed"}, True),
        ({"outcome": "wrong_value"}, False),
        ({"outcome": "cheated", "verdict": "accept"}, False),
        ({"outcome": "passed", "verdict": "reject"}, False),
        ({"outcome": "passed", "verdict": "fix"}, False),
        ({"verdict": "accept"}, True),
        ({"outcome": "infra_error", "verdict": "accept"}, True),
        ({"outcome": "passed", "verdict": "contested"}, None),
        ({"outcome": "infra_error"}, None),
        ({}, None),
    ],
)
def test_a_label_comes_from_reviews_and_verification_and_neither_overrules_a_refusal(facts, label):
    records = lines(written("kto", [row(**facts)]))
    assert [record["label"] for record in records] == ([] if label is None else [label])


def test_a_labelled_answer_has_trls_form():
    (record,) = lines(written("kto", [row(outcome="passed")]))
    assert [message["role"] for message in record["prompt"] + record["completion"]] == ["user", "assistant"]


def test_a_task_is_one_record_that_the_engine_takes_for_a_job():
    rows = [row(profile=None), row(uuid="b", profile="thorough"), row(task_id=OTHER_TASK, profile=None)]
    first, second = lines(written("rl", rows))
    assert (first["id"], first["profile"], second["profile"]) == (TASK, "thorough", "standard")
    assert first["reference"] in first["prompt"][0]["content"]
    candidate = f"class {first['entry']}: ..."
    job = Job.from_dict(
        {"candidate": candidate, **{name: first[name] for name in ("id", "reference", "profile")}}
    )
    assert job.reference == first["reference"]


SPANS = st.tuples(
    st.sampled_from(["trace", "kernel", "program"]),
    st.integers(0, 5),
    st.integers(1, 6),
    st.sampled_from(["race", "key_insight"]),
)


@settings(max_examples=60)
@given(st.lists(SPANS, max_size=5), st.booleans())
def test_a_mask_covers_the_turn_once_and_leaves_out_exactly_the_faults(spans, think):
    one = row(generated_think="𝛂 tr`ce\n", generated_code="kern```l")
    notes = [
        {"text": text, "start": start, "end": start + length, "label": label, "resolved": False}
        for text, start, length, label in spans
        if start + length <= 8
    ]
    turn = answer(one, think)
    parts = train_detail(notes, turn)
    assert parts[0]["begin_offset"] == 0
    assert parts[-1]["end_offset"] == len(turn.text) - 1
    assert all(two["begin_offset"] == first["end_offset"] + 1 for first, two in pairwise(parts))
    masked = {
        at
        for part in parts
        if not part["train"]
        for at in range(part["begin_offset"], part["end_offset"] + 1)
    }
    expected = {
        turn.starts[note["text"]] + at
        for note in notes
        if note["label"] in FAULTS and note["text"] in turn.starts
        for at in range(note["start"], note["end"])
    }
    assert masked == expected


def test_a_mask_is_over_the_turn_as_it_is_in_the_file():
    note = {"text": "trace", "start": 2, "end": 7, "label": "wrong_claim", "resolved": False}
    (record,) = lines(written("chat-masked", [row(generated_think="I guess so.", notes=[note])]))
    turn = record["messages"][1]
    (part,) = [part for part in turn["train_detail"] if not part["train"]]
    assert turn["content"][part["begin_offset"] : part["end_offset"] + 1] == "guess"
    assert (turn["regions"], record["weight"]) == ([], 1.0)


CUDA_KERNEL = 'SOURCE = """\n__global__ void f(float* x) { x[threadIdx.x] = 0; }\n"""\nclass ModelNew: ...'


@pytest.mark.parametrize("language", ["cuda", "hip"])
def test_a_kernels_syntax_gives_the_regions_until_a_note_marks_one(language):
    plain = row(generated_code=CUDA_KERNEL, language=language, notes=[])
    (record,) = lines(written("chat-masked", [plain]))
    turn = record["messages"][1]
    named = [
        (turn["content"][one["begin_offset"] : one["end_offset"] + 1], one["label"], one["weight"])
        for one in turn["regions"]
    ]
    assert named == [("__global__", "qualifier", 1.5), ("threadIdx.x", "indexing", 2.0)]
    assert record["weight"] == round(1 + (0.5 * 10 + 11) / len(turn["content"]), 4)
    at = CUDA_KERNEL.index("x[threadIdx.x] = 0")
    note = {"text": "kernel", "start": at, "end": at + 18, "label": "cuda_sensitive", "resolved": False}
    (record,) = lines(written("chat-masked", [plain | {"notes": [note]}]))
    (only,) = record["messages"][1]["regions"]
    assert (only["label"], only["weight"]) == ("cuda_sensitive", 2.0)


def test_regions_that_matter_are_named_and_their_share_is_the_weight():
    note = {"text": "kernel", "resolved": False}
    notes = [
        note | {"start": 6, "end": 14, "label": "cuda_sensitive"},
        note | {"start": 0, "end": 8, "label": "key_insight"},
        note | {"start": 0, "end": 5, "label": "self_correction"},
    ]
    (record,) = lines(written("chat-masked", [row(generated_code="class ModelNew: ...", notes=notes)]))
    turn = record["messages"][1]
    named = [
        (turn["content"][one["begin_offset"] : one["end_offset"] + 1], one["label"])
        for one in turn["regions"]
    ]
    assert named == [("class Mo", "key_insight"), ("ModelNew", "cuda_sensitive")]
    assert record["weight"] == round(1 + len("class ModelNew") / len(turn["content"]), 4)
    assert [part["train"] for part in turn["train_detail"]] == [True]
