"""Tests of cases: what the reference computes is found wherever it leaves it, in whatever type."""

import time
from contextlib import nullcontext
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge import admission  # noqa: E402
from eval_app.engine.judge.admission import Admission  # noqa: E402
from eval_app.engine.judge.checks.reweigh import Reweigh, _move  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.task.reference import Reference, guarded  # noqa: E402
from eval_app.engine.judge.verdicts import ReferenceFaultError  # noqa: E402

TASKS = Path(__file__).parents[2] / "kernels" / "tasks"
USUAL = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def maker_of(task, folder):
    return CaseMaker(Reference((TASKS / f"{task}.py").read_text("utf-8"), folder, torch.device("cpu"), 1))


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """On a busy machine too every question is asked."""
    monkeypatch.setattr(admission, "_BUDGET_S", 300.0)


def answers_of(maker):
    with torch.no_grad():
        examination = Admission(maker, USUAL)
        examination.examine(maker.make())
    return examination.answers


def test_the_results_of_a_task_that_returns_nothing_are_the_inputs_that_it_changes(tmp_path):
    maker = maker_of("accumulate", tmp_path)
    case = maker.make()
    assert case.truth == []
    assert [tensor is case.after[0] for tensor in case.results] == [True]
    assert answers_of(maker)["output_moves"]


def test_a_task_in_fp8_is_examined(tmp_path):
    maker = maker_of("float8_scale", tmp_path)
    with torch.no_grad():
        assert maker.make().finite()
    answers = answers_of(maker)
    assert answers["output_moves"]
    assert answers.get("incomplete") or answers["weights_asked"] == 0


PROGRAM = """
import torch
from typing import NamedTuple
class Both(NamedTuple):
    x: torch.Tensor
    scale: torch.Tensor
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        with torch.inference_mode():
            self.weight = torch.nn.Parameter(torch.rand(8) + 1)
    def forward(self, x):
        RETURN
def get_inputs():
    return [INPUT]
"""


def program(returns, takes="torch.randn(4, 8)"):
    return PROGRAM.replace("RETURN", returns).replace("INPUT", takes)


def maker_of_program(source, folder):
    return CaseMaker(Reference(source, folder, torch.device("cpu"), 1))


@pytest.mark.parametrize(
    "returns",
    [
        "return torch.complex(x, x) / 0",
        "x.div_(0)",
        "return x, float('inf')",
        "return x / 0",
    ],
)
def test_results_of_every_kind_are_looked_at_for_infinities(returns, tmp_path):
    assert not maker_of_program(program(returns), tmp_path).make().finite()
    other = tmp_path / "finite"  # in the same folder, a compiled file of the same second would stand for it
    other.mkdir()
    assert maker_of_program(program(returns.replace("0", "3").replace("inf", "3")), other).make().finite()


@pytest.mark.parametrize(
    ("returns", "takes"),
    [
        ("return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)", "torch.randn(4, 8)"),
        ("return x.to_sparse()", "torch.randn(4, 8)"),
        ("return x", "torch.randn(4, 8).to_sparse_csr()"),
        ("return x", "torch.nested.nested_tensor([torch.randn(3, 4), torch.randn(5, 4)])"),
        ("return x", "torch.quantize_per_tensor(torch.randn(4, 8), 0.1, 0, torch.qint8)"),
    ],
)
def test_tensors_that_no_buffer_holds_are_the_references_fault(returns, takes, tmp_path):
    with pytest.raises(ReferenceFaultError, match="not supported"):
        maker_of_program(program(returns, takes), tmp_path).rehearse()


def test_sparse_weights_are_the_references_fault_too(tmp_path):
    source = program("return x").replace("self.weight =", "self.weight_of =")
    source += "\nModel.state_dict = lambda self: {'weight': torch.eye(3).to_sparse()}\n"
    with pytest.raises(ReferenceFaultError, match="the reference has a tensor"):
        maker_of_program(source, tmp_path).rehearse()


def test_named_tuples_pass_by_place(tmp_path):
    returns = "x, scale = x\n        return x * scale"
    case = maker_of_program(program(returns, "Both(torch.randn(4, 8), torch.ones(8))"), tmp_path).make()
    assert torch.equal(case.truth[0], case.tensors[0])


def test_weights_that_were_made_in_inference_mode_are_moved_like_others(tmp_path):
    maker = maker_of_program(program("return x * self.weight"), tmp_path)
    assert answers_of(maker)["weights_that_move"] == 1
    before = maker.reference.weights()["weight"].clone()
    reweigh = Reweigh(None, maker, None, 1)
    with torch.no_grad(), reweigh._moved({"weight"}, _move):
        assert not torch.equal(maker.reference.weights()["weight"], before)
    assert torch.equal(maker.reference.weights()["weight"], before)


def test_of_several_outputs_one_that_zeros_pass_for_is_named(tmp_path):
    examination = Admission(maker_of_program(program("return x, x.mean() * 1e-6"), tmp_path), USUAL)
    with torch.no_grad():
        examination.examine(examination._maker.make())
    assert [found["detail"] for found in examination.findings()] == [
        "zeros pass in output[1]: a pass proves little"
    ]


def test_a_question_for_which_there_was_no_memory_is_asked_again_in_the_next_job(tmp_path, monkeypatch):
    def want_memory(model):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(admission, "shortened_model", want_memory)
    answers = answers_of(maker_of_program(program("return x.relu()"), tmp_path))
    assert answers["incomplete"]
    assert "lower_precision_passes" not in answers


