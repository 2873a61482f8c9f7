import time

import pytest

from datasets_app.syntax.kernel import read_kernel
from tests.syntax.kernel.sources import REDUCE, TRITON, cuda


def line(text, source=REDUCE):
    return source[: source.index(text)].count("\n") + 1


def test_functions_are_told_apart_by_where_they_run():
    found = {f.name: (f.kind, f.line) for f in read_kernel(REDUCE).functions}
    assert found["scale_rows"] == ("kernel", line("scale_rows("))
    assert found["twice"] == ("device", line("twice("))
    assert found["scale"] == ("host", line("scale(torch"))
    assert found["ModelNew"] == ("class", line("class ModelNew"))


def test_launch_bounds_are_noted():
    (kernel,) = read_kernel(REDUCE).kernels
    assert kernel.note == "at most 256 threads"


def test_a_launch_is_resolved_through_names_defines_and_python():
    (launch,) = read_kernel(REDUCE).launches
    assert launch.kernel == "scale_rows"
    assert launch.grid.number == (16, 2)
    assert launch.block.threads == 256
    assert launch.shared.number == 256
    assert launch.line == line("scale_rows<<<")


@pytest.mark.parametrize("alignment", ["__align__(16) ", "__align__(sizeof(float4)) "])
def test_an_aligned_shared_array_has_its_own_name(alignment):
    (array,) = read_kernel(cuda(f"extern __shared__ {alignment}unsigned char memory[];")).shared
    assert (array.name, array.dynamic) == ("memory", True)


def test_a_launch_takes_the_name_of_its_own_branch():
    source = cuda(
        "y[0] = x[0];",
        "if (n % 4 == 0) { const int threads = 128; k<<<n / 4, threads>>>(x, y, n); }\n"
        "else { const int width = 16; const dim3 threads(width, 16); k<<<n, threads>>>(x, y, n); }",
    )
    first, second = read_kernel(source).launches
    assert (first.block.number, second.block.number) == (128, (16, 16))


def test_a_name_that_its_branch_changes_is_known_at_run_time_only():
    body = "if (n) { int threads = 128; if (n > 9) threads = 256; k<<<n, threads>>>(x, y, n); }\n"
    more = "else { int threads = 64; k<<<n, threads>>>(x, y, n); }"
    first, second = read_kernel(cuda("y[0] = x[0];", body + more)).launches
    assert (first.block.number, second.block.number) == (None, 64)


def test_what_is_known_at_run_time_only_shows_its_expression():
    source = cuda("y[0] = x[0];", "int blocks = (n + 255) / 256; k<<<blocks, 256>>>(x, y, n);")
    (launch,) = read_kernel(source).launches
    assert launch.grid.number is None
    assert launch.grid.shown == "blocks = (n + 255) / 256"


def test_a_variable_that_changes_is_not_resolved():
    source = cuda("y[0] = x[0];", "int t = 128; t = 64; k<<<1, t>>>(x, y, n);")
    assert read_kernel(source).launches[0].block.number is None


def test_a_block_of_named_extents_that_reads_like_a_declaration_is_resolved():
    head = "constexpr int W = 32; constexpr int H = 4;"
    source = cuda("y[0] = x[0];", "const dim3 block(W, H); k<<<1, block>>>(x, y, n);", head)
    assert read_kernel(source).launches[0].block.number == (32, 4)


def test_shared_memory_has_its_size_in_bytes():
    static, dynamic = read_kernel(REDUCE).shared
    assert (static.name, static.size_bytes, static.dynamic) == ("tile", 16 * 17 * 4, False)
    assert (dynamic.name, dynamic.size_bytes, dynamic.dynamic) == ("rest", None, True)


def test_built_ins_stand_with_their_lines_and_not_those_in_comments():
    uses = {use.name: use for use in read_kernel(REDUCE).uses}
    assert uses["atomicAdd"].group == "atomic"
    assert uses["__shfl_down_sync"].lines == (line("__shfl_down_sync"),)
    assert "__syncthreads" not in uses


def test_a_loop_over_the_grid_is_found_also_through_a_name():
    assert read_kernel(REDUCE).grid_strides == (line("for (int i"),)
    named = "int step = gridDim.x * blockDim.x; for (int i = 0; i < n; i += step) y[i] = x[i];"
    assert read_kernel(cuda(named)).grid_strides
    assert not read_kernel(cuda("for (int i = 0; i < n; i += blockDim.x) y[i] = x[i];")).grid_strides


@pytest.mark.parametrize(
    ("body", "group"),
    [
        ("float4 v = reinterpret_cast<const float4*>(x)[0];", "vector access"),
        ("float4 v = *((float4*)&x[0]);", "vector access"),
        ("wmma::mma_sync(a, b, c, d);", "tensor core"),
        ('asm volatile("mma.sync.aligned.m16n8k8.row.col.f32 {%0}, {%1};" : : "r"(n));', "tensor core"),
        ('asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(n));', "asynchronous copy"),
        ("__half h = __float2half(x[0]);", "half precision"),
        ("#pragma unroll\nfor (int i = 0; i < 4; i++) y[i] = x[i];", "unrolling"),
    ],
)
def test_idioms_are_known(body, group):
    assert read_kernel(cuda(body)).of_group(group)


def test_a_variable_called_half_is_no_type():
    assert not read_kernel(cuda("for (int half = 16; half > 0; half /= 2) y[half] = 0;")).of_group(
        "half precision"
    )


def test_triton_is_read_from_its_python():
    kernel = read_kernel(TRITON)
    (launch,) = kernel.launches
    assert [f.name for f in kernel.kernels] == ["add_kernel"]
    assert launch.grid.number == (64,)
    assert dict(launch.options)["BLOCK"].number == 1024
    assert kernel.of_group("atomic")[0].lines == (line("tl.atomic_add", TRITON),)
    assert kernel.grid_strides == (line("for i in range", TRITON),)


def test_what_cannot_be_parsed_is_said_and_the_rest_read():
    kernel = read_kernel(cuda("y[0] = ;;; ) x[0];\n}\n__global__ void after(float* x) { x[0] = 1;"))
    assert kernel.problems
    assert "after" in {f.name for f in kernel.functions}


def test_ten_thousand_lines_are_read_in_a_moment():
    body = "\n".join(
        f"  y[{at} * blockDim.x + threadIdx.x] = __ldg(x + {at}) * 2.0f;" for at in range(10_000)
    )
    started = time.process_time()
    kernel = read_kernel(cuda(body))
    assert time.process_time() - started < 2.5
    assert len(kernel.of_group("read-only load")[0].lines) == 10_000


@pytest.mark.parametrize(
    "piece", ["(", "{", "[", "a<", "<<<", '"', "/*", "if(", "template<", "#define x ", "x+"]
)
def test_a_hostile_text_is_given_up_in_time(piece):
    source = "s = r'''\n#include <a>\n__global__ void f(){}\n" + piece * (100_000 // len(piece)) + "'''\n"
    started = time.process_time()
    read_kernel(source)
    assert time.process_time() - started < 6
