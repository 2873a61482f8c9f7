import pytest

from datasets_app.syntax.kernel import read_kernel
from tests.syntax.kernel.sources import cuda

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def strides(body, **parts):
    found = [access for access in read_kernel(cuda(body, **parts)).accesses if access.space == "global"]
    return {access.array: access.stride for access in found}


@pytest.mark.parametrize(
    ("body", "stride"),
    [
        ("y[0] = x[i];", 1),
        ("y[0] = x[i * 4];", 4),
        ("y[0] = x[i << 1];", 2),
        ("y[0] = x[blockIdx.x];", 0),
        ("y[0] = x[(threadIdx.x >> 5) * n + (threadIdx.x & 31)];", 1),
        ("y[0] = x[(threadIdx.x / 32) * n];", 0),
        ("y[0] = x[static_cast<int>(i) + 3];", 1),
        ("const float* row = x + blockIdx.x * n; y[0] = row[threadIdx.x];", 1),
        ("for (int c = threadIdx.x; c < n; c += blockDim.x) y[0] = x[c];", 1),
        ("float4 v = *reinterpret_cast<const float4*>(&x[i * 4]);", 1),
    ],
)
def test_the_distance_between_neighbouring_threads_is_read_off_the_index(body, stride):
    found = strides(INDEX + body)
    assert (found.get("x") if "row" not in found else found["row"]) == stride


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("y[0] = x[i * n];", "neighbouring threads access elements n apart"),
        ("y[0] = x[i / n];", "separates the threads of a warp"),
        ("int j = i; j += threadIdx.x; y[0] = x[j];", "j changes before the access"),
        ("y[0] = x[(int)y[i]];", "is not a sum of coordinates"),
        ("for (int c = 0; c < n; c += threadIdx.x) y[0] = x[c];", "differs between threads"),
    ],
)
def test_what_cannot_be_told_has_a_reason(body, why):
    found = [access for access in read_kernel(cuda(INDEX + body)).accesses if access.array == "x"]
    assert found[0].stride is None
    assert why in found[0].why


def ways(body, launch="k<<<4, 256>>>(x, y, n);"):
    found = [access for access in read_kernel(cuda(body, launch)).accesses if access.space == "shared"]
    return [access.conflict_ways for access in found]


def test_lanes_that_meet_in_a_bank_are_counted():
    square = "__shared__ float t[32][32];\n"
    padded = "__shared__ float t[32][33];\n"
    assert ways(square + "y[0] = t[threadIdx.x][0];") == [32]
    assert ways(padded + "y[0] = t[threadIdx.x][0];") == [1]
    assert ways(square + "y[0] = t[0][threadIdx.x];") == [1]
    assert ways("__shared__ float t[64];\ny[0] = t[threadIdx.x * 2];") == [2]
    assert ways("__shared__ float t[64];\ny[0] = t[0];") == [1]


def test_the_shape_of_the_block_decides_which_threads_make_a_warp():
    body = "__shared__ float t[16][17];\ny[0] = t[threadIdx.y][threadIdx.x];"
    assert ways(body, "dim3 b(16, 16); k<<<4, b>>>(x, y, n);") == [2]
    assert ways(body, "dim3 b(n, n); k<<<4, b>>>(x, y, n);") == [None]