def test_of_very_many_inputs_some_are_asked_about(tmp_path):
    takes = "[torch.randn(4) for _ in range(100)]"
    maker = maker_of_program(program("return torch.stack(x).sum(0)", takes), tmp_path)
    answers = answers_of(maker)
    assert answers.get("incomplete") or (answers["inputs_asked"], answers["inputs_that_move"]) == (25, 25)


def maker_of_text(source, folder):
    source = f"import torch\n{source}\nclass Model(torch.nn.Module):\n    forward = staticmethod(call)\n"
    return CaseMaker(Reference(source, folder, torch.device("cpu"), 1))


def test_a_task_that_returns_another_number_of_small_tensors_each_time_is_examined(tmp_path):
    source = "def get_inputs(): return [torch.randn(999)]\ndef call(x): return (x[x > 0] * 1e-6).split(3)"
    assert answers_of(maker_of_text(source, tmp_path))["zeros_pass"]


@pytest.mark.parametrize(
    "source",
    [
        "def get_inputs(): return [torch.randn(4), 'a' * 2_200_000]\ndef call(x, text): return x",
        "def get_inputs(): return [torch.randn(4)]\ndef call(x): return x, 'a' * 2_200_000",
        "def get_inputs(): return [torch.randn(4), [7] * 200_000]\ndef call(x, numbers): return x",
    ],
)
def test_arguments_and_results_that_no_message_holds_are_the_fault_of_the_reference(source, tmp_path):
    with torch.no_grad(), pytest.raises(ReferenceFaultError, match="bytes of text"):
        maker_of_text(source, tmp_path).rehearse()


@pytest.mark.parametrize(
    ("result", "named"),
    [("x, float(x.mean() * 1e-9)", "output[1]"), ("float(x.mean() * 1e-9)", "output"), ("x, 1.0", None)],
)
def test_a_plain_number_for_which_zero_passes_is_named(result, named, tmp_path):
    source = f"def get_inputs(): return [torch.randn(4)]\ndef call(x): return {result}"
    assert answers_of(maker_of_text(source, tmp_path)).get("zeros_pass_in") == named


def test_inputs_that_are_conjugated_or_negated_when_they_are_read_are_held_as_values(tmp_path):
    source = (
        "def get_inputs():\n    z = torch.randn(4, dtype=torch.complex64).conj()\n    return [z, z.imag]\n"
        "def call(z, part): return z, part"
    )
    with torch.no_grad():
        case = maker_of_text(source, tmp_path).rehearse()
    assert not any(tensor.is_conj() or tensor.is_neg() for tensor in case.tensors)
    assert torch.equal(case.tensors[0].imag, case.tensors[1])


def test_arguments_of_a_model_that_cannot_be_passed_on_are_the_fault_of_the_reference(tmp_path):
    source = "def get_init_inputs(): return [{'act': torch.nn.ReLU()}]\ndef get_inputs(): return [torch.randn(4)]\n"
    source = f"import torch\n{source}class Model(torch.nn.Module):\n    def __init__(self, options):\n"
    source += "        super().__init__()\n    def forward(self, x): return x"
    maker = CaseMaker(Reference(source, tmp_path, torch.device("cpu"), 1))
    with (
        torch.no_grad(),
        pytest.raises(ReferenceFaultError, match=r"get_init_inputs\(\)\[0\]\['act'\] is a ReLU"),
    ):
        guarded("a first call", maker.rehearse)


@pytest.mark.parametrize(
    ("call_s", "left_s", "at_fault"),
    [(30.0, 50.0, True), (30.0, 70.0, False), (5.0, 8.0, False)],
    ids=["the next call would end too late", "there is time for one", "others took the time"],
)
def test_a_reference_that_takes_most_of_a_jobs_time_is_at_fault_and_no_candidate(
    call_s, left_s, at_fault, tmp_path, monkeypatch
):
    reference = maker_of("add", tmp_path).reference
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    reference.allow(100.0)
    for _ in range(3):
        reference.spend(call_s)
    now += 100.0 - left_s
    with (
        pytest.raises(ReferenceFaultError, match="too slow for a job of 100 s") if at_fault else nullcontext()
    ):
        reference.require_time()


def test_a_references_calls_are_counted(tmp_path):
    maker = maker_of("add", tmp_path)
    maker.make()
    assert maker.reference._spent_s > 0


REJECTS_LARGE = """
def get_inputs():
    return [torch.randn(8, 5).clamp(-3, 3)]
def call(x):
    if x.abs().max() > 20:
        raise ValueError("too large")
    return x * 2
"""


def test_values_of_a_family_that_the_reference_rejects_by_chance_are_left_for_its_own(tmp_path):
    maker = maker_of_text(REJECTS_LARGE, tmp_path)
    assert {maker.make_or_own("scaled_up").name for _ in range(8)} == {"natural"}
    assert maker.make_or_own("scaled_down").name == "scaled_down"


def test_a_reference_that_rejects_its_own_values_is_at_fault(tmp_path):
    maker = maker_of_text(REJECTS_LARGE.replace("> 20", "> 0"), tmp_path)
    with pytest.raises(ReferenceFaultError, match="the reference failed: ValueError: too large"):
        maker.make_or_own("scaled_up")


MASK = """
import torch
class Model(torch.nn.Module):
    def forward(self, mask): return mask.float().mean(-1)
def get_inputs(): return [torch.rand(64, 256) < 0.9]
"""


def test_a_family_has_other_random_numbers_than_the_inputs_that_it_changes(tmp_path):
    maker = CaseMaker(Reference(MASK, tmp_path, torch.device("cpu"), 1))
    with torch.no_grad():
        assert float(maker.make("mixed").truth[0].mean()) > 0.95
