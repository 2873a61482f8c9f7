"""Tests of the worker's bench: the choice of an engine, reports to the site, and failure of all lanes."""

import threading
from types import SimpleNamespace

import pytest

from eval_app.host import bench as bench_module
from eval_app.host.assignment import Assignment
from eval_app.host.bench import EngineBench


class StandInEngine:
    """An engine without processes: several GPUs, and failing ones, are not available on demand."""

    opened: list = []

    def __init__(self, device, cache, build_jobs, sandbox, *, room):
        self.device, self.room, self.noise = device, room, {}
        self.passes = self.well = True
        self.jobs = []
        self.opened.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.well = False

    def selftest(self):
        return SimpleNamespace(passed=self.passes, checks={"good": "ok"})

    def versions(self):
        return {"engine": "1"}

    def works(self):
        return self.well

    def health(self):
        state = "free" if self.well else "broken"
        names = self.device.split(",")
        return [
            {"kind": n.partition(":")[0], "name": n, "lane": n, "state": state, "detail": "", "restarts": 0}
            for n in names
        ]

    def verify(self, job, on_stage, cancelled):
        self.jobs.append(job.id)
        return SimpleNamespace(to_dict=lambda: {"id": job.id})


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr(StandInEngine, "opened", [])
    monkeypatch.setattr(bench_module, "Engine", StandInEngine)
    monkeypatch.setattr(bench_module, "gpu_names", lambda: ["cuda:0", "cuda:1"])
    return EngineBench(tmp_path)


def assignment(device):
    job = {"id": "sample", "reference": "r", "candidate": "c", "language": "auto", "profile": "quick"}
    return Assignment("verification", 1, device, 10, job)


def test_all_gpus_share_one_engine_and_the_cpu_has_its_own_with_one_room_for_compilers(bench):
    assert bench.run_selftest()[0]
    gpus, cpu = StandInEngine.opened
    assert (gpus.device, cpu.device) == ("cuda:0,cuda:1", "cpu")
    assert gpus.room is cpu.room
    assert bench.verify(assignment("cpu")) == {"id": "sample"}
    assert (gpus.jobs, cpu.jobs) == ([], ["sample"])


def test_the_site_is_told_every_device_and_how_it_is(bench):
    assert [device["state"] for device in bench.describe()["devices"]] == ["testing"] * 3
    bench.run_selftest()
    assert {d["name"]: d["state"] for d in bench.describe()["devices"]} == {
        "cuda:0": "free",
        "cuda:1": "free",
        "cpu": "free",
    }
    StandInEngine.opened[0].well = False
    assert {d["name"]: d["state"] for d in bench.describe()["devices"]}["cuda:1"] == "broken"


def test_what_is_taken_at_once_is_bounded_by_lanes_and_compilers(bench):
    assert bench.lanes == 3 + bench.build_jobs


def test_a_job_waits_while_no_lane_of_its_kind_works(bench):
    bench.run_selftest()
    gpus, _ = StandInEngine.opened
    gpus.well = False
    waiting, reports = assignment("cuda"), []
    thread = threading.Thread(target=lambda: reports.append(bench.verify(waiting)))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert waiting.stage == "waiting"
    gpus.well = True
    thread.join(5)
    assert reports == [{"id": "sample"}]


def test_a_job_that_waits_for_a_lane_can_be_cancelled(bench):
    bench.run_selftest()
    StandInEngine.opened[0].well = False
    wanted = assignment("cuda")
    wanted.cancelled.set()
    assert bench.verify(wanted) is None


def test_an_engine_that_fails_its_self_test_closes_the_bench_and_says_why(bench, monkeypatch):
    monkeypatch.setattr(
        StandInEngine, "selftest", lambda self: SimpleNamespace(passed=False, checks={"aa": "failed: 1.3"})
    )
    passed, text = bench.run_selftest()
    assert not passed
    assert text == "cuda: aa: failed: 1.3"


def test_a_worker_takes_the_gpus_alone_that_the_variable_names(monkeypatch):
    monkeypatch.setattr(bench_module.glob, "glob", lambda pattern: ["/dev/nvidia0", "/dev/nvidia1"])
    monkeypatch.setattr(bench_module, "gpu_count", lambda: 1)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert bench_module.gpu_names() == ["cuda:0", "cuda:1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert bench_module.gpu_names() == ["cuda:0"]
