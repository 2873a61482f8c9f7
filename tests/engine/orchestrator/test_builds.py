"""Tests of the engine's builder at the engine's end, and of how long the builds of one job may take."""

from types import SimpleNamespace

import pytest

from eval_app.engine.build import slots
from eval_app.engine.build.request import BuildRequest
from eval_app.engine.build.service import BuildResult
from eval_app.engine.build.toolchain import ToolchainMissingError
from eval_app.engine.contract.jobs import Outcome
from eval_app.engine.orchestrator.builds import Builder, JobBuilds


def test_a_stopped_builder_searches_for_no_compilers(tmp_path):
    builder = Builder(tmp_path, slots.room(1), "none", "")
    builder.stop()
    with pytest.raises(ToolchainMissingError, match="cancelled"):
        builder.toolchain()


@pytest.mark.parametrize(("seconds", "builds"), [(50.0, 9), (10.0, 16)], ids=["long", "short"])
def test_the_builds_of_one_job_together_take_a_few_times_as_long_as_one_may(
    tmp_path, monkeypatch, seconds, builds
):
    """A candidate may ask for 16 in each of eight rounds."""
    made = []

    def build(request, timeout_s, cancelled):
        made.append(request)
        return BuildResult("built", tmp_path / "module.so", "slim", seconds)

    service = SimpleNamespace(build=build, toolchain=SimpleNamespace(fingerprint="same"))
    builder, job = Builder(tmp_path, slots.room(1), "none", ""), JobBuilds()
    monkeypatch.setattr(builder, "_ready", lambda: service)
    for number in range(16):
        builder.build(BuildRequest(f"ext{number}", (f"int x{number};",)), job, 100.0, lambda: False)
    assert len(made) == builds
    assert (job.failure() or (None,))[0] is (Outcome.BUILD_TIMEOUT if builds < 16 else None)
