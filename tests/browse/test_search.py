import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.db.text_index import index, pending
from datasets_app.models import Sample, SampleBody, Task, TaskBody
from tests.browse.indexes_made_anew import make_indexes_anew
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db
OPERATORS = ["AND", "OR", "NOT", "NEAR(", "NEAR/2", ")", "(", '"', "*", "-", "^", ":", "{program}", "trace:"]
OPERATORS += ["'", "\\", "a", "b*", "🎉", "\x01", "é", "\u202e", "|", "&", "<->", "!", "%", "%s", ";", "--"]
OPERATORS += ["1e5", "2d*", "_", "__*"]
TRACE = "First a warp shuffle. Wait, F.conv_transpose2d is slow; use __shfl_down_sync(0xffffffff, v, 16)."


def search(text):
    return set(Sample.objects.search(text))


def index_pending():
    for ids in pending.batches():
        pending.index(ids)


@pytest.fixture
def sample():
    make_sample(reasoning="Nothing of the kind: shuffle the warp threads.")
    return make_sample(reasoning=TRACE)


@pytest.mark.parametrize(
    "text",
    [
        "conv_transpose2d",
        "CONV_TRANSPOSE2D",
        '"warp shuffle"',
        "warp conv_trans*",
        '"a warp shuf"*',
        "F.conv_transpose2d",
        "__shfl_down_sync",
        "0xffffffff",
        '"slow; use"',
    ],
)
def test_words_phrases_and_starts_of_words_find_a_trace(sample, text):
    assert search(text) == {sample}


@pytest.mark.parametrize(
    "text", ["conv_transpose2d", '"warp shuffle"', "warp conv_trans*", "absent_word", "relu", "!"]
)
def test_a_walk_that_asks_each_row_for_the_words_finds_the_same_rows(sample, text):
    assert set(Sample.objects.filter(pk__holds_words=text)) == search(text)


@pytest.mark.parametrize("text", ["transpose2d", '"shuffle warp"', "conv_trans", "warp absent_word"])
def test_parts_of_words_and_other_orders_do_not(sample, text):
    assert search(text) == set()


def test_a_program_and_a_kernel_are_searched_with_the_trace():
    task = make_task("class Model: alpha_in_program = 1")
    wanted = make_sample(task, reasoning="beta_in_trace", kernel="gamma_in_kernel = 1")
    assert search("alpha_in_program beta_in_trace gamma_in_kernel") == {wanted}


def test_a_changed_text_is_found_by_its_new_words_only(sample):
    SampleBody.objects.filter(sample=sample).update(reasoning="quite new_words")
    assert search("new_words") == {sample}
    assert search("conv_transpose2d") == set()


def test_a_changed_program_is_found_through_its_samples(sample):
    TaskBody.objects.filter(task=sample.task).update(pytorch_code="fresh_program")
    assert search("fresh_program shuffle") == {sample}


def test_a_deleted_text_is_forgotten(sample):
    SampleBody.objects.filter(sample=sample).delete()
    assert search("conv_transpose2d") == set()


def test_rows_written_in_bulk_are_found():
    sample = make_sample()
    SampleBody.objects.filter(sample=sample).delete()
    SampleBody.objects.bulk_create([SampleBody(sample=sample, reasoning="bulk_word", kernel_code="k")])
    assert search("bulk_word") == {sample}


def test_tasks_are_found_by_program_and_by_part_of_a_name():
    task = make_task("import torch  # rare_task_word", name="Softmax_4096")
    make_task()
    assert set(Task.objects.search("rare_task_word")) == set(Task.objects.search("max_40")) == {task}


def test_a_trace_of_a_megabyte_of_different_words_is_taken():
    words = " ".join(f"w{number:07d}" for number in range(120_000))
    sample = make_sample(reasoning=words)
    index_pending()
    assert search("w0000017") == {sample}


def test_an_index_built_anew_finds_the_same(sample):
    index.rebuild(connection)
    assert search("conv_transpose2d") == {sample}
    assert set(Task.objects.search("relu")) >= {sample.task}


@pytest.mark.parametrize("text", ["", "  ", "!!!", "🎉", '"', "*", '""', "'"])
def test_a_search_without_a_word_finds_nothing_and_does_not_fail(sample, text):
    assert search(text) == set()


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(max_size=80).map(lambda text: text.replace("\x00", "").encode("utf-8", "replace").decode()),
        st.lists(
            st.sampled_from(OPERATORS),
            max_size=12,
        ).map(" ".join),
    )
)  # fmt: skip
def test_no_text_makes_a_search_fail(text):
    assert isinstance(list(Sample.objects.search(text)), list)
    assert isinstance(list(Task.objects.search(text)), list)


@pytest.mark.django_db(transaction=True)
def test_an_index_that_is_dropped_and_made_again_finds_what_was_there():
    sample = make_sample(reasoning="survives_migration")
    make_indexes_anew()
    assert search("survives_migration") == {sample}
