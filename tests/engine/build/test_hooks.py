"""Tests of the hooked loaders, each in a separate process, as in the runner."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from eval_app.engine.build.request import BuildRequest

pytestmark = pytest.mark.engine

DRIVER = """
import json, sys
from pathlib import Path
from eval_app.engine.build import hooks
from eval_app.engine.build.request import BuildNeeded

built = json.loads(sys.argv[1])
def resolve(request):
    path = built.get(json.dumps(request.to_dict(), sort_keys=True))
    if path is None:
        raise BuildNeeded(request)
    return Path(path)

hooks.install(resolve)
outcome = "finished"
try:
    exec(compile(sys.stdin.read(), "candidate", "exec"), {"__name__": "candidate"})
except BuildNeeded:
    outcome = "needed"
print("RESULT" + json.dumps({"outcome": outcome, "pending": [r.to_dict() for r in hooks.pending]}))
"""


def run(program, built):
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(built)],
        input=program,
        capture_output=True,
        text=True,
        timeout=120,
    )
    line = next((line for line in done.stdout.splitlines() if line.startswith("RESULT")), None)
    assert line, done.stderr[-2000:]
    return json.loads(line.removeprefix("RESULT")), done.stdout


def run_to_the_end(program, service):
    """Build all modules that the program requests. Returns its output and the requests."""
    built, asked = {}, []
    for _ in range(5):
        result, printed = run(program, built)
        if result["outcome"] == "finished" and not result["pending"]:
            return printed, asked
        for data in result["pending"]:
            request = BuildRequest.from_dict(data)
            outcome = service.build(request, 300)
            assert outcome.kind == "built", outcome.log + outcome.error
            asked.append(request)
            built[json.dumps(request.to_dict(), sort_keys=True)] = str(outcome.module_path)
    raise AssertionError("it keeps asking")


INLINE = """
import torch
from torch.utils.cpp_extension import load_inline
ext = load_inline(name="twice", cpp_sources="torch::Tensor twice(torch::Tensor x) { return x + x; }",
                  functions=["twice"], extra_cflags=["-O2"], verbose=True)
print("sum", ext.twice(torch.ones(3)).sum().item())
"""


def test_a_needed_build_passes_through_a_candidates_except_clause():
    program = (
        INLINE.replace("ext = load", "try:\n    ext = load")
        .replace("verbose=True)", "verbose=True)\nexcept Exception:\n    ext = None")
        .replace("print(", "0 and print(")
    )
    result, _ = run(program, {})
    assert result["outcome"] == "needed"


def test_a_bare_except_cannot_hide_what_was_asked_for():
    program = """
from torch.utils import cpp_extension
try:
    cpp_extension.load_inline("x", "void f() {}", functions="f")
except:
    pass
"""
    result, _ = run(program, {})
    assert result["outcome"] == "finished"
    assert [data["name"] for data in result["pending"]] == ["x"]


def test_each_load_inline_is_recorded_then_imported(shared_service):
    program = INLINE + INLINE.replace("twice", "thrice").replace("x + x", "x + x + x")
    printed, asked = run_to_the_end(program, shared_service)
    assert "sum 6.0" in printed
    assert "sum 9.0" in printed
    assert [request.name for request in asked] == ["twice", "thrice"]
    assert [request.extra_cflags for request in asked] == [("-O2",)] * 2


def test_load_reads_its_files_and_the_headers_beside_them(shared_service, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/amount.h").write_text("constexpr int amount = 5;")
    (tmp_path / "add.cpp").write_text(
        '#include <torch/extension.h>\n#include "inner/amount.h"\n'
        "torch::Tensor add(torch::Tensor x) { return x + amount; }\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add, py::arg("x")); }'
    )
    program = f"""
import torch
from torch.utils.cpp_extension import load
ext = load("adder", [{str(tmp_path / "add.cpp")!r}])
print("sum", ext.add(x=torch.zeros(2)).sum().item())
"""
    printed, asked = run_to_the_end(program, shared_service)
    assert "sum 10.0" in printed
    assert [name for name, _ in asked[0].headers] == ["inner/amount.h"]


def test_registered_operators_are_loaded_without_a_python_module(shared_service):
    program = """
import torch
from torch.utils.cpp_extension import load_inline
SOURCE = '''
#include <torch/library.h>
at::Tensor twice(const at::Tensor& x) { return x + x; }
TORCH_LIBRARY(hook_test, m) { m.def("twice(Tensor x) -> Tensor", twice); }
'''
load_inline("hook_test_ext", SOURCE, is_python_module=False)
print("sum", torch.ops.hook_test.twice(torch.ones(4)).sum().item())
"""
    printed, _ = run_to_the_end(program, shared_service)
    assert "sum 8.0" in printed


def test_the_hooks_look_like_what_they_replace():
    program = """
import inspect
from torch.utils.cpp_extension import load_inline
assert load_inline.__name__ == "load_inline" and load_inline.__module__ == "torch.utils.cpp_extension"
assert "no_implicit_headers" in inspect.signature(load_inline).parameters
"""
    result, _ = run(program, {})
    assert result["outcome"] == "finished"


def test_what_cannot_be_built_is_an_ordinary_error():
    program = """
from torch.utils.cpp_extension import load, load_inline
for call in (
    lambda: load_inline('a', '', sycl_sources='x'),
    lambda: load('a', [], is_standalone=True),
    lambda: load_inline('a', 'x', nonsense=1),
):
    try:
        call()
    except (ValueError, TypeError) as error:
        print("told:", error)
"""
    result, printed = run(program, {})
    assert printed.count("told:") == 3
    assert result["pending"] == []


def test_a_request_is_plain_data():
    assert json.dumps(asdict(BuildRequest(name="x", cpp_sources=("a",))))
