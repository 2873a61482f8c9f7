"""Tests that the catalogue is complete: every kernel is explained, reveals nothing, and fits its group."""

import ast
import copy
import dataclasses
import random
from pathlib import Path

import pytest

from tests.engine.kernels.catalogue import FOLDER, load_all

KERNELS = load_all()
OUTCOMES = {
    *("passed", "build_error", "build_timeout", "load_error", "runtime_error", "illegal_memory", "out_of_memory"),
    *("timeout", "wrong_structure", "wrong_value", "nondeterministic", "broken_promise", "cheated"),
    "infra_error",
}
BUILDS = ("load_inline", "cpp_extension import load")
# Honest kernels that part from their task where last bits decide: that is what the engine must allow for.
LAST_BITS = {
    "above_counted_in_parts", "attention_bf16_rounded_once", "float8_rounded_once", "grey_in_another_order",
    "halves_to_bytes_in_single", "orthogonalised_in_single", "ranked_scores_last_first", "rounded_sigmoid_by_exp",
    "there_and_back_in_parts", "topk_ties_in_another_order",
}  # fmt: skip


def named(group, device=None):
    return [kernel for kernel in KERNELS if kernel.group == group and (device is None or kernel.runs_on(device))]


@pytest.mark.parametrize(
    ("group", "device", "least"),
    [("honest", None, 90), ("honest", "cpu", 60), ("cheats", None, 45), ("cheats", "cpu", 20), ("broken", None, 20)],
)
def test_there_are_enough_of_each(group, device, least):
    assert len(named(group, device)) >= least


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.group}-{kernel.name}")
def test_a_kernel_is_explained_and_gives_nothing_away(kernel):
    assert kernel.explanation
    assert kernel.device in ("any", "cpu", "cuda")
    assert kernel.expect.outcomes
    assert kernel.expect.outcomes <= OUTCOMES
    for secret in ("EXPECT", "TASK =", "DEVICE =", kernel.explanation.splitlines()[0]):
        assert secret not in kernel.source


@pytest.mark.parametrize("kernel", named("honest"), ids=lambda kernel: kernel.name)
def test_an_honest_kernel_passes_and_is_never_accused(kernel):
    assert "passed" in kernel.expect.outcomes
    assert kernel.expect.outcomes <= {"passed", "broken_promise"}


@pytest.mark.parametrize("kernel", named("cheats"), ids=lambda kernel: kernel.name)
def test_a_cheat_is_caught_by_its_outcome_or_by_a_finding_or_its_time_is_not_believed(kernel):
    assert "Class B." in kernel.explanation
    expect = kernel.expect
    assert "passed" not in expect.outcomes or expect.findings or expect.max_speedup is not None


def test_every_task_is_used_and_has_the_three_names():
    used = {kernel.task for kernel in KERNELS}
    files = {path.stem: path for path in (FOLDER / "tasks").glob("*.py")}
    assert used == set(files)
    for path in files.values():
        names = {node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")}
        assert {"Model", "get_inputs", "get_init_inputs"} <= names


def program(source, name):
    names = {"__name__": name}
    exec(compile(source, name, "exec"), names)
    return names


def built(model, arguments):
    keywords = arguments[1] if len(arguments) == 2 and isinstance(arguments[1], dict) else {}
    return model(**keywords) if keywords else model(*arguments)


def comparable(value, torch):
    """Return what torch's `assert_close` can compare: dataclasses by field, numbers of a byte or less by their bytes."""
    if dataclasses.is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: comparable(item, torch) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(item, torch) for item in value]
    if hasattr(value, "itemsize") and value.itemsize == 1:
        return value.view(torch.uint8)
    return value


def seeded_call(model, inputs, seed, torch):
    """Call the model with the random numbers of `seed`, torch's and Python's."""
    torch.manual_seed(seed)
    random.seed(seed)
    return model(*inputs)


@pytest.mark.parametrize(
    "kernel",
    [
        kernel
        for kernel in named("honest", "cpu")
        if kernel.name not in LAST_BITS and not any(word in kernel.source for word in BUILDS)
    ],
    ids=lambda kernel: kernel.name,
)
def test_an_honest_kernel_gives_what_its_task_gives(kernel, capsys):
    """Uses plain torch, so that a refusal by the engine is known to be the engine's fault."""
    torch = pytest.importorskip("torch")
    task = program(kernel.task_source, kernel.task)
    arguments = task["get_init_inputs"]()
    models = []
    for model in (task["Model"], program(kernel.source, kernel.name)["ModelNew"]):
        torch.manual_seed(0)
        models.append(built(model, arguments))
    reference, candidate = models
    if "weights_seeded" not in kernel.expect.findings:
        candidate.load_state_dict(reference.state_dict())
    for seed in range(3):
        inputs = task["get_inputs"]()
        with torch.no_grad():
            truth, got = (seeded_call(model, copy.deepcopy(inputs), seed, torch) for model in models)
        if truth is None:  # the results are in the inputs, which the engine's own test compares
            assert got is None
            continue
        close = {"rtol": 2e-5, "atol": 2e-5, "equal_nan": True}
        torch.testing.assert_close(comparable(got, torch), comparable(truth, torch), **close)


def test_no_kernel_file_is_left_out():
    files = {path.stem for group in ("honest", "cheats", "broken") for path in Path(FOLDER, group).glob("*.py")}
    assert files == {kernel.name for kernel in KERNELS}
