"""Tests of which GPUs CUDA_VISIBLE_DEVICES leaves to the engine. Mocked: NVML, which has three GPUs here."""

import pytest

from eval_app.engine.hardware import device
from eval_app.engine.hardware.device import DeviceError

UUIDS = ("GPU-8932f937-d72c", "GPU-8932aaaa-0000", "GPU-11111111-2222")


@pytest.fixture
def visible(monkeypatch):
    """Return a function that sets the variable, or takes it away."""
    monkeypatch.setattr(device, "_installed", lambda: len(UUIDS))
    monkeypatch.setattr(device, "_handle", lambda index: index)
    monkeypatch.setattr(device, "_text", lambda function, index: UUIDS[index])
    monkeypatch.setattr(device, "_gpu_facts", lambda index: {"kind": "cuda", "index": index})

    def say(value):
        if value is None:
            monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        else:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)

    return say


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (None, [0, 1, 2]),
        ("2", [2]),
        ("2,0", [2, 0]),
        (" 1 , 2 ", [1, 2]),
        ("0,-1,1", [0]),
        ("GPU-1111", [2]),
        ("GPU-8932f937-d72c,2", [0, 2]),
        ("", []),
        ("-1", []),
    ],
)
def test_gpus_are_those_of_the_variable_in_its_order(visible, value, numbers):
    visible(value)
    assert device.visible_gpus() == numbers
    assert [chosen.index for chosen in device.choose_all("all") if chosen.kind == "cuda"] == numbers


@pytest.mark.parametrize("value", ["3", "0,0", "GPU-8932", "MIG-5", "first", "0,GPU-8932f937-d72c"])
def test_what_names_no_gpu_or_one_twice_is_refused_by_name(visible, value):
    visible(value)
    with pytest.raises(DeviceError, match=r"CUDA_VISIBLE_DEVICES=.* is not one GPU of its own"):
        device.choose("auto")


def test_names_count_among_the_visible_gpus_as_torchs_do(visible):
    visible("2,1")
    assert [device.choose(name).index for name in ("auto", "cuda:0", "cuda:1")] == [2, 2, 1]
    with pytest.raises(DeviceError, match="has 2 NVIDIA GPUs among those of CUDA_VISIBLE_DEVICES"):
        device.choose("cuda:2")


def test_a_machine_without_gpus_uses_its_cpu_whatever_the_variable_says(visible, monkeypatch):
    monkeypatch.setattr(device, "_installed", lambda: 0)
    visible("0")
    assert device.choose("auto").name == "cpu"
