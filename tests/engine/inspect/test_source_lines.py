"""Tests of the program's line of each machine instruction: records are read, compared and placed, or left out."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from eval_app.engine.build.plan import device_texts
from eval_app.engine.build.request import BuildRequest, with_line_records
from eval_app.engine.build.service import BuildResult
from eval_app.engine.contract.inspection import Inspection
from eval_app.engine.contract.jobs import Outcome, Report
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.inspect import machine_code, source_lines, tools
from eval_app.engine.inspect.source_lines import NoLinesError, Recorded, parse_records, placed_in
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.builds import JobBuilds
from eval_app.engine.orchestrator.source_lines import with_source_lines

CUDA = """__device__ float relu(float v) {
  return fmaxf(v, 0.0f);
}
__global__ void rows(float* x) {
  int i = threadIdx.x;
  x[i] = relu(x[i]);
}
"""
PROGRAM = f'import torch\n\nSOURCE = """\n{CUDA}"""\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n'
REQUEST = BuildRequest("rows", ("void f();",), (CUDA,), functions=(("f", "f"),), extra_cuda_cflags=("-O3",))
FILE = "/w/src/slim/cuda.cu"
# As cuobjdump and nvdisasm print them; three lines that include headers precede the program's text in the file.
SASS = """Function : _Z4rowsPf
        /*0000*/                   S2R R5, SR_TID.X ;
        /*0010*/                   LDG.E R0, desc[UR4][R2.64] ;
        /*0020*/                   FMNMX R7, RZ, R0, !PT ;
        /*0030*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0040*/                   EXIT ;
"""
RECORDS = f"""//--------------------- .text._Z4rowsPf --------------------------
.text._Z4rowsPf:
	//## File "{FILE}", line 8
        /*0000*/                   S2R R5, SR_TID.X ;
	//## File "{FILE}", line 9
        /*0010*/                   LDG.E R0, desc[UR4][R2.64] ;
	//## File "/usr/cuda/include/math.hpp", line 5 inlined at "{FILE}", line 5
	//## File "{FILE}", line 5 inlined at "{FILE}", line 9
	//## File "{FILE}", line 9
        /*0020*/                   FMNMX R7, RZ, R0, !PT ;
	//## File "{FILE}", line 9
        /*0030*/                   STG.E desc[UR4][R2.64], R7 ;
.L_x_0:
	//## File "/usr/cuda/include/math.hpp", line 7
        /*0040*/                   EXIT ;
