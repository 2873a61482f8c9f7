"""Tests of what many files and many names of one build may take, of the compilers and of the engine itself."""

import time

import pytest

from eval_app.engine.build import plan, slots
from eval_app.engine.build.request import MAX_ITEMS, BuildRequest

pytestmark = pytest.mark.engine


def compiled_slowly(argv, binds_rw, binds_ro):
    """Return a command that makes the same file as the compiler would, and takes half a second."""
    return ["/bin/sh", "-c", f"sleep 0.5; touch {argv[-1]}"]


def test_files_that_each_take_less_than_the_time_limit_take_a_few_times_as_much_together(make_service):
    """With 256 files that each take five minutes, one build would have a compiler for a day."""
    files = tuple((f"file{number}.cpp", "int x;") for number in range(12))
    service = make_service(wrap=compiled_slowly, room=slots.Slots(1, 100_000))
    result = service.build(BuildRequest(name="ext", files=files), 1.0)
    assert result.kind == "timeout"
    assert "together" in result.error
    assert service.build(BuildRequest(name="ext", files=files[:4]), 10.0).kind == "built"


def test_many_names_to_bind_are_looked_for_in_one_pass():
    """Each took a tenth of a second of the engine's own, during which no lane of any job went on."""
    names = [f"name{number}" for number in range(MAX_ITEMS)]
    text = "torch::" * 2**17 + " ".join(names)
    request = BuildRequest(name="ext", cpp_sources=(text,), functions=tuple((name, "") for name in names))
    began_s = time.process_time()
    plan._check_bound_names(request)
    assert time.process_time() - began_s < 3
