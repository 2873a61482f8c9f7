"""Tests that a lane on a GPU shows its sandboxes that GPU's device file and no other."""

import pytest

from eval_app.engine.hardware import device
from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.sandbox.bubblewrap import Sandbox

UUID = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"


@pytest.fixture
def gpus(monkeypatch):
    """Pretend that GPU 1 has the device file /dev/zero, among as many GPUs as the test says."""

    def pretend(files, minor=0, uuid=UUID):
        monkeypatch.setattr(device, "_handle", lambda index: None)
        monkeypatch.setattr(device, "_number", lambda function, index: minor)
        monkeypatch.setattr(device, "_text", lambda function, handle: uuid)
        monkeypatch.setattr(device.glob, "glob", lambda pattern: files)
        monkeypatch.setattr(device.os.path, "exists", lambda path: path in files)

    return pretend


TWO = ["/dev/nvidia0", "/dev/nvidia1"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"files": TWO, "minor": 0}, ("/dev/nvidia0", UUID)),
        ({"files": TWO[:1], "minor": 0}, ("/dev/nvidia0", "1")),
        ({"files": TWO, "minor": None}, ("", "1")),
        ({"files": TWO, "minor": 7}, ("", "1")),
        ({"files": TWO, "minor": 0, "uuid": ""}, ("", "1")),
    ],
)
def test_a_gpu_is_named_so_that_it_is_found_with_the_files_that_are_shown(gpus, options, expected):
    gpus(**options)
    assert device.exposure(1) == expected


def test_the_sandbox_binds_that_device_file_alone(monkeypatch):
    command = Sandbox(gpu=True, gpu_file="/dev/zero")._gpu_mounts()
    assert command[:3] == ["--dev-bind", "/dev/zero", "/dev/zero"]
    assert command.count("--dev-bind") == 1


def test_both_sides_of_a_lane_see_its_gpu_and_a_candidate_leaves_its_judge_processes(monkeypatch):
    monkeypatch.setattr(device, "exposure", lambda index: ("/dev/zero", UUID))
    lane = Lane(Device("cuda:1"), "bwrap", ())
    for pair in lane.rotation.pairs:
        for host in (pair.judge, pair.runner):
            assert host._sandbox.gpu_file == "/dev/zero"
            assert host._sandbox.environment["CUDA_VISIBLE_DEVICES"] == UUID
        assert pair.judge._limits.processes >= 2 * pair.runner._limits.processes
