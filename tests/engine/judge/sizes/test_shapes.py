"""Tests of other sizes: from the program's own constants, or cut from its inputs; odd ones."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.contract.configs import TaskConfig  # noqa: E402
from eval_app.engine.judge.sizes.shapes import alternative_shapes  # noqa: E402
from eval_app.engine.judge.task.reference import Reference  # noqa: E402
from eval_app.engine.judge.verdicts import ReferenceFaultError  # noqa: E402
from tests.engine.kernels.catalogue import FOLDER  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture
def reference(tmp_path):
    return lambda name: Reference((FOLDER / "tasks" / f"{name}.py").read_text(), tmp_path, CPU, 0)


def test_a_constant_that_only_the_inputs_read_is_changed_and_restored(reference):
    task = reference("rows_by_constant")
    shapes = alternative_shapes(task)
    assert {shape.note.partition("=")[0] for shape in shapes} == {"batch_size"}
    assert {shape.make(1)[0].shape[0] for shape in shapes} == {31, 49, 3}
    assert task.inputs(1)[0].shape == (48, 64)


BOUNDED = """
import torch

rows, classes = 8, 5

class Model(torch.nn.Module):
    def forward(self, predictions, labels):
        return torch.nn.functional.cross_entropy(predictions, labels)

def get_inputs():
    return [torch.randn(rows, 5), torch.randint(0, classes, (rows,))]
"""


def test_a_constant_that_bounds_values_is_left_alone(tmp_path):
    shapes = alternative_shapes(Reference(BOUNDED, tmp_path, CPU, 0))
    assert {shape.note.partition("=")[0] for shape in shapes} == {"rows"}


def test_without_constants_the_shared_leading_dimension_is_cut(reference):
    shapes = alternative_shapes(reference("add"))
    assert {tuple(x.shape[0] for x in shape.make(1)) for shape in shapes} == {(41, 41), (3, 3)}


OF_ONE = """
import torch

batch_size = 1

class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2

def get_inputs():
    return [torch.randn({size}, 5), torch.randn(5)]
"""


@pytest.mark.parametrize("size", ["batch_size", "1"])
def test_a_batch_of_one_becomes_one_of_three(tmp_path, size):
    shapes = alternative_shapes(Reference(OF_ONE.format(size=size), tmp_path, CPU, 0))
    (shape,) = (shape for shape in shapes if shape.note.endswith(("=3, not 1", "dimension 3, not 1")))
    rows, beside = shape.make(1)
    assert rows.shape == (3, 5)
    assert beside.shape == (5,)
    assert not torch.equal(rows[0], rows[1])


def test_a_configuration_reaches_the_model_and_the_inputs(reference):
    task = reference("affine")
    task.configure(TaskConfig("wide", {"init_method": "ones"}, {"batch_size": 5}, {"features": 9}), 0)
    assert task.inputs(1)[0].shape == (5, 9)
    assert torch.equal(task.weights()["weight"], torch.ones(9))
    assert task.init_arguments == [9, "ones"]
    task.configure(None, 0)
    assert task.inputs(1)[0].shape == (32, 64)


def test_a_configuration_that_the_reference_refuses_leaves_the_one_before(reference):
    task = reference("affine")
    with pytest.raises(ReferenceFaultError, match="unexpected keyword"):
        task.configure(TaskConfig("odd", {"colour": 3}), 0)
    assert task.config == "own"
    assert task.inputs(1)[0].shape == (32, 64)
