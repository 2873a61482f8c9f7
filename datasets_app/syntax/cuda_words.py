"""Words of CUDA C++ by kind: keywords, qualifiers, types, built-in variables, intrinsics."""

from pygments.lexers.c_like import CudaLexer as Words


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = words(
    """
    alignas alignof asm auto break case catch class const constexpr const_cast continue decltype default
    delete do dynamic_cast else enum explicit extern false final for friend goto if inline mutable
    namespace new noexcept nullptr operator override private protected public register reinterpret_cast
    requires restrict return sizeof static static_assert static_cast struct switch template this throw
    true try typedef typename union using virtual volatile while co_await co_return co_yield concept
    consteval constinit
    """
)
QUALIFIERS = words(
    """
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __forceinline__
    __noinline__ __inline__ __launch_bounds__ __grid_constant__ __cluster_dims__
    """
)
TYPES = words(
    """
    void bool char short int long float double signed unsigned size_t ssize_t half half2 __half __half2
    __nv_bfloat16 __nv_bfloat162 nv_bfloat16 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
    uint64_t uintptr_t intptr_t ptrdiff_t scalar_t Tensor cudaStream_t cudaError_t dim3 clock_t
    """
) | frozenset(Words.vector_types)
BUILTINS = {*Words.variables, "warpSize"}
INTRINSICS = frozenset(Words.functions) | {
    "atomicAdd",
    "atomicMax",
    "atomicMin",
    "atomicCAS",
    "atomicExch",
    "fmaf",
    "rsqrtf",
}
