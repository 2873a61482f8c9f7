"""Tests of machine code from built modules: parsed tool output; a missing tool is named with its package."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from eval_app.engine.build.plan import FULL, Plan
from eval_app.engine.build.request import BuildRequest
from eval_app.engine.build.toolchain import find_toolchain
from eval_app.engine.contract.inspection import MAX_CODE_CHARS
from eval_app.engine.inspect import machine_code, tools

RESOURCES = """
Fatbin elf code:
================
arch = sm_90
host = linux

Resource usage:
 Common:
  GLOBAL:0
 Function _Z6spillyPf:
  REG:255 STACK:32 SHARED:2048 LOCAL:0 CONSTANT[0]:536 CONSTANT[2]:8 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
SASS = """
Fatbin elf code:
================
arch = sm_90

\tcode for sm_90
\t\tFunction : _Z6spillyPf
\t.headerflags\t@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                     /* 0x00000a00ff017b82 */
                                                                              /* 0x000ff00000000800 */
        /*0010*/                   STL.64 [R1], R2 ;                          /* 0x00008400ff027b82 */
                                                                              /* 0x000e220000000a00 */
        /*0020*/                   LDL R4, [R1+0x4] ;                         /* 0x0000820000047ab9 */
                                                                              /* 0x000fe40000000a00 */
"""
LISTING = """
0000000000001100 <_init>:
    1100:	ret
0000000000001200 <add(at::Tensor, at::Tensor)>:
    1200:	push   rbp
    1201:	ret

0000000000001300 <pybind11::cpp_function::dispatcher(int)>:
    1300:	ret
0000000000001400 <mine::helper(float)>:
    1400:	ret
"""
CPP = """
#include <vector>
namespace mine { float twice(float x) { return x + x; } }
extern "C" float go(float x) { std::vector<float> v(3, x); return mine::twice(v[1]); }
"""
CUDA = """
namespace own { template <typename T> __global__ void scale(T* x) { x[threadIdx.x] *= T(2); } }
void go(float* x) { own::scale<float><<<1, 32>>>(x); }
"""


def test_resources_are_read_by_kernel():
    assert machine_code.parse_resources(RESOURCES) == {
        "_Z6spillyPf": {
            "arch": "sm_90", "registers": 255, "stack_bytes": 32, "shared_bytes": 2048, "constant_bytes": 544,
        }
    }  # fmt: skip


def test_sass_is_kept_without_encodings_and_file_heads():
    text = machine_code.parse_sass(SASS)
    assert text.startswith("Function : _Z6spillyPf")
    assert "STL.64 [R1], R2 ;" in text
    assert "0x00000a00ff017b82" not in text


def test_local_memory_accesses_count_with_their_width():
    facts = machine_code.parse_resources(RESOURCES)
    machine_code._add_spills(facts, machine_code.parse_sass(SASS))
    assert (facts["_Z6spillyPf"]["spill_store_bytes"], facts["_Z6spillyPf"]["spill_load_bytes"]) == (8, 4)


def test_names_that_hold_anything_cost_linear_time_and_no_error():
    lines, blanks = "\n" * 300_000, " " * 300_000
    assert (
        machine_code.parse_resources(f" Function evil:\n  REG:{'9' * 5000} STACK:0 SHARED:0 LOCAL:0\n{lines}")
        == {}
    )
    assert machine_code.parse_sass(lines) == ""
    assert machine_code.parse_sass(f"\tFunction : evil\n{blanks}x").endswith("x\n")


def test_files_without_kernels_give_no_text():
    assert machine_code.parse_sass("Fatbin elf code:\n=====\n") == ""
    assert machine_code.parse_ptx("Fatbin ptx code:\n=====\n") == ""


def test_only_the_candidates_functions_are_shown():
    shown = list(machine_code.own_functions(LISTING))
    assert [text.splitlines()[0] for text in shown] == [
        "0000000000001200 <add(at::Tensor, at::Tensor)>:", "0000000000001400 <mine::helper(float)>:",
    ]  # fmt: skip


def test_code_that_does_not_fit_a_report_says_what_is_left_out():
    text = machine_code.clip("x" * (MAX_CODE_CHARS + 5))
    assert len(text) == MAX_CODE_CHARS
    assert f"{MAX_CODE_CHARS + 5} characters in all" in text


def test_a_tool_that_is_missing_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    monkeypatch.setattr(tools, "_elsewhere", lambda name: [])
    with pytest.raises(tools.ToolMissingError, match="pip install nvidia-cuda-cuobjdump"):
        tools.find("cuobjdump")


@pytest.mark.engine
@pytest.mark.skipif(
    not all(map(shutil.which, ("g++", "objdump", "bwrap"))), reason="needs g++, objdump, bubblewrap"
)
def test_a_cpp_extension_is_disassembled_in_the_sandbox(tmp_path):
    (tmp_path / "a.cpp").write_text(CPP)
    module = tmp_path / "a.so"
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", "-o", module, tmp_path / "a.cpp"], check=True)
    _show(tmp_path)
    code = machine_code.read_modules([module], "bwrap")
    assert "<go>:" in code.assembly
    assert "<mine::twice(float)>:" in code.assembly
    assert "<std::" not in code.assembly
    assert code.missing == {}


def _has(tool):
    try:
        return bool(tools.find(tool))
    except tools.ToolMissingError:
        return False


def test_modules_of_machine_code_alone_say_that_their_ptx_is_missing(tmp_path, monkeypatch):
    (tmp_path / "a.cubin").write_bytes(b"")
    monkeypatch.setattr(machine_code, "_cuobjdump", lambda path, kind, option: SASS)
    assert machine_code.read_modules([tmp_path / "a.cubin"], "none").missing["ptx"] == (
        "the modules contain only machine code"
    )
    assert "ptx" not in machine_code.read_modules([tmp_path / "a.cubin"], "none", ".version 9.0").missing


@pytest.fixture
def cuda_object(tmp_path):
    """Compile CUDA with the build service's command."""
    toolchain = replace(find_toolchain(cache_dir=tmp_path / "toolchain"), arch="9.0")
    plan = Plan(BuildRequest(name="ext", files=(("a.cu", CUDA),)), toolchain, tmp_path)
    step = plan.compile("a.cu", FULL)
    plan.write(step)
    subprocess.run(step.argv, check=True)
    _show(tmp_path)
    return step.object_path


@pytest.mark.engine
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("bwrap")), reason="needs nvcc and bubblewrap")
def test_a_cuda_module_gives_its_kernels_or_the_tool_that_is_missing(cuda_object):
    code = machine_code.read_modules([cuda_object], "bwrap")
    if not _has("cuobjdump"):
        assert set(code.missing) == {"kernels", "sass", "ptx"}
        assert "nvidia-cuda-cuobjdump" in code.missing["sass"]
        return
    (kernel,) = code.kernels
    assert "own::scale<float>" in kernel.name
    assert kernel.arch == "sm_90"
    assert kernel.registers > 0
    assert "Function : _ZN3own5scaleIfEEvPT_" in code.sass
    assert ".visible .entry _ZN3own5scaleIfEEvPT_" in code.ptx
    assert code.missing == {}


def _show(folder):
    """Make a test's folders readable: the sandbox's user is nobody."""
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
