"""Labels for how a program treats its process: streams, graphs, flags, caches, clocks, objects of others."""

import ast
import re
from collections.abc import Iterator

from .native import left_out
from .program import Label, Program, assigned_attributes, calls_to, in_native

_GRAPHS = {
    "torch.cuda.CUDAGraph",
    "torch.cuda.graph",
    "torch.cuda.make_graphed_callables",
    "torch.cuda.graphs.graph",
}
_STREAMS = {f"torch.{name}" for name in ("cuda.Stream", "cuda.ExternalStream", "cuda.stream", "Stream")}


def _graph(program: Program) -> Iterator[Label]:
    yield from calls_to(program, "uses_graph", lambda name: name in _GRAPHS)
    yield from in_native(program, "uses_graph", re.compile(r"\bcudaGraph\w+|\bcudaStreamBeginCapture\b"))


def _streams(program: Program) -> Iterator[Label]:
    yield from calls_to(program, "uses_streams", lambda name: name in _STREAMS)
    made = re.compile(r"\bcudaStreamCreate\w*|\bgetStreamFromPool\b|\bCUDAStreamGuard\b")
    yield from in_native(program, "uses_streams", made)


_PRECISION = re.compile(
    r"\.(allow_tf32|allow_fp16_reduced_precision_reduction|allow_bf16_reduced_precision_reduction|fp32_precision"
    r"|allow_fp16_accumulation)$"
)
_PRECISION_CALLS = {
    f"torch.{name}"
    for name in (
        *("set_float32_matmul_precision", "set_default_dtype", "set_flush_denormal"),
        *("autocast", "amp.autocast", "cuda.amp.autocast"),
    )
}


def _precision_flags(program: Program) -> Iterator[Label]:
    for target in assigned_attributes(program):
        if _PRECISION.search(program.dotted(target)):
            yield program.label("changes_precision_flags", target)
    yield from calls_to(program, "changes_precision_flags", lambda name: name in _PRECISION_CALLS)
    native = re.compile(
        r"\bsetAllowTF32\w*|\bcublasSetMathMode\b|\bCUBLAS_COMPUTE_32F_FAST_\w+|\bCUBLAS_TENSOR_OP_MATH\b"
    )
    yield from in_native(program, "changes_precision_flags", native)


# Of a line that is searched for each of its nodes.
_LINE_CHARS = 1_000
_TOUCHING = re.compile(
    r"^(inspect\.(stack|currentframe|getouterframes)|sys\.(_getframe|modules|settrace|setprofile)"
    r"|gc\.(get_objects|get_referrers|get_referents)|ctypes\.(CDLL|cast|memmove|string_at|pythonapi)\b"
    r"|os\.(environ|getenv|putenv|kill|fork|dup2?|_exit|ptrace)|signal\.(signal|setitimer|alarm)|mmap\.mmap"
    r"|socket\.|urllib\.|requests\.|subprocess\.|builtins\.)"
)


def _touches_evaluator(program: Program) -> Iterator[Label]:
    """Find inspection of, and access to, the surrounding process."""
    for node in program.nodes:
        if _imports_engine(node):
            yield program.label("touches_evaluator", node)
        if not _TOUCHING.search(program.dotted(_named_by(node))):
            continue
        if not isinstance(node, ast.Attribute) or not _sets_a_build_variable(program, node):
            yield program.label("touches_evaluator", node)


def _imports_engine(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return any(name.partition(".")[0] == "eval_app" for name in names)


def _named_by(node: ast.AST) -> ast.AST:
    """Return the node whose name counts: the function of a plain call, else the node itself."""
    return node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else node


def _sets_a_build_variable(program: Program, node: ast.Attribute) -> bool:
    """Return whether the line sets an environment variable of the build, such as TORCH_CUDA_ARCH_LIST, which
    is common."""
    if program.dotted(node) != "os.environ":
        return False
    line = program.lines[node.lineno - 1][:_LINE_CHARS] if node.lineno <= len(program.lines) else ""
    return bool(
        re.search(
            r"TORCH_CUDA_\w+|CUDA_(LAUNCH_BLOCKING|HOME|MODULE_LOADING)|MAX_JOBS|TORCH_USE_CUDA_DSA", line
        )
    )


def _patches(program: Program) -> Iterator[Label]:
    """Find assignments that replace a library's function or clock."""
    libraries = ("torch.", "time.", "statistics.", "numpy.", "math.", "builtins.", "triton.")
    for target in assigned_attributes(program):
        name = program.dotted(target)
        if (name.startswith(libraries) and not _is_setting(name)) or name.endswith(".__code__"):
            yield program.label("patches_torch", target)
    for call, name in program.calls:
        if (
            name == "setattr"
            and call.args
            and program.dotted(call.args[0]).startswith(tuple(library[:-1] for library in libraries))
        ):
            yield program.label("patches_torch", call)


def _is_setting(name: str) -> bool:
    return name.startswith(
        ("torch.backends.", "torch._dynamo.config", "torch._inductor.config", "torch.manual")
    )


def _cache_policy(program: Program) -> Iterator[Label]:
    calls = re.compile(r"(cudaDeviceSetLimit|cudaCtxResetPersistingL2Cache|cuCtxSetLimit)$")
    yield from calls_to(program, "touches_cache_policy", lambda name: bool(calls.search(name)))
    native = re.compile(
        r"cudaLimitPersistingL2CacheSize|accessPolicyWindow|cudaAccessPropertyPersisting|evict_last"
    )
    yield from in_native(program, "touches_cache_policy", native)
    # Instructions stand in literals, which the text of native code leaves blank.
    instruction = re.compile(r'\basm\b[^;"]{0,100}"[^"]*?evict_last[^"]{0,100}')
    for node, _ in program.native_texts:
        if match := instruction.search(text := str(node.value)):
            before = text.count("\n", 0, match.start())
            yield program.label_inside("touches_cache_policy", node, before, match[0])


_STARTS = {
    *("threading.Thread", "threading.Timer", "_thread.start_new_thread"),
    *("multiprocessing.Process", "multiprocessing.Pool"),
    *("concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor"),
    *("torch.set_num_threads", "torch.set_num_interop_threads"),
}


def _threads(program: Program) -> Iterator[Label]:
    yield from calls_to(program, "starts_threads", lambda name: name in _STARTS)
    native = r"\bstd::(?:j?thread|async)\b|\bpthread_create\b|\b(?:omp_)?(?:set_)?num_threads\s*\("
    yield from in_native(program, "starts_threads", re.compile(native))


def _left_out(program: Program) -> Iterator[Label]:
    """Note what the other labels may have misread: native code read without a grammar."""
    for node, text in program.native_texts:
        if remark := left_out(text, program.native_starts[id(node)]):
            yield program.label("read_by_signs", node, remark)


CHECKS = (
    _graph, _streams, _precision_flags, _touches_evaluator, _patches, _cache_policy, _threads, _left_out,
)  # fmt: skip
