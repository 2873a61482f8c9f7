"""Tests of failed builds: a compiler's error is cached, a failure of the machine is retried."""

import time
from pathlib import Path

import pytest

from eval_app.engine.build import cache as cache_module
from eval_app.engine.build import toolchain
from tests.engine.build.requests import BOMB, doubling, quick, without_torch

pytestmark = pytest.mark.engine


def test_a_compile_error_outlives_the_process_with_its_log_tier_and_seconds(make_service):
    request = without_torch("int f(int x) { retrun x; }")
    first = make_service().build(request, 300)
    again = make_service().earlier_result(request)
    assert again.cached
    assert (again.kind, again.error, again.tier, again.log) == ("error", first.error, first.tier, first.log)
    assert again.seconds == first.seconds > 0


def test_an_engine_of_another_version_tries_a_failed_build_again(make_service, monkeypatch):
    request = without_torch("int f(int x) { retrun x; }")
    make_service().build(request, 300)
    monkeypatch.setattr(cache_module, "ENGINE_VERSION", "next")
    assert make_service().earlier_result(request) is None


def test_neither_a_timeout_nor_a_cancelled_nor_a_refused_build_is_kept(make_service):
    service = make_service()
    assert service.build(without_torch(BOMB), 0.5).kind == "timeout"
    assert service.build(without_torch(BOMB), 300, lambda: True).kind == "cancelled"
    refused = doubling(extra_cflags=("-fplugin=/tmp/x.so",))
    assert service.build(refused, 120).kind == "refused"
    assert make_service().earlier_result(without_torch(BOMB)) is None
    assert make_service().earlier_result(refused) is None


@pytest.mark.parametrize(
    "says",
    [
        "g++: fatal error: Killed signal terminated program cc1plus",
        "cc1plus: out of memory allocating 65536 bytes after a total of 1 byte",
        "virtual memory exhausted: Cannot allocate memory",
        "fatal error: error writing to /tmp/x.s: No space left on device",
        "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
        "ptxas fatal   : Memory allocation failure",
        "collect2: fatal error: ld terminated with signal 9 [Killed]",
    ],
)
def test_a_compiler_that_the_machine_failed_is_asked_again(make_service, says):
    """A compiler that runs out of memory exits with an error status; this one simulates it."""
    script = f"echo {says!r} >&2; exit 1"
    service = make_service(wrap=lambda argv, rw, ro: ["/bin/sh", "-c", script])
    result = service.build(doubling(), 120)
    assert (result.kind, result.cached) == ("error", False)
    assert "ran out of resources" in result.error
    assert service.earlier_result(doubling()) is None


def test_failures_are_thrown_out_like_modules_when_the_cache_is_full(make_service):
    requests = [without_torch(f"int f() {{ retrun {number}; }}") for number in range(3)]
    for request in requests:
        make_service().build(request, 300)
        time.sleep(0.05)
    service = make_service()
    service.earlier_result(requests[0])  # a use: now the second one is the oldest
    small = make_service(cache_bytes=int(service._cache.size_bytes() * 0.7))
    small._cache.evict()
    assert [small.earlier_result(request) is not None for request in requests] == [True, False, True]


def test_a_build_that_works_after_all_takes_the_place_of_its_failure(make_service):
    service = make_service()
    key = quick().key(service.toolchain.fingerprint)
    service._cache.put_failure(key, cache_module.Failure("the compiler failed", "full", 1.0, ""))
    assert service.build(quick(), 120).kind == "error"
    folder = service._cache._entry_folder(key)
    (folder / "build.json").write_text("damaged")
    assert service.build(quick(), 120).kind == "built"


def test_a_torch_that_says_nothing_in_time_is_a_missing_toolchain(monkeypatch):
    monkeypatch.setattr(toolchain, "PROBE_TIMEOUT_S", 0.01)
    with pytest.raises(toolchain.ToolchainMissingError, match="is the host busy"):
        toolchain.find_toolchain()


def test_a_search_for_compilers_that_is_cancelled_leaves_no_process(monkeypatch, tmp_path):
    endless, pid = tmp_path / "endless.py", tmp_path / "pid"
    endless.write_text(
        f"import os, pathlib, time\npathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    monkeypatch.setattr(toolchain, "PROBE", endless)
    with pytest.raises(toolchain.ToolchainMissingError, match="cancelled"):
        toolchain.find_toolchain(cancelled=lambda: pid.exists() and bool(pid.read_text()))
    assert not Path("/proc", pid.read_text()).exists()
