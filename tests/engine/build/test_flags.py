"""Tests of compiler flags: common ones pass, those that read, run or write elsewhere are refused by name."""

import pytest

from eval_app.engine.build import flags
from eval_app.engine.build.request import BuildRefusedError

ROOTS = ("/usr/local/cuda", "/usr/include", "/usr/lib")

ESCAPES = [
    "-fplugin=/tmp/evil.so",
    "-fplugin-arg-x=1",
    "-specs=/tmp/specs",
    "-wrapper sh,-c,id",
    "-B/tmp",
    "@/etc/passwd",
    "-include /etc/passwd",
    "-imacros /etc/passwd",
    "-I/etc",
    "-I /home/user",
    "-isystem /root",
    "-I/usr/include/../../etc",
    "-idirafter /etc",
    "-fprofile-use=/etc/passwd",
    "-fdump-tree-all=/tmp/x",
    "-fmodule-mapper=|id",
    "-Wl,-rpath,/tmp",
    "-Wp,-MD,/tmp/x",
    "-Wa,-o,/tmp/x",
    "-o /tmp/x",
    "-x c",
    "-MD",
    "-save-temps",
    "/etc/passwd",
    "-fdebug-prefix-map=/a=/b",
    "'-I/usr/include/$(id)'",
    "'-L/usr/lib/`id`'",
]


@pytest.mark.parametrize("flag", ESCAPES)
def test_an_escape_is_refused_for_each_compiler(flag):
    for check in (flags.host_flags, flags.cuda_flags, flags.link_flags):
        with pytest.raises(BuildRefusedError, match="compiler flag"):
            check([flag], ROOTS)


@pytest.mark.parametrize(
    "flag",
    [
        "--options-file=/tmp/x",
        "-optf /tmp/x",
        "-ccbin /tmp/cc",
        "--compiler-bindir=/tmp",
        "-Xcompiler -fplugin=/tmp/evil.so",
        "-Xcompiler=-wrapper,id",
        "--compiler-options '-include /etc/passwd'",
        "-Xptxas @/etc/passwd",
        "-Xptxas --output-file=/tmp/x",
        "--run",
        "-ldir /tmp",
        "--keep-dir /tmp",
        "--pre-include /etc/passwd",
        "-Xlinker -rpath=/tmp",
        "-dryrun",
        "'-DX=$(id)'",
        "'-DX=`id`'",
        "-Xcompiler '-DX=$(id)'",
        "'-DX=a\\'",
    ],
)
def test_nvcc_gets_no_way_round_the_list(flag):
    with pytest.raises(BuildRefusedError, match="compiler flag"):
        flags.cuda_flags([flag], ROOTS)


HOST_FLAGS = """
-O3 -Ofast -g -march=native -mavx2 -mfma -ffast-math -fopenmp -funroll-loops -std=c++17 -Wall -Wno-unused -w
-DNDEBUG -DN=4 -UFOO -fno-strict-aliasing -pthread -mprefer-vector-width=512
"""


@pytest.mark.parametrize("flag", HOST_FLAGS.split())
def test_a_common_flag_of_the_host_compiler_goes_through(flag):
    assert flags.host_flags([flag], ROOTS) == [flag]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("--use_fast_math", ["--use_fast_math"]),
        ("-use_fast_math", ["-use_fast_math"]),
        ("-lineinfo", ["-lineinfo"]),
        ("--ptxas-options=-v", ["--ptxas-options", "-v"]),
        ("-Xptxas -O3,-v", ["-Xptxas", "-O3,-v"]),
        ("-Xptxas=-dlcm=ca", ["-Xptxas", "-dlcm=ca"]),
        ("--maxrregcount=64", ["--maxrregcount=64"]),
        ("-maxrregcount 64", ["-maxrregcount=64"]),
        ("--expt-relaxed-constexpr", ["--expt-relaxed-constexpr"]),
        ("-Xcompiler -fopenmp", ["-Xcompiler", "-fopenmp"]),
        ("-Xcompiler '-O3,-ffast-math'", ["-Xcompiler", "-O3", "-Xcompiler", "-ffast-math"]),
        ("-U__CUDA_NO_HALF_OPERATORS__", ["-U__CUDA_NO_HALF_OPERATORS__"]),
        ("-ffast-math", ["-Xcompiler", "-ffast-math"]),
        ("-march=native", ["-Xcompiler", "-march=native"]),
        ("--fmad=false", ["--fmad=false"]),
        ("-I/usr/local/cuda/include", ["-I/usr/local/cuda/include"]),
        ("--default-stream per-thread", ["--default-stream=per-thread"]),
    ],
)
def test_a_common_flag_of_nvcc_goes_through(given, taken):
    assert flags.cuda_flags([given], ROOTS) == taken


OURS = [
    "-arch=sm_80",
    "-arch sm_80",
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode arch=compute_80,code=sm_80",
    "--generate-code=arch=compute_90,code=sm_90",
    "--gpu-architecture=sm_90a",
    "--threads 8",
    "-t=4",
]


@pytest.mark.parametrize("flag", OURS)
def test_architecture_and_thread_counts_are_ours(flag):
    assert flags.cuda_flags([flag, "-O2"], ROOTS) == ["-O2"]


def test_libraries_and_their_known_places_go_through():
    given = ["-lcublas", "-L/usr/local/cuda/lib64", "-Wl,-rpath,/usr/local/cuda/lib64", "-fopenmp", "-lgomp"]
    assert flags.link_flags(given, ROOTS) == given


def test_unbalanced_quotes_are_named():
    with pytest.raises(BuildRefusedError, match="unbalanced"):
        flags.host_flags(["-D'X"], ROOTS)