"""


@pytest.fixture
def listed(monkeypatch):
    """Return a function that sets what both tools print of a module with line records."""

    def prints(sass=SASS, records=RECORDS):
        monkeypatch.setattr(machine_code, "disassembled", lambda path, kind: sass)
        monkeypatch.setattr(source_lines, "_listed", lambda path, kind: records)
        return [Recorded(Path("rows.so"), device_texts(REQUEST))]

    return prints


def lines_of(modules, sass=SASS):
    return source_lines.source_lines(sass, modules, PROGRAM, "none")


def test_each_instruction_has_the_innermost_line_of_the_program_that_it_came_from(listed):
    assert lines_of(listed()) == [0, 8, 9, 5, 9, 0]
    assert PROGRAM.split("\n")[9 - 1] == "  x[i] = relu(x[i]);"


def test_a_function_with_other_instructions_has_no_lines(listed):
    with pytest.raises(NoLinesError, match="_Z4rowsPf has other instructions"):
        lines_of(listed(sass=SASS.replace("FMNMX R7", "FMNMX R9")))


def test_a_function_that_is_named_by_its_file_is_the_same_function(listed):
    def named(text, digits):
        return text.replace("_Z4rowsPf", f"_ZN36_GLOBAL__N__{digits}_4_k_cu_7d5b8a254rowsEPf")

    modules = listed(named(SASS, "a3037e45"), named(RECORDS, "a3037e45"))
    assert lines_of(modules, named(SASS, "0c777751")) == [0, 8, 9, 5, 9, 0]


@pytest.mark.parametrize(
    "records",
    ["", "no listing", RECORDS.replace(FILE, "/etc/passwd"), RECORDS.replace("line ", "line 99999999")],
    ids=["nothing", "other text", "another file", "lines that the file lacks"],
)
def test_records_that_name_nothing_of_the_program_give_no_lines(listed, records):
    with pytest.raises(NoLinesError, match="no records that name lines"):
        lines_of(listed(records=records))


def test_the_last_instruction_of_a_listing_may_be_cut(listed):
    assert lines_of(listed(), SASS[: SASS.index("desc[UR4][R2.64], R7")]) == [0, 8, 9, 5, 9]


def test_a_listing_of_too_many_lines_has_none(listed):
    with pytest.raises(NoLinesError, match="more than 20,000 lines"):
        lines_of(listed(), SASS + "\n" * 20_000 + "end")


def test_records_hold_until_the_next_one_and_end_with_their_function():
    text = '.text.a:\n//## File "f", line 3\n/*0000*/ NOP ;\n/*0010*/ NOP ;\n.text.b:\n/*0000*/ NOP ;\n'
    assert parse_records(text) == {"a": {0: [("f", 3)], 16: [("f", 3)]}, "b": {0: []}}


def test_endless_records_cost_linear_time_and_keep_the_innermost_places():
    text = ".text.a:\n" + '//## File "f", line 1\n' * 200_000 + "/*0000*/ NOP ;\n"
    [(address, chain)] = parse_records(text)["a"].items()
    assert (address, len(chain)) == (0, 64)


def test_lines_that_are_alike_are_placed_by_their_neighbours():
    twice = "void a() {\n  sync();\n}\nvoid b() {\n  sync();\n}"
    assert placed_in(f"#include <x>\n{twice}", f"import x\ns = '''\n{twice}'''") == [0, 3, 4, 5, 6, 7, 0]


def test_text_that_the_program_has_in_another_form_has_no_place():
    assert placed_in("  x[8] = 1;\n  y[i] = 2;", "  x[{n}] = 1;\n  y[i] = 2;") == [0, 2]


def test_the_second_compilation_has_the_device_code_alone():
    request = with_line_records(REQUEST)
    assert request is not None
    assert request.extra_cuda_cflags == ("-O3", "-lineinfo")
    assert (request.cpp_sources, request.functions, request.cuda_sources) == ((), None, (CUDA,))
    assert request.key("t") != REQUEST.key("t")
    assert with_line_records(request) == request
    assert with_line_records(BuildRequest("c", ("void f();",))) is None


def test_a_report_has_one_number_for_each_line_of_its_listing():
    assert Inspection(sass=SASS, sass_lines=[0, 8, 9, 5, 9, 0]).sass_lines[1] == 8
    for wrong in ([8], [0, 8, 9, 5, 9, -1]):
        with pytest.raises(ContractError):
            Inspection(sass=SASS, sass_lines=wrong)


class Compiler:
    """Stands in for the builder."""

    def __init__(self, result):
        self.result, self.asked = result, []

    def build(self, request, job, timeout_s, cancelled):
        self.asked.append(request)
        job.results["key"] = self.result


def reported(builder, inspection):
    report = Report("a", Outcome.RUNTIME_ERROR, inspection=inspection)
    builds = JobBuilds(requests={"key": REQUEST})
    job = SimpleNamespace(candidate=PROGRAM, profile=SimpleNamespace(build_timeout_s=9.0))
    return with_source_lines(report, job, AttemptTrace(), builds, builder, "none", lambda: False)


def test_a_report_gets_the_lines_with_the_seconds_that_they_took(listed):
    listed()
    builder = Compiler(BuildResult("built", Path("rows.so")))
    report = reported(builder, Inspection(sass=SASS))
    assert report.inspection.sass_lines == [0, 8, 9, 5, 9, 0]
    assert "source_lines" in report.seconds
    assert builder.asked == [with_line_records(REQUEST)]
    assert Report.from_dict(report.to_dict()) == report


def test_a_report_says_why_there_are_no_lines():
    builder = Compiler(BuildResult("timeout", error="it took longer than 9 s"))
    report = reported(builder, Inspection(sass=SASS, missing={"ptx": "none"}))
    assert report.inspection.missing["sass_lines"].endswith("failed: it took longer than 9 s")
    assert report.inspection.missing["ptx"] == "none"


def test_without_machine_code_nothing_is_compiled():
    builder = Compiler(None)
    assert reported(builder, Inspection(missing={"code": "none"})).seconds == {}
    assert builder.asked == []


def has_tools():
    return all(shutil.which(name) for name in ("nvcc", "cuobjdump", "nvdisasm"))


@pytest.mark.skipif(not has_tools(), reason="needs nvcc, cuobjdump and nvdisasm")
@pytest.mark.long
def test_line_records_leave_the_instructions_as_they_are(tmp_path):
    (tmp_path / "cuda.cu").write_text("\n\n\n" + CUDA)
    for name, flags in (("plain", []), ("lines", ["-lineinfo"])):
        argv = [str(tools.find("nvcc")), "-cubin", "-arch=sm_90", *flags, "-o", f"{tmp_path}/{name}.cubin"]
        assert tools.run([*argv, f"{tmp_path}/cuda.cu"], kind="none").status == 0
    sass = machine_code.disassembled(tmp_path / "plain.cubin", "none")
    modules = [Recorded(tmp_path / "lines.cubin", device_texts(REQUEST))]
    assert {5, 8, 9} <= set(source_lines.source_lines(sass, modules, PROGRAM, "none"))
