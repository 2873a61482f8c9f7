"""Built-ins and idioms of kernels by group, as patterns over code without comments."""

import re

# group -> pattern of its names. The first match counts.
GROUPS: dict[str, str] = {
    "warp shuffle": r"__shfl(?:_up|_down|_xor)?(?:_sync)?",
    "warp vote": r"__(?:any|all|ballot|match_any|match_all)(?:_sync)?|__activemask|__reduce_\w+_sync",
    "barrier": r"__syncthreads(?:_count|_and|_or)?|__syncwarp|__threadfence(?:_block|_system)?|grid\.sync|block\.sync",
    "atomic": r"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?|red\.async",
    "tensor core": r"(?:nvcuda::)?wmma(?:::\w+)?|mma_sync|load_matrix_sync|__hmma_\w+|mma\.sync[\w.]*|"
    r"wgmma[\w.]*|ldmatrix[\w.]*",
    "asynchronous copy": r"cp\.async[\w.]*|__pipeline_\w+|(?:cuda::)?memcpy_async|cuda::pipeline\w*|cuda::barrier",
    "half precision": r"__h(?:add|mul|fma|sub|div|max|min)2?(?:_rn)?|__float2half\w*|__half2float|"
    r"__float2bfloat16\w*|__bfloat162float|hexp2?|h2exp",
    "fast arithmetic": r"__(?:expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|powf|fdividef|frcp_r[nzud]|fsqrt_r[nzud]|"
    r"saturatef)|rsqrtf|__frsqrt_rn|fmaf|__fmaf_r[nzud]",
    "read-only load": r"__ldg|__ldcs|__ldca|__ldcg|__ldlu|__stcs|__stcg|__stwt",
    "cooperative groups": r"cooperative_groups|cg::\w+|tiled_partition|this_thread_block|this_grid",
    "unrolling": r"\#pragma\s+unroll(?:\s*\(?\d+\)?)?",
    "library": r"cublas\w+|cudnn\w+|cutlass\w*|cub::\w+(?:<[^;{}]{0,80}?>)?|thrust::\w+|"
    r"at::(?:mm|bmm|addmm|matmul|conv\w*|softmax|cudnn_\w+)|"
    r"torch::(?:mm|bmm|addmm|matmul|conv\w*|softmax|layer_norm|einsum|linear)",
}
EDGE = r"(?<![\w.:])"
NAME = re.compile(
    EDGE
    + "(?:"
    + "|".join(f"(?P<g{at}>{pattern})" for at, pattern in enumerate(GROUPS.values()))
    + r")(?!\w)"
)
GROUP_NAMES = list(GROUPS)

VECTOR = re.compile(
    r"(?P<cast>reinterpret_cast\s*<\s*(?:const\s+)?(?P<a>VEC)\s*(?:const\s*)?\*|\(\s*(?:const\s+)?(?P<b>VEC)\s*(?:const\s*)?\*\s*\))"
    r"|(?P<pointer>\b(?:const\s+)?(?P<c>VEC)\s*(?:const\s*)?\*\s*(?:__restrict__\s*)?\w)".replace(
        "VEC", r"(?:float|int|uint|double|half|short|char|uchar|longlong)[248]|__half2|__nv_bfloat162"
    )
)
ASM = re.compile(r"\b(?:mma\.sync|wgmma|ldmatrix|cp\.async|red\.|shfl\.sync|ld\.global\.nc|prefetch)[\w.:]*")

HALF_TYPES = (
    *("half", "half2", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"),
    *("Half", "BFloat16"),
)

TRITON: dict[str, str] = {
    "atomic_add": "atomic", "atomic_max": "atomic", "atomic_min": "atomic", "atomic_cas": "atomic",
    "atomic_xchg": "atomic", "dot": "tensor core", "load": "memory", "store": "memory", "sum": "reduction",
    "max": "reduction", "min": "reduction", "reduce": "reduction", "associative_scan": "scan", "cumsum": "scan",
    "program_id": "index", "num_programs": "index", "arange": "index", "debug_barrier": "barrier",
    "make_block_ptr": "memory", "float16": "half precision", "bfloat16": "half precision",
}  # fmt: skip

ELEMENT_BYTES = {
    "bool": 1, "char": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "half": 2, "__half": 2, "__nv_bfloat16": 2,
    "nv_bfloat16": 2, "at::Half": 2, "c10::Half": 2, "int16_t": 2, "uint16_t": 2, "int": 4, "unsigned": 4,
    "unsigned int": 4, "uint": 4, "int32_t": 4, "uint32_t": 4, "float": 4, "half2": 4, "__half2": 4,
    "__nv_bfloat162": 4, "long long": 8, "long": 8, "double": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8,
    "float2": 8, "int2": 8, "float4": 16, "int4": 16, "uint4": 16, "double2": 16, "float3": 12, "int3": 12,
    "unsigned char": 1, "unsigned long long": 8, "uint2": 8, "short2": 4, "char4": 4,
}  # fmt: skip
