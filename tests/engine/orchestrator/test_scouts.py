"""Tests of scouts, which find the builds that a candidate needs without the GPU that it is written for."""

import shutil

import pytest

from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator.attempt import Attempt
from eval_app.engine.orchestrator.lane import ScoutLane
from eval_app.engine.orchestrator.scouts import Scouts
from eval_app.engine.orchestrator.verification import never, no_stage
from tests.engine.orchestrator.test_engine import REFERENCE, job

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

GPU = Device("cuda:0", {"compute_capability": "9.0", "name": "NVIDIA H200"})
ASKS = "load_inline(name='wanted', cpp_sources='void f();', cuda_sources='__global__ void k() {}')"
HEAD = "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
BUILT_IN_INIT = f"""
class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, features)
        if torch.cuda.is_available() and torch.cuda.get_device_capability() >= (9, 0):
            self.extension = {ASKS}
"""
BUILT_IN_FORWARD = f"""
class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, features)
    def forward(self, x):
        y = self.linear(x)
        if y.is_cuda and y.shape == (16, 32):
            self.extension = {ASKS}
        return y
"""
NEVER_ASKS = BUILT_IN_FORWARD.replace("y.is_cuda", "not y.is_cuda")


@pytest.fixture(scope="module")
def scout(tmp_path_factory):
    lane = ScoutLane(GPU, "bwrap", (str(tmp_path_factory.mktemp("builds")),), 1)
    lane.start()
    lane.wait_ready()
    yield lane
    lane.stop()


def scouted(lane, candidate, reference=REFERENCE, answer=None):
    return Attempt(
        job(reference, HEAD + candidate), lane.rotation, resolve=lambda request: answer or {"path": None},
        facts=lane.facts(), on_stage=no_stage, cancelled=never,
    ).run()  # fmt: skip


@pytest.mark.parametrize("candidate", [f"extension = {ASKS}", BUILT_IN_INIT, BUILT_IN_FORWARD])
def test_a_scout_sees_what_is_asked_for_at_import_when_built_and_when_called(scout, candidate):
    assert [request.name for request in scouted(scout, candidate).needed] == ["wanted"]


def test_a_candidate_that_asks_for_nothing_is_left_to_its_lane(scout):
    attempt = scouted(scout, NEVER_ASKS)
    assert not attempt.needed
    assert attempt.verdict == {"type": "verdict", "outcome": "scouted"}


def test_large_models_and_inputs_cost_a_scout_nothing(scout):
    huge = REFERENCE.replace("torch.randn(16, 32)", "torch.randn(2**20, 2**20)").replace("[32]", "[2**20]")
    attempt = scouted(scout, BUILT_IN_FORWARD.replace("(16, 32)", "(2**20, 2**20)"), huge)
    assert [request.name for request in attempt.needed] == ["wanted"]


@pytest.mark.parametrize(
    "change", [("def get_inputs", "def other"), ("return [32]", "1 / 0"), ("import torch", "(")]
)
def test_a_reference_at_fault_is_left_to_the_judge(scout, change):
    attempt = scouted(scout, BUILT_IN_FORWARD, REFERENCE.replace(*change))
    assert attempt.verdict["outcome"] == "scouted"


def test_a_build_that_is_known_to_fail_ends_the_attempt_at_once(scout):
    attempt = scouted(
        scout, BUILT_IN_INIT + "        while True: pass\n", answer={"path": None, "failed": "no"}
    )
    assert attempt.unbuildable
    assert attempt.stages["prepare"] < 5


@pytest.mark.long
def test_a_lost_scout_costs_no_verdict(scout):
    scouts = Scouts(GPU, "bwrap", (), 4)
    scouts.start()

    def lose(lane):
        lane.wait_ready()
        lane.judge._process.kill()
        return scouted(lane, BUILT_IN_INIT)

    try:
        assert scouts.ask(lose)[0] is None
        assert scouts.ask(lambda lane: lane.wait_ready() or lane.name)[0] == "scout 1"
    finally:
        scouts.stop()


def test_a_cpu_needs_no_scouts():
    assert Scouts(Device("cpu"), "bwrap", (), 16).lanes == []
