"""Tests of a candidate's result: it is held against the reference's structure, and nobody honest is accused."""

from collections import OrderedDict, defaultdict
from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.faults import StructureError  # noqa: E402
from eval_app.engine.runner.results import flatten_result, write_into  # noqa: E402
from eval_app.engine.shared.arena import Arena, Slot  # noqa: E402
from eval_app.engine.shared.trees import TensorSpec, flatten, leaves, unflatten  # noqa: E402

CPU = torch.device("cpu")
X, Y = torch.arange(3.0), torch.arange(4.0)


@dataclass
class Pair:
    b: torch.Tensor
    a: torch.Tensor


class Plain(torch.Tensor):
    """A subclass that changes nothing."""


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


def wanted_of(result, device="cpu"):
    """Return what the judge asks for where the reference returns `result`."""
    tensors = []
    places = leaves(flatten(result, tensors))
    rest = iter(tensors)
    return [
        {"where": place, **(asked(next(rest), device) if "tensor" in form else {})} for place, form in places
    ]


def asked(tensor, device):
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch."), "device": device}


@pytest.mark.parametrize(
    "result",
    [
        {"a": X, "b": Y},
        {"b": Y, "a": X},
        OrderedDict(b=Y, a=X),
        defaultdict(list, b=Y, a=X),
        Pair(Y, X),
        {"b": torch.nn.Parameter(Y), "a": X},
        {"b": torch.nn.Buffer(Y), "a": X},
    ],
    ids=["dict", "other order", "OrderedDict", "defaultdict", "dataclass", "Parameter", "Buffer"],
)
def test_named_outputs_are_those_of_their_names_whatever_holds_them(result):
    tensors, plain = flatten_result(result, wanted_of({"a": X, "b": Y}), CPU)
    assert [t.tolist() for t in tensors] == [X.tolist(), Y.tolist()]
    assert plain == []


def test_a_size_is_a_tuple_of_integers():
    _, plain = flatten_result(torch.Size([3, 4]), wanted_of((3, 4)), CPU)
    assert plain == [{"int": "3"}, {"int": "4"}]


def test_an_output_may_be_on_the_cpu_only_where_the_references_is():
    gpu = torch.device("cuda")
    assert flatten_result(X, wanted_of(X, "cpu"), gpu)[0]
    with pytest.raises(StructureError) as refused:
        flatten_result(X, wanted_of(X, "cuda"), gpu)
    assert refused.value.kind == "wrong_structure"


def test_an_attribute_of_ones_own_is_no_accusation_and_one_of_tensors_is():
    noted, replaced = X.clone(), X.clone()
    noted._layout_of_rows = "padded"
    replaced.cpu = lambda: Y
    assert flatten_result(noted, wanted_of(X), CPU)
    with pytest.raises(StructureError) as refused:
        flatten_result(replaced, wanted_of(X), CPU)
    assert (refused.value.kind, refused.value.code) == ("cheated", "lazy_tensor")


@pytest.mark.parametrize(("kind", "outcome"), [(Plain, "wrong_structure"), (Lazy, "cheated")])
def test_a_subclass_is_accused_only_if_it_intercepts_what_is_done_with_it(kind, outcome):
    with pytest.raises(StructureError) as refused:
        flatten_result(X.as_subclass(kind), wanted_of(X), CPU)
    assert refused.value.kind == outcome


def test_a_parameter_whose_class_was_made_to_intercept_is_lazy(monkeypatch):
    parameter = torch.nn.Parameter(X)
    assert flatten_result(parameter, wanted_of(X), CPU)
    monkeypatch.setattr(torch.nn.Parameter, "__torch_function__", Lazy.__torch_function__)
    with pytest.raises(StructureError) as refused:
        flatten_result(parameter, wanted_of(X), CPU)
    assert (refused.value.kind, refused.value.code) == ("cheated", "lazy_tensor")


@pytest.mark.skipif(not hasattr(torch, "float4_e2m1fn_x2"), reason="this torch has no packed fp4")
def test_packed_numbers_travel_as_bytes_and_arrive_as_they_were():
    packed = torch.arange(8, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    tensors = []
    form = flatten([packed], tensors)
    assert tensors[0].dtype == torch.uint8
    (again,) = unflatten(form, [tensors[0].clone()])
    assert again.dtype == packed.dtype
    assert again.view(torch.uint8).tolist() == list(range(8))
    with pytest.raises(StructureError):
        flatten_result([packed.view(torch.uint8)], wanted_of([packed]), CPU)


@pytest.mark.parametrize(
    "result",
    [
        torch.ones(3, dtype=torch.float8_e4m3fn),
        torch.ones(3, 4, dtype=torch.bfloat16).t(),
        torch.zeros(2, dtype=torch.complex128).conj(),
        torch.zeros(2, dtype=torch.complex64).conj().imag,
        torch.zeros(3, dtype=torch.int64),
        torch.zeros(3, dtype=torch.bool),
        torch.zeros(1).expand(4),
        torch.nn.Parameter(torch.ones(3)),
        torch.ones(3, 0),
    ],
    ids=lambda result: str(result.dtype),
)
def test_a_result_of_any_kind_can_be_written_into(result):
    before = result.detach().clone()
    write_into([result], None)
    assert not result.numel() or not (result.float() == before.float()).any()


def test_a_result_that_was_made_in_inference_mode_can_be_written_into():
    with torch.inference_mode():
        result = torch.ones(3)
    write_into([result], None)
    assert result.isnan().all()


def test_results_in_the_judges_buffers_are_left_alone():
    arena = Arena.create(2**16, CPU)
    inside = arena.tensor(Slot(TensorSpec.of(X), 4096)).copy_(X)
    write_into([inside], arena)
    assert torch.equal(inside, X)
