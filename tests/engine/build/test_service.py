"""Tests of the build service with real compilers: each module is built once, stored and killed as a whole."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from eval_app.engine.build import compilation, slots
from eval_app.engine.build.cache import Cache
from eval_app.engine.build.request import BuildRequest
from tests.engine.build.requests import BOMB, doubling, quick, unhurried, without_torch

pytestmark = pytest.mark.engine


def compilers_of(folder):
    """Return the processes whose command line names a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().decode(errors="replace"))
    return [line for line in found if str(folder) in line and "pytest" not in line.partition("\0")[0]]


def wait_until(condition, timeout_s=120):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)


def test_a_request_is_built_with_slim_headers_and_then_comes_from_the_cache(make_service):
    service = make_service()
    assert service.lookup(doubling()) is None
    first = service.build(doubling(), 120)
    assert (first.kind, first.tier, first.cached) == ("built", "slim", False), first.log
    second = service.build(doubling(), 120)
    assert second.cached
    assert second.module_path == first.module_path == service.lookup(doubling())


def test_the_cache_outlives_the_service(make_service):
    path = make_service().build(quick(), 120).module_path
    assert make_service().lookup(quick()) == path


def test_two_askers_at_once_cause_one_build(make_service):
    service = make_service()
    results = []
    askers = [threading.Thread(target=lambda: results.append(service.build(quick(), 120))) for _ in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert sorted(result.cached for result in results) == [False, True, True, True]
    assert {result.kind for result in results} == {"built"}


def test_a_compile_error_is_told_and_remembered(make_service):
    service = make_service()
    request = without_torch("int f(int x) { retrun x; }")
    result = service.build(request, 300)
    assert (result.kind, result.tier, result.module_path) == ("error", "full", None)
    assert "main.cpp" in result.error
    assert "retrun" in result.log
    assert "/work/" not in result.log, "the build's own folder is nobody's business"
    assert service.build(request, 300).cached


def test_a_name_that_no_header_can_have_is_no_operator(make_service):
    assert make_service().build(without_torch(f"int x;  // at::{'a' * 300}"), 120).kind == "built"


def test_the_engine_writes_nothing_into_the_folder_that_compilers_write(make_service):
    seen = []

    def failing(argv, writable, readable):
        [output] = writable
        seen.append((output, readable, list(Path(output).iterdir())))
        return ["/bin/sh", "-c", "exit 1"]

    two = (("one.cpp", "int one;"), ("two.cpp", "int two;"))
    request = BuildRequest(name="ext", files=two, headers=(("three.h", ""),))
    assert make_service(wrap=failing).build(request, 60).kind == "error"
    assert len(seen) > 2, "each file is tried with slim and with full headers"
    for output, readable, found in seen:
        assert found == [], "a compiler could have put a link in the place of a file that is written next"
        assert Path(output).parent in map(Path, readable)


def test_a_refused_flag_is_told_without_a_compiler(make_service, tmp_path):
    result = make_service().build(doubling(extra_cflags=("-fplugin=/tmp/x.so",)), 120)
    assert result.kind == "refused"
    assert "-fplugin" in result.error
    assert not list((tmp_path / "cache").rglob("*.o"))


def test_a_binding_that_no_source_declares_is_refused_without_a_compiler(make_service):
    request = BuildRequest(name="ext", cpp_sources=("void f();",), functions=(("g", "g"),))
    result = make_service().build(request, 120)
    assert result.kind == "refused"
    assert "'g'" in result.error


def test_cuda_without_a_device_is_refused_with_the_reason(make_service):
    result = make_service().build(doubling(cuda_sources=("__global__ void k() {}",)), 120)
    assert result.kind == "refused"
    assert "CUDA" in result.error


def test_a_timeout_kills_the_compiler_and_its_children(make_service, tmp_path):
    service = make_service()
    bomb = without_torch(BOMB)
    started = time.monotonic()
    result = service.build(bomb, 3)
    assert result.kind == "timeout"
    assert time.monotonic() - started < 60, "the compiler itself would take minutes"
    wait_until(lambda: not compilers_of(tmp_path))
    assert not list((tmp_path / "cache/work").iterdir()), "nothing is left of it"


def test_a_cancelled_build_stops_and_can_be_asked_for_again(make_service, tmp_path):
    service = make_service()
    bomb = without_torch(BOMB)
    cancelled = threading.Event()
    results = []
    asker = threading.Thread(target=lambda: results.append(service.build(bomb, 300, cancelled.is_set)))
    asker.start()
    wait_until(lambda: compilers_of(tmp_path))
    cancelled.set()
    asker.join(120)
    assert results[0].kind == "cancelled"
    assert not service.build(bomb, 0.5).cached, "a cancelled build is no lasting failure"


def test_one_who_waits_for_another_build_can_be_cancelled(make_service, tmp_path):
    service = make_service()
    bomb = without_torch(BOMB)
    first_cancelled = threading.Event()
    first = threading.Thread(target=service.build, args=(bomb, 300, first_cancelled.is_set))
    first.start()
    wait_until(lambda: compilers_of(tmp_path))
    started = time.monotonic()
    assert service.build(bomb, 300, lambda: time.monotonic() > started + 0.5).kind == "cancelled"
    first_cancelled.set()
    first.join(120)


def test_a_process_killed_in_the_middle_of_a_build_poisons_nothing(make_service, tmp_path, toolchain):
    script = f"""
import json, sys
sys.path.insert(0, {os.getcwd()!r})
from pathlib import Path
from eval_app.engine.build.request import BuildRequest
from eval_app.engine.build.service import BuildService
from eval_app.engine.build.toolchain import Toolchain
service = BuildService(Path({str(tmp_path / "cache")!r}), Toolchain.from_dict(json.loads(sys.stdin.read())),
                       wrap=lambda argv, rw, ro: list(argv), environment={{"PATH": {os.environ["PATH"]!r}}})
service.build(BuildRequest(**json.loads({_as_json(unhurried())!r})), 120)
"""
    builder = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, text=True)
    builder.stdin.write(_toolchain_json(toolchain))
    builder.stdin.close()
    wait_until(lambda: compilers_of(tmp_path / "cache/work"))
    builder.kill()
    builder.wait()
    assert list((tmp_path / "cache/work").iterdir()), "it was killed in the middle"
    service = make_service()
    assert not list((tmp_path / "cache/work").iterdir()), "a new service clears what a dead one left"
    started = time.monotonic()
    result = service.build(unhurried(), 120)
    assert result.kind == "built"
    assert not result.cached
    assert result.waited_s < 5 or time.monotonic() - started < 60


