"""The layouts that a runner says its results have: all elements are read, whatever it says, and gaps excuse copying."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import result_layouts  # noqa: E402
from eval_app.engine.judge.clock.result_layouts import gaps_ms, has_gaps, in_own_layouts, specs_of  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from eval_app.engine.shared.order import OtherResultError, copy_results  # noqa: E402
from tests.engine.judge.clock.test_result_places import json_like  # noqa: E402

CPU = torch.device("cpu")


def results():
    return [[torch.arange(24.0).view(4, 6)], [torch.arange(6.0).view(2, 3), torch.zeros(0, 3)]]


def test_a_result_that_was_copied_as_it_lay_is_read_with_its_own_strides():
    transposed = torch.arange(24.0).view(6, 4).t()
    targets = [[torch.zeros(4, 6)], [torch.zeros(2, 3), torch.zeros(0, 3)]]
    made = [transposed, (torch.ones(2, 3), torch.zeros(0, 3))]
    layouts = [list(map(listed, layout)) for layout in copy_results(made, targets)]
    assert layouts == [[0, 0, [1, 4]]]
    assert torch.equal(targets[0][0].flatten(), torch.arange(24.0)), "copied without rearranging"
    read, specs = in_own_layouts(targets, {"layouts": layouts})
    assert [spec.stride for spec in specs] == [(1, 4)]
    assert torch.equal(read[0][0], transposed)
    assert torch.equal(read[1][0], torch.ones(2, 3))


def listed(value):
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    "strided", [torch.ones(1, 1).expand(4, 6), torch.ones(8, 12)[::2, ::2], torch.ones(6, 8).t()[:4]]
)
def test_a_result_with_holes_or_repeated_elements_is_copied_whole(strided):
    values = torch.arange(24.0).view(4, 6)
    if strided.stride(0):
        strided.copy_(values)
    expected, targets = strided.clone(), [[torch.zeros(4, 6)]]
    layouts = [list(map(listed, layout)) for layout in copy_results([strided], targets)]
    (read,), specs = in_own_layouts(targets, {"layouts": layouts})
    assert torch.equal(read[0], expected)
    assert [spec.stride for spec in specs] == [strided.stride()]


@pytest.mark.parametrize(
    "layouts",
    [
        None,
        [[0, 0]],
        [[2, 0, [1, 4]]],
        [[-1, 0, [1, 4]]],
        [[0, True, [1, 4]]],
        [[0, 1, [1, 4]]],
        [[0, 0, [-6, 1]]],
        [[0, 0, [2**39, 1]]],
        [[0, 0, [1, 2**50]]],
        [[0, 0, [4]]],
        [[0, 0, "14"]],
    ],
)
def test_a_layout_that_no_result_has_is_tampering(layouts):
    with pytest.raises(RejectedError) as caught:
        in_own_layouts(results(), {"layouts": layouts})
    assert [finding["code"] for finding in caught.value.findings] == ["forged_message"]


@given(json_like | st.lists(st.tuples(st.integers(), st.integers(), st.lists(st.integers(0, 24))).map(list)))
def test_whatever_layouts_it_gives_all_elements_are_read_or_it_is_tampering(layouts):
    try:
        read, specs = in_own_layouts(results(), {"layouts": layouts})
    except RejectedError:
        return
    assert sorted(read[0][0].flatten().tolist()) == list(range(24))
    assert gaps_ms(specs[:2], CPU) >= 0


@pytest.mark.parametrize(
    ("view", "gaps"),
    [
        (torch.ones(8, 12), False),
        (torch.ones(8, 12).t(), False),
        (torch.ones(1, 12).expand(8, 12), False),
        (torch.ones(0, 12)[:, ::2], False),
        (torch.ones(8, 12)[:, ::2], True),
        (torch.ones(8, 12)[::2], True),
        (torch.ones(1, 64)[:, ::16].expand(2, 4), True),
    ],
)
def test_only_a_layout_with_unused_elements_between_its_own_has_gaps(view, gaps):
    (spec,) = specs_of([view])
    assert has_gaps(spec) is gaps
    assert gaps_ms([spec], CPU) >= 0 if gaps else gaps_ms([spec], CPU) == 0


@pytest.fixture
def copied(monkeypatch):
    """Have each copy take as many milliseconds as its last stride; list the shapes of what is copied."""
    shapes = []

    def copy_ms(target, source):
        assert target.shape == source.shape
        shapes.append(tuple(source.shape))
        return float(source.stride(-1))

    monkeypatch.setattr(result_layouts, "_copy_ms", copy_ms)
    return shapes


def test_gaps_add_what_a_copy_of_theirs_takes_longer_for_each_result(copied):
    assert gaps_ms(specs_of([torch.ones(4, 64)[:, ::16]] * 3 + [torch.ones(4, 4)]), CPU) == 3 * (16 - 1)
    assert copied == [(4, 4)] * 2


def test_what_spans_more_than_the_judge_would_allocate_is_measured_by_a_part(copied, monkeypatch):
    monkeypatch.setattr(result_layouts, "_COPIED_BYTES", 2**20)
    wide = torch.empty(1, device="meta").as_strided((2048, 512), (2**26, 16))
    assert gaps_ms(specs_of([wide]), CPU) == 2048 * (16 - 1)
    assert copied == [(1, 512)] * 2


@pytest.mark.parametrize("result", [torch.ones(4, 6, dtype=torch.int8), torch.ones(6), torch.ones(())])
def test_what_a_copy_would_widen_or_repeat_is_no_result(result):
    target = torch.zeros(4, 6)
    with pytest.raises(OtherResultError, match="returns"):
        copy_results([result], [[target]])
    assert not target.any()
