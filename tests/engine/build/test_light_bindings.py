"""Tests that light bindings convert as pybind11 does: the same calls, answers and kinds of error."""

import importlib.util

import pytest

from eval_app.engine.build.request import BuildRequest

pytestmark = pytest.mark.engine

SOURCE = """
#include <vector>
int64_t whole(int64_t x) { return x; }
int small(int x) { return x; }
unsigned char_like(unsigned x) { return x; }
double real(double x) { return x; }
float single(float x) { return x; }
bool flag(bool x) { return x; }
std::string text(const std::string& x) { return x; }
std::vector<int64_t> wholes(std::vector<int64_t> x) { return x; }
std::vector<torch::Tensor> tensors(const std::vector<torch::Tensor>& x) { return x; }
bool has(std::optional<torch::Tensor> x) { return x.has_value(); }
std::tuple<torch::Tensor, double> both(torch::Tensor x, double y) { return {x, y}; }
torch::Tensor same(const torch::Tensor& x) { return x; }
void nothing() {}
torch::Tensor undefined() { return torch::Tensor(); }
void check(bool x) { TORCH_CHECK(x, "check failed"); }
void indexed(bool x) { TORCH_CHECK_INDEX(x, "no such index"); }
void standard() { throw std::runtime_error("standard"); }
"""
NAMES = [
    *("whole", "small", "char_like", "real", "single", "flag", "text", "wholes", "tensors", "has"),
    *("both", "same", "nothing", "undefined", "check", "indexed", "standard"),
]


def module_of(result):
    assert result.kind == "built", result.log + result.error
    spec = importlib.util.spec_from_file_location(result.module_path.stem, result.module_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(shared_service):
    """Return the same functions bound lightly and by pybind11 (naming it in a comment is enough)."""
    pytest.importorskip("torch")
    functions = tuple((name, "a doc") for name in NAMES)
    light = shared_service.build(
        BuildRequest(name="light_test", cpp_sources=(SOURCE,), functions=functions), 300
    )
    heavy = shared_service.build(
        BuildRequest(name="light_test", cpp_sources=(SOURCE + "// pybind11\n",), functions=functions), 300
    )
    assert "(slim)" in light.log
    return module_of(light), module_of(heavy)


def outcome(module, name, arguments):
    """Return a call's result, or the type of its exception (with the message, if it is the function's own)."""
    import torch

    try:
        value = getattr(module, name)(*arguments)
    except TypeError:
        return TypeError
    except Exception as error:
        return type(error), str(error).splitlines()[0]
    if isinstance(value, torch.Tensor):
        return "tensor", value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [item.tolist() if isinstance(item, torch.Tensor) else item for item in value]
    return type(value), value


def calls():
    import numpy as np
    import torch

    one = torch.ones(2)
    numbers = [0, 1, -1, 2**40, 2**63, 1.5, np.int64(3), np.float32(2.5), torch.tensor(3), torch.tensor(2.5)]
    others = [True, False, None, np.bool_(True), "text", b"bytes", one, {"a": 1}]
    lists = [[], [1, 2], (3,), [one], [1.5], [None]]
    values = [*numbers, *others, *lists]
    single = [name for name in NAMES if name not in ("nothing", "undefined", "both", "standard")]
    yield from ((name, (value,)) for name in single for value in values)
    yield from (("both", pair) for pair in [(one, 1), (1, one), (one,), (one, 1, 1)])
    yield from ((name, ()) for name in ("nothing", "undefined", "standard", "whole"))
    yield ("nothing", (1,))


def test_every_call_ends_as_with_pybind11(modules):
    light, heavy = modules
    different = []
    for name, arguments in calls():
        ours, theirs = outcome(light, name, arguments), outcome(heavy, name, arguments)
        if ours != theirs:
            different.append((name, arguments, ours, theirs))
    assert not different


def test_keywords_are_refused_as_pybind11_refuses_unnamed_ones(modules):
    for module in modules:
        with pytest.raises(TypeError):
            module.whole(x=1)


def test_docstrings_are_kept(modules):
    for module in modules:
        assert "a doc" in module.whole.__doc__


def test_references_are_not_leaked(modules):
    import sys

    import torch

    light, _ = modules
    tensor = torch.ones(3)
    before = sys.getrefcount(tensor)
    for _ in range(100):
        light.same(tensor)
        light.tensors([tensor])
        light.both(tensor, 1.0)
    assert sys.getrefcount(tensor) <= before + 1