def _as_json(request):
    return json.dumps(request.to_dict())


def _toolchain_json(toolchain):
    return json.dumps(asdict(toolchain))


def test_the_longest_unused_module_is_thrown_out_first(make_service):
    service = make_service(cache_bytes=10**9)
    paths = {}
    for tag in "abc":
        paths[tag] = service.build(quick(tag), 120).module_path
        time.sleep(0.05)
    service.lookup(quick("a"))  # a use: now "b" is the oldest
    size_bytes = sum(file.stat().st_size for file in paths["a"].parent.iterdir())
    small = make_service(cache_bytes=int(size_bytes * 2.5))
    small._cache.evict()
    assert small.lookup(quick("a"))
    assert small.lookup(quick("b")) is None
    assert small.lookup(quick("c"))


def test_a_module_in_use_is_kept_even_when_the_cache_is_full(make_service):
    service = make_service(cache_bytes=1, grace_s=900)
    path = service.build(quick(), 120).module_path
    assert path.is_file()


def test_modules_in_use_take_no_more_than_twice_the_caches_size(tmp_path):
    module = tmp_path / "module.so"
    module.write_bytes(bytes(10_000))
    cache = Cache(tmp_path / "cache", max_bytes=30_000, grace_s=900)
    keys = [f"{number:064x}" for number in range(9)]
    for key in keys:
        cache.put(key, module, "slim", 1.0, "")
    assert cache.size_bytes() < 60_000
    assert cache.find(keys[-1])
    assert cache.find(keys[0]) is None


def test_the_files_of_one_build_take_a_part_of_the_disk_alone(make_service, monkeypatch):
    monkeypatch.setattr(compilation, "MAX_BUILD_BYTES", 3_000_000)
    text = 'extern "C" char block_{0}[1000000] = {{1}};'
    files = tuple((f"part{number}.cpp", text.format(number)) for number in range(12))
    result = make_service(room=slots.room(jobs=1)).build(BuildRequest(name="ext", files=files), 120)
    assert (result.kind, result.error) == ("error", "the build's files take more than 3,000,000 bytes")


def test_a_damaged_entry_is_built_again(make_service):
    service = make_service()
    path = service.build(quick(), 120).module_path
    path.unlink()
    assert service.lookup(quick()) is None
    again = service.build(quick(), 120)
    assert again.module_path.is_file()
    assert not again.cached


def test_no_more_compilers_run_than_there_is_room_for(make_service, tmp_path):
    service = make_service(room=slots.room(jobs=1))
    seen = []
    done = threading.Event()

    def watch():
        while not done.wait(0.1):
            seen.append(sum("cc1plus" in line for line in compilers_of(tmp_path)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    askers = [threading.Thread(target=service.build, args=(unhurried(tag), 120)) for tag in "xyz"]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    done.set()
    watcher.join()
    assert max(seen) == 1


def test_a_flood_of_compiler_messages_is_cut(make_service):
    source = "\n".join(f"undeclared_{number} x{number};" for number in range(3000))
    result = make_service().build(without_torch(source, extra_cflags=("-fmax-errors=0",)), 300)
    assert result.kind == "error"
    assert len(result.log) < 25_000
    assert "left out" in result.log


def test_a_link_in_place_of_the_module_is_not_followed(make_service, tmp_path, toolchain):
    secret = tmp_path / "secret"
    secret.write_text("of the host")

    def swap(argv, binds_rw, binds_ro):
        """Replace the linker's output with a link."""
        if "-shared" not in argv:
            return list(argv)
        module = argv[argv.index("-o") + 1]
        return ["/bin/ln", "-s", str(secret), module]

    result = make_service(wrap=swap).build(quick(), 120)
    assert result.kind == "error"
    assert "cannot be read" in result.error
