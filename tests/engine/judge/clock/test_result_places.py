"""Where a runner says its results lie: it may say anything, and the judge reads nothing outside of what is shared."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock.result_places import ResultPlaces  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError, UnreadableError  # noqa: E402

TRUTH = torch.zeros(4, 6)
GOOD = {"block": 0, "offset": 8, "shape": [4, 6], "stride": [6, 1]}


def result_places(shares_input=lambda output: True):
    places = ResultPlaces(shares_input)
    places.buffers = torch.zeros(64, dtype=torch.uint8)
    return places


def view(place):
    return result_places()._view(0, place, TRUTH, [torch.arange(256, dtype=torch.uint8)])


def test_a_result_is_read_where_it_lies_with_its_own_strides():
    assert view(GOOD).shape == TRUTH.shape
    assert view(GOOD | {"stride": [1, 4]}).stride() == (1, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"offset": -8},
        {"offset": 9},  # torch reads no element there
        {"offset": 168},
        {"offset": 2**60},
        {"block": 1},
        {"block": -2},
        {"block": True},
        {"block": -1},  # the judge's own buffers, which are too small for it
        {"stride": [6]},
        {"stride": [-6, 1]},
        {"stride": [2**40, 1]},
        {"stride": "61"},
        {"shape": [4]},
        {"shape": "46"},
        {"shape": [4, -1]},
        {"offset": None},
    ],
)
def test_a_place_outside_of_what_is_shared_is_tampering(wrong):
    with pytest.raises(RejectedError) as caught:
        view(GOOD | wrong)
    assert [finding["code"] for finding in caught.value.findings] == ["forged_message"]


def test_a_result_lies_in_inputs_only_where_that_of_single_calls_does():
    places = result_places(lambda output: output == 1)
    places.buffers = torch.zeros(256, dtype=torch.uint8)
    in_buffers = GOOD | {"block": -1}
    assert places._view(1, in_buffers, TRUTH, []).shape == TRUTH.shape
    with pytest.raises(UnreadableError, match="lie in their inputs, and those of single calls do not"):
        places._view(0, in_buffers, TRUTH, [])


def test_more_blocks_than_results_are_tampering_and_none_is_opened():
    calls = [SimpleNamespace(truth=[TRUTH])]
    with pytest.raises(RejectedError, match="more blocks of memory than results"):
        result_places().read({"blocks": ["00" * 64] * 2, "outputs": [[GOOD]]}, calls)


def test_a_result_of_another_size_is_wrong_and_no_tampering():
    with pytest.raises(RejectedError) as caught:
        view(GOOD | {"shape": [3, 6]})
    assert caught.value.outcome == "wrong_structure"


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["block", "offset", "shape", "stride"]), json_like) | json_like)
def test_whatever_it_says_is_a_view_or_tampering(place):
    try:
        shape = view(place).shape
    except RejectedError:
        return
    assert shape == TRUTH.shape


@given(st.fixed_dictionaries({}, optional={"blocks": json_like, "outputs": json_like}))
def test_whatever_answer_it_gives_is_tampering_or_of_the_wrong_structure(answer):
    calls = [SimpleNamespace(truth=[TRUTH])]
    with pytest.raises(RejectedError):
        result_places().read(answer, calls)
